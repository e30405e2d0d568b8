// The filters of the list of operations. They live in the address: search=conv&mark=wrong.
"use strict";
const search = document.getElementById("filter-search");
const mark = document.getElementById("filter-mark");
// Each operation below the row of its class.
let group = null;
const rows = [...document.querySelectorAll("tbody tr")].flatMap((row) => {
  if (row.classList.contains("class-row")) {
    group = row;
    return [];
  }
  const text = `${row.cells[0].textContent} ${group?.textContent ?? ""}`.toLowerCase();
  return [{row, group, text, marks: new Set([...row.cells].map((cell) => cell.className))}];
});
const groups = new Set(rows.map((row) => row.group));

function showRows() {
  const text = search.value.toLowerCase(), name = mark.value;
  let shown = 0;
  for (const head of groups) head.hidden = true;
  for (const {row, group: head, text: own, marks} of rows) {
    row.hidden = !own.includes(text) || Boolean(name && !marks.has(`s-${name}`));
    if (row.hidden) continue;
    head.hidden = false;
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
