// Assembles the page and listens for events. The counts in the body's data attributes show the visible
// rows to a test.
function drawFiltered() {
  drawMatrix();
  drawFindings();
  drawErrors();
}

// `finding=NAME` in the address opens a finding, `cell=OP,TARGET` a cell.
function openLinked() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const entry = findingEntries.get(hash.get("finding"));
  if (entry) {
    entry.open = true;
    entry.scrollIntoView();
  }
  const [op, target] = (hash.get("cell") ?? "").split(",");
  const cell = cellOf.get(`${op}\n${target}`);
  if (cell && !byId("cell").open) openCell(cell);
}

function applyFilters() {
  takeFilters();
  findingsShown = FINDINGS_STEP;
  drawFiltered();
}

function listen() {
  listenToFilters(applyFilters, [...FILTERS.slice(1), "all"]);
  byId("findings-more").addEventListener("click", () => {
    findingsShown += FINDINGS_STEP;
    drawFindings();
  });
  listenToTheme();
  listenToSkipLink();
  listenToSlash();
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
drawAnswer();
drawLegend();
drawFiltered();
openLinked();
listen();
document.body.dataset.ready = "true";
