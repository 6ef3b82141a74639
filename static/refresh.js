/* Keeps a page fresh without moving what the reader looks at.

   Every 15 s the page asks for itself; 304 means that nothing changed. Otherwise the elements with
   `data-refresh` are taken from the answer. Nothing is touched while somebody types or has a form
   open in it. In a list (`data-refresh="list"`) tickets come and go only at the top of the page;
   further down a button says how many are new. */
"use strict";

(() => {
  const EVERY = 15_000;
  const SLOWEST = 300_000;
  const SCROLLED = 80;
  const bar = document.getElementById("fresh");
  const said = document.getElementById("fresh-said");
  if (!bar || !said) return;

  const button = bar.querySelector("button");
  let etag = bar.dataset.etag;
  let wait = EVERY;
  let timer = 0;
  let asked = Date.now();
  let waiting = null;

  const regions = (page) => [...page.querySelectorAll("[data-refresh][id]")];
  const cards = (region) => [...region.querySelectorAll("article[id]")];
  const isTyped = (field) =>
    field.type === "checkbox" || field.type === "radio"
      ? field.checked !== field.defaultChecked
      : "defaultValue" in field && field.type !== "hidden" && field.value !== field.defaultValue;
  const isBusy = (region) =>
    region.querySelector("details[open] form") !== null ||
    region.querySelector("input:focus, textarea:focus, select:focus") !== null ||
    [...region.querySelectorAll("input, textarea")].some(isTyped);

  function say(count) {
    const text =
      count === 0 ? bar.dataset.changed
      : count === 1 ? bar.dataset.one
      : bar.dataset.many.replace("#", String(count));
    button.textContent = text;
    bar.hidden = false;
    if (said.textContent !== text) said.textContent = text;
  }

  /* Puts `fresh` in place of `old`: menus stay open, and the focus stays on what it was on. */
  function swap(old, fresh) {
    if (old.innerHTML === fresh.innerHTML) return;
    const focused = old.contains(document.activeElement) ? document.activeElement : null;
    const path = focused && pathTo(old, focused);
    const open = [...old.querySelectorAll("details")].map((one) => one.open);
    const copy = document.importNode(fresh, true);
    if (open.length === copy.querySelectorAll("details").length) {
      copy.querySelectorAll("details").forEach((one, place) => { one.open = open[place]; });
    }
    old.replaceWith(copy);
    if (path) copy.querySelector(path)?.focus({ preventScroll: true });
  }

  function pathTo(region, element) {
    const holder = element.closest("[id]");
    const inside = holder && holder !== region && region.contains(holder);
    const start = inside ? `#${CSS.escape(holder.id)}` : "";
    if (inside && holder === element) return start;
    const href = element.getAttribute("href");
    const name = element.localName + (href ? `[href="${CSS.escape(href)}"]` : "");
    return `${start} ${name}`.trim();
  }

  /* The reader's place: the card they look at stays where it is on the screen. */
  function keepingPlace(change) {
    const card = [...document.querySelectorAll("article[id]")].find(
      (one) => one.getBoundingClientRect().bottom > 0,
    );
    const before = card?.getBoundingClientRect().top;
    change();
    const same = card && document.getElementById(card.id);
    if (same) window.scrollBy(0, same.getBoundingClientRect().top - before);
  }

  function takeList(old, fresh) {
    const has = new Set(cards(old).map((one) => one.id));
    const wanted = cards(fresh).map((one) => one.id);
    const added = wanted.filter((id) => !has.has(id)).length;
    const isSame = wanted.join() === [...has].join();
    const reads = window.scrollY > SCROLLED || old.contains(document.activeElement);
    if (isSame || !reads) {
      keepingPlace(() => swap(old, fresh));
      if (added) said.textContent = added === 1 ? bar.dataset.one : bar.dataset.many.replace("#", String(added));
      return;
    }
    keepingPlace(() => {
      for (const card of cards(old)) {
        const newer = fresh.querySelector(`#${CSS.escape(card.id)}`);
        if (newer) swap(card, newer);
      }
    });
    waiting = fresh;
    say(added);
  }

  function take(page) {
    waiting = null;
    bar.hidden = true;
    let skipped = false;
    for (const fresh of regions(page)) {
      const old = document.getElementById(fresh.id);
      if (!old) continue;
      if (isBusy(old)) skipped = true;
      else if (old.dataset.refresh === "list") takeList(old, fresh);
      else swap(old, fresh);
    }
    return !skipped;
  }

  async function ask() {
    asked = Date.now();
    const headers = { "X-Refresh": "1" };
    if (etag) headers["If-None-Match"] = etag;
    const answer = await fetch(location.href.split("#")[0], { headers, cache: "no-store" });
    if (answer.status === 304) return true;
    if (answer.redirected || answer.status === 403 || answer.status === 404) return isGone();
    if (!answer.ok) throw new Error(String(answer.status));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (take(page)) etag = answer.headers.get("ETag");
    return true;
  }

  /* Signed out, or no longer of this org: say so and leave the page as it is. */
  function isGone() {
    button.textContent = bar.dataset.gone;
    said.textContent = bar.dataset.gone;
    bar.hidden = false;
    waiting = null;
    button.onclick = () => location.reload();
    return false;
  }

  function later() {
    clearTimeout(timer);
    timer = setTimeout(look, wait);
  }

  async function look() {
    if (document.hidden) return;
    try {
      if (!(await ask())) return;
      wait = EVERY;
    } catch {
      wait = Math.min(wait * 2, SLOWEST);
    }
    later();
  }

  button.onclick = () => {
    if (waiting) {
      const list = document.getElementById(waiting.id);
      if (list) swap(list, waiting);
    }
    waiting = null;
    bar.hidden = true;
    window.scrollTo(0, 0);
    document.getElementById("main").focus({ preventScroll: true });
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) clearTimeout(timer);
    else if (Date.now() - asked >= wait) look();
    else later();
  });
  later();
})();
