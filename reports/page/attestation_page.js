// The filters of the matrix, and the panel that a cell opens.
let longTasks = 0;
try {
  new PerformanceObserver((list) => {
    longTasks += list.getEntries().length;
    document.body.dataset.longTasks = longTasks;
  }).observe({entryTypes: ["longtask"]});
} catch { /* a browser without this measure still shows the page */ }

// Verdicts, layers and statements are many and long: each is a line of JSON, parsed when a cell needs it.
const lines = {};
function record(name, index) {
  lines[name] ??= byId(name).textContent.split("\n");
  return JSON.parse(lines[name][index]);
}

function table(names, rows) {
  return make("div", {class: "scroll"}, make("table", {},
    make("thead", {}, make("tr", {}, ...names.map((name) => make("th", {scope: "col"}, name)))),
    make("tbody", {}, ...rows.map((row) =>
      make("tr", {}, ...row.map((text) => make("td", {class: "clip"}, text)))))));
}

const statementsOf = (cell) => data.statements_of[cell] ?? [];

function layerRows(verdict) {
  return verdict.layers.map((index) => record("layers", index)).map((layer) => [
    layer.layer, layer.reached ? layer.verdict : `not reached (${layer.verdict})`,
    layer.reason + layer.others.map((other) => ` Otherwise: ${other.says} [${other.source}]`).join(""),
    layer.source]);
}

function conflictLines(cell) {
  const own = statementsOf(cell);
  return data.conflicts.filter(({stronger, weaker}) => own.includes(stronger) && own.includes(weaker))
    .map((conflict) => make("p", {}, conflict.decided ? "Stronger source: " : "Undecided: ",
      make("span", {class: "stronger"}, record("statements", conflict.stronger).source),
      ` against ${record("statements", conflict.weaker).source} (${conflict.why})`));
}

function statementTable(cell) {
  const own = statementsOf(cell).map((index) => record("statements", index));
  if (own.length === 0) return make("p", {}, "None.");
  return table(
    ["stage", "status", "evidence", "rests on", "source", "chip", "system", "note"],
    own.map((item) => [
      item.stage, item.status ?? "", item.provenance, item.basis ?? "", item.source,
      item.chip ?? "", [item.os, item.compiler_version, item.date].filter(Boolean).join(", "),
      [item.subject, item.relative_error, item.note].filter(Boolean).join(", ")]));
}

// The command that tests a cell again.
function testCommand(op, target, route) {
  const ops = op.tested_by[route] ?? [];
  if (ops.length === 0) return "no case can test it by this route: it has no numeric reference or no spelling";
  return `anecheck run --cases 500 --ops ${ops.join(",")} --targets ${target.name} ` +
    `--route ${route} --db results.sqlite`;
}

function openCell(cell) {
  const op = data.ops[Math.floor(cell / perRow)];
  const target = data.targets[Math.floor(cell % perRow / data.routes.length)];
  const route = data.routes[cell % data.routes.length];
  const verdict = record("verdicts", data.cells.verdict[cell]);
  byId("cell-content").replaceChildren(
    make("h3", {id: "cell-title"}, `${op.name} on ${target.name}, ${route}`),
    make("p", {}, chip(stateOf(cell), kindOf(cell), flagsOf(cell)),
         ` ${stateOf(cell)} (${kindOf(cell)}); the rules: ${verdict.outcome}`),
    make("h3", {}, "Layers"),
    table(["layer", "verdict", "reason", "source"], layerRows(verdict)),
    make("h3", {}, "Statements"), statementTable(cell), ...conflictLines(cell),
    make("details", {}, make("summary", {}, "Limits of the target"),
         table(["limit", "value"], Object.entries(target.limits))),
    make("h3", {}, "Ask and test again"),
    make("pre", {}, `anecheck explain ${op.name} --target ${target.name} --route ${route}`),
    make("pre", {}, testCommand(op, target, route)));
  if (!byId("cell").open) byId("cell").showModal();
}

function drawConflicts() {
  byId("conflicts").append(...data.known_conflicts.map((conflict) => make("details", {},
    make("summary", {}, `${conflict.subject} (${conflict.targets})`),
    make("ul", {}, ...conflict.readings.map((reading) => make("li",
      {class: reading.stronger ? "stronger" : ""}, `${reading.says} [${reading.source}]`))),
    make("p", {}, conflict.why))));
  document.body.dataset.conflicts = data.known_conflicts.length;
}

function applyFilters() {
  for (const name of FILTERS) filters[name] = byId(`filter-${name}`).value;
  writeFilters();
  draw();
}

function fill(name, values) {
  byId(`filter-${name}`).append(make("option", {value: ""}, "any"),
                                ...values.map((value) => make("option", {value}, value)));
}

// `cell=OP,TARGET,ROUTE` in the address opens a cell.
function openLinked(hash) {
  const [op, target, route] = (hash.get("cell") ?? "").split(",");
  const place = [data.ops.findIndex((item) => item.name === op),
                 data.targets.findIndex((item) => item.name === target), data.routes.indexOf(route)];
  if (place.includes(-1)) return;
  openCell(place[0] * perRow + place[1] * data.routes.length + place[2]);
}

function listen() {
  listenToFilters(applyFilters);
  listenToTheme();
  byId("cells").addEventListener("click", (event) => {
    const node = event.target.closest("td");
    if (node) openCell(node.cell);
  });
  byId("cells").addEventListener("keydown", (event) => {
    const node = event.target.closest("td");
    if (!node) return;
    const opens = event.key === "Enter" || event.key === " ";
    if (opens) openCell(node.cell);
    if (opens || moveFocus(node, event.key)) event.preventDefault();
  });
  region().addEventListener("scroll", () => show());
  addEventListener("resize", () => show());
  addEventListener("beforeprint", drawForPaper);
  addEventListener("afterprint", () => byId("paper").replaceChildren());
  listenToSlash();
  addEventListener("hashchange", () => {
    const hash = readFilters();
    draw();
    openLinked(hash);
  });
}

fill("target", data.targets.map((target) => target.name));
fill("route", data.routes);
fill("state", Object.keys(STATES));
fill("kind", data.kinds);
byId("headline").textContent = `${data.ops.length} operations and native layers, ` +
  `${data.targets.length} targets, ${data.statement_count} statements`;
for (const [state, [, text]] of Object.entries(STATES)) {
  byId("legend").append(make("li", {}, chip(state, "rules", 0), ` ${state}: ${text}`));
}
for (const kind of ["silicon", "published", "reported", "simulated"]) {
  byId("legend").append(make("li", {}, chip("dispatched", kind, 0), ` edge: ${kind} evidence`));
}
const hash = readFilters();
listen();
draw();
setTimeout(() => {
  drawConflicts();
  openLinked(hash);
  document.body.dataset.ready = "true";
}, 0);
