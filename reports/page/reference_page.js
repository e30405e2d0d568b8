// Filters, which live in the address: #op=NAME scrolls to an operation, the others hide rows that do
// not match.
const FILTERS = ["search", "class", "reference"];
const operations = [...document.querySelectorAll(".operation")];
const texts = new Map(operations.map((section) => [section, section.textContent.toLowerCase()]));

function apply() {
  const [search, ofClass, reference] = FILTERS.map((name) => byId(`filter-${name}`).value);
  const shownClasses = new Set();
  let shown = 0;
  for (const section of operations) {
    const fits = texts.get(section).includes(search.toLowerCase()) &&
      (!ofClass || section.dataset.class === ofClass) &&
      (!reference || section.dataset.reference === reference);
    section.hidden = !fits;
    if (!fits) continue;
    ++shown;
    shownClasses.add(section.dataset.class);
  }
  for (const title of document.querySelectorAll("h2.class")) {
    title.hidden = !shownClasses.has(title.dataset.class);
  }
  byId("count").textContent = `${shown} of ${operations.length} operations`;
  document.body.dataset.operations = shown;
}

function readAddress() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const named = hash.get("op");
  // A link inside the page keeps the filters, unless they hide its target.
  if (FILTERS.some((name) => hash.has(name)) || named) {
    for (const name of FILTERS) byId(`filter-${name}`).value = hash.get(name) ?? "";
  }
  apply();
  if (named) operations.find((section) => section.id === `op-${named}`)?.scrollIntoView();
}

function writeAddress() {
  const hash = new URLSearchParams();
  for (const name of FILTERS) {
    const value = byId(`filter-${name}`).value;
    if (value) hash.set(name, value);
  }
  history.replaceState(null, "", `#${hash}`);
  apply();
}

for (const name of FILTERS) byId(`filter-${name}`).addEventListener("input", writeAddress);
addEventListener("hashchange", readAddress);
readAddress();
document.body.dataset.ready = "true";
