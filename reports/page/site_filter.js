// The filters of the list of operations. They live in the address: search=conv&mark=wrong.
"use strict";
const search = document.getElementById("filter-search");
const mark = document.getElementById("filter-mark");
const parts = [...document.querySelectorAll("section.part")];
const rows = parts.flatMap((part) => [...part.querySelectorAll("tbody tr")].map((row) => ({
  row, part,
  text: `${row.cells[0].textContent} ${part.querySelector("h2").textContent}`.toLowerCase(),
  marks: new Set([...row.cells].map((cell) => cell.className))})));

function showRows() {
  const text = search.value.toLowerCase(), name = mark.value;
  let shown = 0;
  for (const part of parts) part.hidden = true;
  for (const {row, part, text: own, marks} of rows) {
    row.hidden = !own.includes(text) || Boolean(name && !marks.has(`s-${name}`));
    if (row.hidden) continue;
    part.hidden = false;
    ++shown;
  }
  document.getElementById("count").textContent = `${shown} of ${rows.length} operations`;
  document.body.dataset.rows = shown;
}

function filterChanged() {
  const address = new URLSearchParams();
  if (search.value) address.set("search", search.value);
  if (mark.value) address.set("mark", mark.value);
  history.replaceState(null, "", `#${address}`);
  showRows();
}

const given = new URLSearchParams(location.hash.slice(1));
search.value = given.get("search") ?? "";
mark.value = given.get("mark") ?? "";
if (mark.selectedIndex < 0) mark.value = "";
let pause = 0;
search.addEventListener("input", () => {
  clearTimeout(pause);
  pause = setTimeout(filterChanged, 120);
});
mark.addEventListener("change", filterChanged);
showRows();
