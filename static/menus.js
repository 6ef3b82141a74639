/* A menu closes when the reader goes elsewhere: by a click, by Escape, or by the keyboard. */
"use strict";

(() => {
  const open = () => document.querySelectorAll("details.menu[open]");
  const closeOthers = (target) => open().forEach((menu) => {
    if (!menu.contains(target)) menu.open = false;
  });
  document.addEventListener("click", (event) => closeOthers(event.target));
  document.addEventListener("focusin", (event) => closeOthers(event.target));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    open().forEach((menu) => {
      if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
      menu.open = false;
    });
  });
})();
