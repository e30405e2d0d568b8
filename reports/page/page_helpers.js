// The common base of the scripts of several pages. All text goes through text nodes: nothing in a
// page's data is parsed as HTML.
"use strict";
const byId = (id) => document.getElementById(id);

// An element with properties and children; strings become text nodes.
function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") node.className = value;
    else if (name in node && name !== "list") node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// The filters of a page, FILTERS by name and `filters` by value, live in the address, so that a view
// can be linked and the back button works.
function readFilters() {
  const hash = new URLSearchParams(location.hash.slice(1));
  for (const name of FILTERS) {
    filters[name] = hash.get(name) ?? "";
    byId(`filter-${name}`).value = filters[name];
  }
  return hash;
}

function writeFilters(more = {}) {
  const hash = new URLSearchParams(more);
  for (const name of FILTERS) if (filters[name]) hash.set(name, filters[name]);
  history.replaceState(null, "", `#${hash}`);
}

// Calls `apply` when a filter changes (for the search: when typing pauses) and when all are cleared.
function listenToFilters(apply, names = FILTERS.slice(1)) {
  let pending = 0;
  byId("filter-search").addEventListener("input", () => {
    clearTimeout(pending);
    pending = setTimeout(apply, 120);
  });
  for (const name of names) byId(`filter-${name}`).addEventListener("change", apply);
  byId("filter-clear").addEventListener("click", () => {
    for (const name of FILTERS) byId(`filter-${name}`).value = "";
    if (byId("filter-all")) byId("filter-all").checked = false;
    apply();
  });
}

function listenToTheme() {
  byId("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme === "dark" ||
      (!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    root.dataset.theme = dark ? "light" : "dark";
  });
}

// "/" goes to the search, except in a field and while the panel of a cell is open.
function listenToSlash() {
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input, select, textarea");
    if (event.key === "/" && !typing && !byId("cell").open) {
      byId("filter-search").focus();
      event.preventDefault();
    }
  });
}

function listenToSkipLink() {
  document.querySelector("[data-goto]").addEventListener("click", (event) => {
    event.preventDefault();
    byId(event.target.dataset.goto).focus();
  });
}
