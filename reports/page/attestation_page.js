// The matrix of what is attested against what is reached. All text goes through text nodes.
"use strict";
const data = JSON.parse(document.getElementById("matrix-data").textContent);
const byId = (id) => document.getElementById(id);
let longTasks = 0;
try {
  new PerformanceObserver((list) => {
    longTasks += list.getEntries().length;
    document.body.dataset.longTasks = longTasks;
  }).observe({entryTypes: ["longtask"]});
} catch { /* a browser without this measure still shows the page */ }

function make(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") node.className = value;
    else if (name in node) node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

const STATES = {
  "unknown": ["?", "rests on a value that no source gives"],
  "no path": ["−", "no native layer on any target"],
  "refused": ["×", "the rules refuse it here"],
  "rejected": ["R", "evidence: it was refused"],
  "decomposed": ["b", "admitted after a rewrite"],
  "attested": ["a", "the rules admit it as it is"],
  "compiled": ["c", "a compiler accepted it"],
  "dispatched": ["d", "it ran"],
  "wrong": ["✗", "it ran and its values were wrong"],
  "correct": ["✓", "it ran and its values were right"],
};
const ADMITTED = 1, REACHED = 2, CONFLICT = 4, SILICON = 8, NEW = 16;
const slug = (text) => text.replaceAll(" ", "-");

// [row, target, route, state, kind, verdict, flags, statements]
const cells = data.cells.map(([row, target, route, state, kind, verdict, flags, statements]) =>
  ({row, target, route, state, kind, verdict, flags, statements}));
const perRow = data.targets.length * data.routes.length;

const FILTERS = ["search", "target", "route", "state", "kind", "show"];
const filters = {};

const SHOWN = {
  "": () => true,
  unreached: (cell) => (cell.flags & ADMITTED) && !(cell.flags & REACHED),
  unattested: (cell) => (cell.flags & REACHED) && !(cell.flags & ADMITTED),
  conflict: (cell) => cell.flags & CONFLICT,
  silicon: (cell) => cell.flags & SILICON,
  new: (cell) => cell.flags & NEW,
};

function fits(cell) {
  return (!filters.state || cell.state === filters.state) &&
    (!filters.kind || cell.kind === filters.kind) && SHOWN[filters.show]?.(cell);
}

function chip(cell) {
  const sign = STATES[cell.state]?.[0] ?? "?";
  return make("span", {class: `chip s-${slug(cell.state)} k-${slug(cell.kind)}`},
              sign + (cell.flags & CONFLICT ? "!" : ""));
}

function columns() {
  const list = [];
  data.targets.forEach((target, t) => data.routes.forEach((route, r) => {
    if (filters.target && target.name !== filters.target) return;
    if (filters.route && route !== filters.route) return;
    list.push({target, route, offset: t * data.routes.length + r});
  }));
  return list;
}

function box(cell, column, op) {
  const node = make("td", {class: fits(cell) ? "" : "dim", tabIndex: -1, role: "gridcell"},
                    chip(cell));
  node.setAttribute("aria-label", `${op.name} on ${column.target.name}, ${column.route}: ` +
                    `${cell.state}, ${cell.kind}`);
  node.cell = cell;
  return node;
}

function head(list) {
  const names = make("tr", {}, make("th", {scope: "col"}, "operation"));
  for (const column of list) {
    const title = `${column.target.tier} ${column.target.chips}`;
    names.append(make("th", {scope: "col", title}, column.target.name,
                      data.routes.length > 1 ? make("small", {}, ` ${column.route}`) : ""));
  }
  return make("thead", {}, names);
}

// Rows are added a few at a time, so that the page answers meanwhile.
let drawing = 0;
function draw() {
  const run = ++drawing;
  const list = columns();
  const body = make("tbody");
  byId("cells").replaceChildren(head(list), body);
  const search = filters.search.toLowerCase();
  const rows = data.ops.map((op, row) => ({op, row})).filter(({op, row}) =>
    (op.name.toLowerCase().includes(search) || op.class.toLowerCase().includes(search)) &&
    list.some((column) => fits(cells[row * perRow + column.offset])));
  let next = 0, lastClass = null, shown = 0;
  document.body.dataset.drawn = "false";
  const step = () => {
    if (run !== drawing) return;
    const until = performance.now() + 12;
    while (next < rows.length && performance.now() < until) {
      const {op, row} = rows[next++];
      if (op.class !== lastClass) {
        body.append(make("tr", {class: "class-row"},
                         make("th", {scope: "rowgroup", colSpan: list.length + 1}, op.class)));
        lastClass = op.class;
      }
      const line = make("tr", {}, make("th", {scope: "row", title: op.name}, op.name));
      for (const column of list) {
        const cell = cells[row * perRow + column.offset];
        shown += fits(cell) ? 1 : 0;
        line.append(box(cell, column, op));
      }
      body.append(line);
    }
    if (next < rows.length) {
      setTimeout(step, 0);
      return;
    }
    const first = body.querySelector("td");
    if (first) first.tabIndex = 0;
    byId("count").textContent = `${rows.length} rows, ${shown} cells fit the filters`;
    Object.assign(document.body.dataset,
                  {rows: rows.length, columns: list.length, shown, drawn: "true"});
  };
  step();
}

function table(names, rows) {
  return make("div", {class: "scroll"}, make("table", {},
    make("thead", {}, make("tr", {}, ...names.map((name) => make("th", {scope: "col"}, name)))),
    make("tbody", {}, ...rows.map((row) =>
      make("tr", {}, ...row.map((text) => make("td", {class: "clip"}, text)))))));
}

function layerRows(verdict) {
  return verdict.layers.map((layer) => [
    layer.layer, layer.reached ? layer.verdict : `not reached (${layer.verdict})`,
    layer.reason + layer.others.map((other) => ` Otherwise: ${other.says} [${other.source}]`).join(""),
    layer.source]);
}

function conflictLines(cell) {
  return data.conflicts.filter((conflict) => cell.statements.includes(conflict.stronger) &&
                               cell.statements.includes(conflict.weaker))
    .map((conflict) => make("p", {}, conflict.decided ? "The stronger: " : "Open: ",
      make("span", {class: "stronger"}, data.statements[conflict.stronger].source),
      ` against ${data.statements[conflict.weaker].source} (${conflict.why})`));
}

function openCell(cell) {
  const op = data.ops[cell.row], target = data.targets[cell.target];
  const route = data.routes[cell.route], verdict = data.verdicts[cell.verdict];
  const content = byId("cell-content");
  content.replaceChildren(
    make("h3", {id: "cell-title"}, `${op.name} on ${target.name}, ${route}`),
    make("p", {}, chip(cell), ` ${cell.state} (${cell.kind}); the rules: ${verdict.outcome}`),
    make("h3", {}, "Layers"),
    table(["layer", "verdict", "reason", "source"], layerRows(verdict)),
    make("h3", {}, "Statements"));
  const statements = cell.statements.map((index) => data.statements[index]);
  content.append(statements.length === 0 ? make("p", {}, "None.") : table(
    ["stage", "status", "evidence", "rests on", "source", "chip", "system", "note"],
    statements.map((item) => [
      item.stage, item.status ?? "", item.provenance, item.basis ?? "", item.source,
      item.chip ?? "", [item.os, item.compiler_version, item.date].filter(Boolean).join(", "),
      [item.subject, item.relative_error, item.note].filter(Boolean).join(", ")])));
  content.append(...conflictLines(cell));
  content.append(make("details", {}, make("summary", {}, "Limits of the target"),
                      table(["limit", "value"], Object.entries(target.limits))));
  content.append(make("h3", {}, "Ask and test again"),
    make("pre", {}, `anecheck explain ${op.name} --target ${target.name} --route ${route}`),
    make("pre", {}, op.native ? "native layers are tested by direct authoring" :
      `anecheck run --cases 500 --ops ${op.name} --targets ${target.name} --route ${route} ` +
      "--db results.sqlite"));
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

function moveFocus(from, key) {
  const row = from.parentElement;
  const column = [...row.children].indexOf(from);
  const step = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
                Home: [0, 1 - column], End: [0, row.children.length - 1 - column]}[key];
  if (!step) return false;
  let line = row;
  if (step[0] !== 0) {
    do line = step[0] > 0 ? line.nextElementSibling : line.previousElementSibling;
    while (line && !line.querySelector("td"));
  }
  const next = line?.children[column + step[1]];
  if (next?.tagName === "TD") {
    from.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
  return true;
}

// The filters live in the address, so that a view can be linked.
function readAddress() {
  const hash = new URLSearchParams(location.hash.slice(1));
  for (const name of FILTERS) {
    filters[name] = hash.get(name) ?? "";
    byId(`filter-${name}`).value = filters[name];
  }
  return hash;
}

function applyFilters() {
  const hash = new URLSearchParams();
  for (const name of FILTERS) {
    filters[name] = byId(`filter-${name}`).value;
    if (filters[name]) hash.set(name, filters[name]);
  }
  history.replaceState(null, "", `#${hash}`);
  draw();
}

function fill(name, values) {
  byId(`filter-${name}`).append(make("option", {value: ""}, "any"),
                                ...values.map((value) => make("option", {value}, value)));
}

// `cell=OP,TARGET,ROUTE` in the address opens a cell.
function openLinked(hash) {
  const [op, target, route] = (hash.get("cell") ?? "").split(",");
  const cell = cells.find((item) => data.ops[item.row].name === op &&
    data.targets[item.target].name === target && data.routes[item.route] === route);
  if (cell) openCell(cell);
}

function listen() {
  let pending = 0;
  byId("filter-search").addEventListener("input", () => {
    clearTimeout(pending);
    pending = setTimeout(applyFilters, 120);
  });
  for (const name of FILTERS.slice(1)) {
    byId(`filter-${name}`).addEventListener("change", applyFilters);
  }
  byId("filter-clear").addEventListener("click", () => {
    for (const name of FILTERS) byId(`filter-${name}`).value = "";
    applyFilters();
  });
  byId("theme").addEventListener("click", () => {
    const dark = document.documentElement.dataset.theme === "dark" ||
      (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
    document.documentElement.dataset.theme = dark ? "light" : "dark";
  });
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
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches?.("input, select, textarea");
    if (event.key === "/" && !typing && !byId("cell").open) {
      byId("filter-search").focus();
      event.preventDefault();
    }
  });
  addEventListener("hashchange", () => {
    const hash = readAddress();
    draw();
    openLinked(hash);
  });
}

fill("target", data.targets.map((target) => target.name));
fill("route", data.routes);
fill("state", Object.keys(STATES));
fill("kind", [...new Set(cells.map((cell) => cell.kind))]);
byId("headline").textContent = `${data.ops.length} operations and native layers, ` +
  `${data.targets.length} targets, ${data.statements.length} statements`;
for (const [state, [, text]] of Object.entries(STATES)) {
  byId("legend").append(make("li", {}, chip({state, kind: "rules", flags: 0}), ` ${state}: ${text}`));
}
for (const kind of ["silicon", "published", "reported", "simulated"]) {
  byId("legend").append(make("li", {}, chip({state: "dispatched", kind, flags: 0}),
                             ` edge: ${kind} evidence`));
}
const hash = readAddress();
drawConflicts();
draw();
openLinked(hash);
listen();
document.body.dataset.ready = "true";
