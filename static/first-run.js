/* Watches for the first agent and the first ticket: asks for the page every five seconds, 304 as
   long as nothing came. Once the answer has tickets instead of these steps, it is opened whole. */
"use strict";

(() => {
  const EVERY = 5_000;
  const SLOWEST = 60_000;
  let etag = null;
  let wait = EVERY;

  async function look() {
    if (!document.hidden) {
      const headers = { "X-Refresh": "1" };
      if (etag) headers["If-None-Match"] = etag;
      try {
        const answer = await fetch(location.href.split("#")[0], { headers, cache: "no-store" });
        if (answer.redirected || answer.status === 403 || answer.status === 404) return;
        if (answer.ok) take(answer, await answer.text());
        wait = EVERY;
      } catch {
        wait = Math.min(wait * 2, SLOWEST);
      }
    }
    setTimeout(look, wait);
  }

  function take(answer, text) {
    etag = answer.headers.get("ETag");
    const old = document.querySelector("[data-arrivals]");
    const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("[data-arrivals]");
    if (!fresh) location.reload();
    else if (old.innerHTML !== fresh.innerHTML) old.innerHTML = fresh.innerHTML;
  }

  setTimeout(look, wait);
})();
