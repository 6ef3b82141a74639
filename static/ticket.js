/* Keeps what is typed on a ticket until it was sent, and sends each form once.

   A form with `data-draft` is kept in this tab's session storage under that name. When the desk
   says that it was done (a message of success), the form that was sent last is forgotten. */
"use strict";

(() => {
  const PREFIX = "draft ";
  const SENT = "draft-sent";
  const BUSY_FOR = 5_000;

  function stored(name) {
    try { return sessionStorage.getItem(name); } catch { return null; }
  }
  function store(name, value) {
    try {
      if (value === null) sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, value);
    } catch { /* A full or forbidden store: the page works without it. */ }
  }

  const texts = (form) => [...form.querySelectorAll("textarea[name]")];

  function forget() {
    if (!document.querySelector(".messages .success")) return;
    const sent = stored(SENT);
    if (sent) store(PREFIX + sent, null);
    store(SENT, null);
  }

  function restore(form) {
    let kept = {};
    try { kept = JSON.parse(stored(PREFIX + form.dataset.draft) || "{}"); } catch { return; }
    for (const field of texts(form)) {
      const text = kept[field.name];
      if (!text || field.value !== field.defaultValue) continue;
      // What the desk gives back itself is newer than what this tab kept.
      if (field.defaultValue && form.querySelector(".errorlist")) continue;
      field.value = text;
      const fold = form.closest("details");
      if (fold && text !== field.defaultValue) fold.open = true;
    }
  }

  function keep(form) {
    const typed = texts(form).filter((field) => field.value !== field.defaultValue);
    const kept = Object.fromEntries(typed.map((field) => [field.name, field.value]));
    store(PREFIX + form.dataset.draft, typed.length ? JSON.stringify(kept) : null);
  }

  /* The browser gives back what stood in a field when the reader goes back. What is typed is kept,
     so a text that is kept no more was sent: it must not look as if it waited to be. */
  function dropSent(form) {
    if (stored(PREFIX + form.dataset.draft)) return;
    for (const field of texts(form)) field.value = field.defaultValue;
  }

  function isStoring() {
    store("draft-probe", "1");
    const works = stored("draft-probe") === "1";
    store("draft-probe", null);
    return works;
  }

  function once(event) {
    const form = event.target;
    if (form.method !== "post") return;
    if (form.dataset.busy) {
      event.preventDefault();
      return;
    }
    form.dataset.busy = "1";
    setTimeout(() => { delete form.dataset.busy; }, BUSY_FOR);
    if (form.dataset.draft) {
      keep(form);
      store(SENT, form.dataset.draft);
    }
  }

  /* The list beside begins where the reader is in it. */
  function showPlace() {
    const row = document.querySelector(".beside [aria-current]");
    const list = row?.closest(".beside");
    const below = row ? row.offsetTop + row.offsetHeight - list.clientHeight : 0;
    if (below > 0) list.scrollTop = below + row.offsetHeight;
  }

  forget();
  showPlace();
  document.querySelectorAll("form[data-draft]").forEach(restore);
  document.addEventListener("input", (event) => {
    const form = event.target.closest("form[data-draft]");
    if (form) keep(form);
  });
  document.addEventListener("submit", once);
  addEventListener("pageshow", (event) => {
    const how = performance.getEntriesByType("navigation")[0]?.type;
    const isBack = event.persisted || how === "back_forward";
    if (isBack && isStoring()) document.querySelectorAll("form[data-draft]").forEach(dropSent);
    if (!event.persisted) return;
    document.querySelectorAll("form[data-busy]").forEach((form) => { delete form.dataset.busy; });
  });
})();
