// Puts the page together and listens. The counts in the body's data attributes let a test see what
// is shown.
function drawFiltered() {
  drawMatrix();
  drawFindings();
  drawErrors();
}

// `finding=NAME` in the address opens a finding, `cell=OP,TARGET` a cell.
function openLinked() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const entry = hash.has("finding") ? byId(`finding-${hash.get("finding")}`) : null;
  if (entry) {
    entry.open = true;
    entry.scrollIntoView();
  }
  const [op, target] = (hash.get("cell") ?? "").split(",");
  const cell = cellOf.get(`${op}\n${target}`);
  if (cell && !byId("cell").open) openCell(cell);
}

function applyFilters() {
  for (const name of FILTERS) filters[name] = byId(`filter-${name}`).value;
  filters.all = byId("filter-all").checked;
  findingsShown = FINDINGS_STEP;
  writeAddress();
  drawFiltered();
}

function listen() {
  let pending = 0;
  byId("filter-search").addEventListener("input", () => {
    clearTimeout(pending);
    pending = setTimeout(applyFilters, 120);
  });
  for (const name of [...FILTERS.slice(1), "all"]) {
    byId(`filter-${name}`).addEventListener("change", applyFilters);
  }
  byId("filter-clear").addEventListener("click", () => {
    for (const name of FILTERS) byId(`filter-${name}`).value = "";
    byId("filter-all").checked = false;
    applyFilters();
  });
  byId("findings-more").addEventListener("click", () => {
    findingsShown += FINDINGS_STEP;
    drawFindings();
  });
  byId("theme").addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark" ||
      (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.dataset.theme = dark ? "light" : "dark";
  });
  document.querySelector("[data-goto]").addEventListener("click", (event) => {
    event.preventDefault();
    byId(event.target.dataset.goto).focus();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input, select, textarea");
    if (event.key === "/" && !typing && !byId("cell").open) {
      byId("filter-search").focus();
      event.preventDefault();
    }
  });
  addEventListener("hashchange", () => {
    readAddress();
    drawFiltered();
    openLinked();
  });
  listenToMatrix();
}

fillSelect("target", report.matrix.targets.map((target) => target.name));
fillSelect("state", STATE_NAMES);
fillSelect("evidence", distinct(report.runs.map((run) => run.provenance)));
fillSelect("route", distinct(report.matrix.cells.flatMap(
  (cell) => cell.evidence.map((item) => item.route))));
readAddress();
drawSummary();
drawLegend();
drawFiltered();
openLinked();
listen();
document.body.dataset.ready = "true";
