/* Buttons that copy what stands beside them. Without a script they stay hidden. */
"use strict";

for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  if (!source || !navigator.clipboard) continue;
  const words = button.textContent;
  button.hidden = false;
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
      button.textContent = button.dataset.copied || words;
    } catch {
      getSelection().selectAllChildren(source);
    }
    setTimeout(() => { button.textContent = words; }, 3000);
  });
}
