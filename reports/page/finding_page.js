// Buttons that copy commands, if the browser allows it.
"use strict";
for (const button of document.querySelectorAll(".copy")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(button.previousElementSibling.textContent).then(
      () => { button.textContent = "Copied"; }, () => {});
  });
}
document.body.dataset.ready = "true";
