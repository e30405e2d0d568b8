// The matrix of operations by targets and the panel that a cell opens.
const cellOf = new Map(report.matrix.cells.map((cell) => [`${cell.op}\n${cell.target}`, cell]));

// The content of a cell, restricted by the filters of evidence and route.
function shownState(cell) {
  if (!filters.evidence) {
    const shown = filters.route ? cell.routes[filters.route] : cell;
    return [shown.state, shown.provenance];
  }
  let best = STATE_NAMES.indexOf(cell.attested === "yes" ? "attested" : "catalogued");
  let strength = -1;
  for (const item of cell.evidence) {
    if (filters.evidence && item.provenance !== filters.evidence) continue;
    if (filters.route && item.route !== filters.route) continue;
    const rank = STATE_NAMES.indexOf(item.state);
    if (rank <= STATE_NAMES.indexOf("attested")) continue;
    const itemStrength = EVIDENCE_NAMES.indexOf(item.provenance);
    if (itemStrength > strength || (itemStrength === strength && rank > best)) {
      [best, strength] = [rank, itemStrength];
    }
  }
  return [STATE_NAMES[best], EVIDENCE_NAMES[strength] ?? ""];
}

function shownTargets() {
  return report.matrix.targets.filter((target) => filters.target
    ? target.name === filters.target : filters.all || target.met);
}

function drawLegend() {
  for (const state of STATE_NAMES) {
    byId("legend").append(make("li", {}, stateChip(state, ""),
                               ` ${state}: ${STATES[state][1]}`));
  }
  for (const name of EVIDENCE_NAMES.filter((name) => EVIDENCE[name])) {
    byId("legend").append(make("li", {}, stateChip("correct", name),
                               ` with ${EVIDENCE[name]}: ${evidenceText(name)} evidence, none stronger`));
  }
}

function matrixRow(op, targets) {
  const row = make("tr", {}, make("th", {scope: "row", title: op.name}, op.name));
  let fits = false;
  for (const target of targets) {
    const cell = cellOf.get(`${op.name}\n${target.name}`);
    const [state, evidence] = shownState(cell);
    const dim = filters.state && state !== filters.state;
    fits = fits || !dim;
    const box = make("td", {class: dim ? "dim" : "", tabIndex: -1, role: "gridcell"},
                     stateChip(state, evidence));
    box.setAttribute("aria-label",
                     `${op.name} on ${target.name}: ${state}${evidence ? `, ${evidence}` : ""}`);
    box.cell = cell;
    row.append(box);
  }
  return fits ? row : null;
}

function drawMatrix() {
  const targets = shownTargets();
  const head = make("tr", {}, make("th", {scope: "col"}, "operation"));
  for (const target of targets) {
    head.append(make("th", {scope: "col", title: [target.family, target.chips].join(" ")},
                     target.name));
  }
  const body = make("tbody");
  let rows = 0;
  let lastClass = null;
  for (const op of report.matrix.ops) {
    if (!matchesSearch(op.name, op.class)) continue;
    const row = matrixRow(op, targets);
    if (!row) continue;
    if (op.class !== lastClass) {
      body.append(make("tr", {class: "class-row"},
                       make("th", {scope: "rowgroup", colSpan: targets.length + 1}, op.class)));
      lastClass = op.class;
    }
    body.append(row);
    ++rows;
  }
  byId("cells").replaceChildren(make("thead", {}, head), body);
  const first = body.querySelector("td");
  if (first) first.tabIndex = 0;
  byId("cells-empty").hidden = rows > 0;
  document.body.dataset.matrixRows = rows;
  document.body.dataset.matrixColumns = targets.length;
}

function evidenceTable(cell) {
  const columns = ["provenance", "chip", "os", "compiler_version", "route", "state", "cases", "compiled", "dispatched", "correct",
                   "known_defect", "unconfirmed", "wrong", "rejected", "inconclusive"];
  const head = make("tr", {}, ...columns.map(
    (name) => make("th", {scope: "col"}, name.replaceAll("_", " "))));
  const rows = cell.evidence.map((item) => make("tr", {}, ...columns.map((name) => make(
    "td", {class: typeof item[name] === "number" ? "number" : ""},
    name === "provenance" ? evidenceText(item[name]) : String(item[name])))));
  return make("div", {class: "scroll"},
              make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
}

// A name as one word of a POSIX shell.
const shellWord = (text) =>
  /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

// The route of the cell: the route of the filter, else the routes with evidence, else the conversion
// route, or `netlist` for a native layer, which conversions cannot name.
function routeOf(cell) {
  if (filters.route) return filters.route;
  const routes = [...new Set(cell.evidence.map((item) => item.route))];
  if (routes.length > 0) return routes.length === 1 ? routes[0] : "both";
  const op = report.matrix.ops.find((row) => row.name === cell.op);
  return op?.class === "native layers" ? "netlist" : "mil";
}

function openCell(cell) {
  const content = byId("cell-content");
  content.replaceChildren(
    make("h3", {id: "cell-title"}, `${cell.op} on ${cell.target}`),
    make("p", {}, stateChip(cell.state, cell.provenance),
         ` ${cell.state}${cell.provenance ? ` (${evidenceText(cell.provenance)})` : ""}; ` +
         "the tables admit it: " +
         `${cell.attested}`));
  if (cell.evidence.length > 0) {
    content.append(make("p", {}, "A case contains several operations and counts for each of them; " +
                                 "findings name the operation that went wrong."), evidenceTable(cell));
  } else {
    content.append(make("p", {}, "No case with this operation was run on this target."));
  }
  const related = report.findings.filter(
    (finding) => finding.op === cell.op && finding.target === cell.target);
  if (related.length > 0) {
    content.append(make("h3", {}, "Findings"), ...groupFindings(related).map(findingEntry));
  }
  content.append(make("h3", {}, "Test it again"), commandLine(
    `anecheck run --cases 500 --ops ${shellWord(cell.op)} --targets ${shellWord(cell.target)} ` +
    `--route ${shellWord(routeOf(cell))} --db results.sqlite`));
  byId("cell").showModal();
}

function moveFocus(from, key) {
  const row = from.parentElement;
  const column = [...row.children].indexOf(from);
  const step = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
                Home: [0, 1 - column], End: [0, row.children.length - 1 - column]}[key];
  if (!step) return false;
  const rows = [...row.parentElement.children].filter((item) => item.querySelector("td"));
  const next = rows[rows.indexOf(row) + step[0]]?.children[column + step[1]];
  if (next?.tagName === "TD") {
    from.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
  return true;
}

function listenToMatrix() {
  const table = byId("cells");
  table.addEventListener("click", (event) => {
    const box = event.target.closest("td");
    if (box) openCell(box.cell);
  });
  table.addEventListener("keydown", (event) => {
    const box = event.target.closest("td");
    if (!box) return;
    if (event.key === "Enter" || event.key === " ") {
      openCell(box.cell);
      event.preventDefault();
    } else if (moveFocus(box, event.key)) {
      event.preventDefault();
    }
  });
}
