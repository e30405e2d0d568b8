// The table of the matrix. Only the cells in view are in the document; empty space stands for the
// others, so that the page responds at once whatever its size. Printing draws all cells.
const data = JSON.parse(document.getElementById("matrix-data").textContent);

const STATES = {
  "unknown": ["?", "depends on a value that no source states"],
  "sources disagree": ["≠", "equally strong evidence says that it was reached and that it was not"],
  "no path": ["−", "no native layer on any target"],
  "refused": ["×", "the rules refuse it here"],
  "rejected": ["R", "evidence: it was refused"],
  "decomposed": ["b", "admitted after a rewrite"],
  "attested": ["a", "the rules admit it as it is"],
  "compiled": ["c", "a compiler accepted it"],
  "planned": ["p", "a planner announced the engine for it; nothing ran"],
  "dispatched": ["d", "it ran"],
  "failed": ["!", "it was tried and crashed or hung"],
  "wrong": ["✗", "it ran and its values were wrong"],
  "known-defect": ["K", "it ran and showed a documented defect"],
  "unconfirmed": ["~", "it ran, and its values rest on an unmeasured term or a single element"],
  "correct": ["✓", "it ran and its values were right"],
};
const ADMITTED = 1, REACHED = 2, CONFLICT = 4, SILICON = 8, NEW = 16;
const slug = (text) => text.replaceAll(" ", "-");

// A cell is a number: (row * targets + target) * routes + route.
const perRow = data.targets.length * data.routes.length;
const flagsOf = (cell) => data.cells.flags[cell];
const stateOf = (cell) => data.states[data.cells.state[cell]];
const kindOf = (cell) => data.kinds[data.cells.kind[cell]];

const FILTERS = ["search", "target", "route", "state", "kind", "show"];
const filters = {};

const SHOWN = {
  "": () => true,
  unreached: (cell) => (flagsOf(cell) & ADMITTED) && !(flagsOf(cell) & REACHED),
  unattested: (cell) => (flagsOf(cell) & REACHED) && !(flagsOf(cell) & ADMITTED),
  conflict: (cell) => flagsOf(cell) & CONFLICT,
  silicon: (cell) => flagsOf(cell) & SILICON,
  new: (cell) => flagsOf(cell) & NEW,
};

function fits(cell) {
  return (!filters.state || stateOf(cell) === filters.state) &&
    (!filters.kind || kindOf(cell) === filters.kind) && Boolean(SHOWN[filters.show]?.(cell));
}

const look = (state, kind) => `s-${slug(state)} k-${slug(kind)}`;
const sign = (state, flags) => (STATES[state]?.[0] ?? "?") + (flags & CONFLICT ? "!" : "");

function chip(state, kind, flags) {
  return make("span", {class: `chip ${look(state, kind)}`}, sign(state, flags));
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

// The drawn part. `lines` are operations (numbers) and names of classes; `columns` and `places`
// (the line of each operation) follow from the filters. `window` bounds the lines and columns that
// are in the document; `row` and `column` are the cell with the keyboard focus. Sizes in CSS pixels.
const grid = {lines: [], columns: [], places: [], height: 34, width: 56, window: [], row: 0,
              column: 0};
const region = () => byId("cells").parentElement;

function head(list) {
  const names = make("tr", {}, make("th", {scope: "col"}, "operation"));
  for (const {target, route} of list) {
    const title = `${target.tier} ${target.chips}` + (target.simulated ? "" : ": not simulated");
    names.append(make("th", {scope: "col", title}, target.name + (target.simulated ? "" : "*"),
                      data.routes.length > 1 ? make("small", {}, route) : ""));
  }
  return make("thead", {}, names);
}

function box(cell, column, op, place, index) {
  const node = document.createElement("td");
  node.className = look(stateOf(cell), kindOf(cell)) + (fits(cell) ? "" : " dim");
  node.textContent = sign(stateOf(cell), flagsOf(cell));
  node.tabIndex = -1;
  node.role = "gridcell";
  node.setAttribute("aria-label", `${op.name} on ${column.target.name}, ${column.route}: ` +
                    `${stateOf(cell)}, ${kindOf(cell)}`);
  node.setAttribute("aria-colindex", index + 2);
  Object.assign(node, {cell, place, column: index});
  if (place === grid.row && index === grid.column) node.tabIndex = 0;
  return node;
}

function classLine(name, span) {
  return make("tr", {class: "class-row"}, make("th", {scope: "rowgroup", colSpan: span},
                                              make("span", {}, name)));
}

const gap = (columns) => columns > 0 ? [make("th", {class: "gap", colSpan: columns})] : [];

function opLine(row, place, list, from = 0, to = list.length) {
  const op = data.ops[row];
  const boxes = list.slice(from, to).map((column, index) =>
    box(row * perRow + column.offset, column, op, place, from + index));
  return make("tr", {}, make("th", {scope: "row", title: op.name}, op.name), ...gap(from), ...boxes,
              ...gap(list.length - to));
}

function lineNode(at, from, to) {
  const line = grid.lines[at];
  const node = typeof line === "string" ? classLine(line, grid.columns.length + 1) :
    opLine(line, grid.places.indexOf(at), grid.columns, from, to);
  node.setAttribute("aria-rowindex", at + 2);
  return Object.assign(node, {line: at, bounds: `${from} ${to}`});
}

function space(lines) {
  return make("tr", {class: "space", "aria-hidden": "true"},
              make("th", {style: `height: ${lines * grid.height}px`}));
}

// The range of `all` that a view of `size` at `at` shows, rounded to steps, with one more step on each
// side, so that a short scroll draws nothing.
function span(at, size, unit, all) {
  const step = 4;
  return [Math.max(0, Math.floor(at / unit / step) - 1) * step,
          Math.min(all, (Math.ceil((at + size) / unit / step) + 1) * step)];
}

function wantedWindow() {
  const view = region();
  return [...span(view.scrollTop, view.clientHeight || 600, grid.height, grid.lines.length),
          ...span(view.scrollLeft, view.clientWidth || 600, grid.width, grid.columns.length)];
}

// Adds the cells in view to the document, a few lines at a time, and lays out each part, so that the
// page stays responsive. On return, the line `urgent` is in the document.
let drawing = 0;
function show(urgent = -1) {
  const wanted = wantedWindow();
  if (wanted.every((bound, i) => bound === grid.window[i])) return;
  const run = ++drawing;
  const [from, to, left, right] = wanted;
  const body = byId("cells").tBodies[0];
  const bounds = `${left} ${right}`;
  const inView = (node) => node.line >= from && node.line < to;
  const focus = document.activeElement, focused = focus.parentElement;
  if (body.contains(focus) && !(inView(focused) && focused.bounds === bounds)) {
    region().focus({preventScroll: true});
  }
  // Lines with old columns stay until their replacements are drawn.
  const nodes = new Map([...body.children].filter(inView).map((node) => [node.line, node]));
  grid.window = wanted;
  document.body.dataset.drawn = "false";
  if (urgent >= from && urgent < to && nodes.get(urgent)?.bounds !== bounds) {
    nodes.set(urgent, lineNode(urgent, left, right));
  }
  let next = from;
  const step = () => {
    if (run !== drawing) return;
    const until = performance.now() + 5;
    for (let fresh = 0; next < to && fresh < 5 && performance.now() < until; ++next) {
      if (nodes.get(next)?.bounds === bounds) continue;
      nodes.set(next, lineNode(next, left, right));
      ++fresh;
    }
    put(body, [...nodes].sort((a, b) => a[0] - b[0]).map(([, node]) => node), grid.lines.length);
    if (!measure(body)) return;
    if (next < to) {
      setTimeout(step, 0);
      return;
    }
    const stop = body.querySelector('td[tabindex="0"]') ?? body.querySelector("td");
    if (stop) stop.tabIndex = 0;
    document.body.dataset.drawn = "true";
  };
  step();
}

// Makes `nodes`, in order, the lines of the document, with the space of all other lines around them.
// Nodes that are already in place are not moved.
function put(body, nodes, all) {
  const stay = new Set(nodes);
  for (const node of [...body.children]) if (!stay.has(node)) node.remove();
  let behind = null, line = 0;
  for (const node of nodes) {
    const lead = node.line > line ? [space(node.line - line)] : [];
    if (node.parentElement === body) node.before(...lead);
    else if (behind === null) body.prepend(...lead, node);
    else behind.after(...lead, node);
    behind = node;
    line = node.line + 1;
  }
  body.append(space(all - line));
}

// If text is larger than expected, adjusts the spaces and returns false.
function measure(body) {
  const {width = 0, height = 0} = body.querySelector("td")?.getBoundingClientRect() ?? {};
  if (height === 0 || (Math.abs(height - grid.height) < 0.5 && Math.abs(width - grid.width) < 0.5)) {
    return true;
  }
  Object.assign(grid, {height, width, window: []});
  show();
  return false;
}

// The lines and columns that match the filters.
function draw() {
  const list = columns();
  const search = filters.search.toLowerCase();
  const lines = [], places = [];
  let lastClass = null, shown = 0;
  data.ops.forEach((op, row) => {
    if (!op.name.toLowerCase().includes(search) && !op.class.toLowerCase().includes(search)) return;
    const fitting = list.filter((column) => fits(row * perRow + column.offset)).length;
    if (fitting === 0) return;
    shown += fitting;
    if (op.class !== lastClass) lines.push(lastClass = op.class);
    places.push(lines.length);
    lines.push(row);
  });
  Object.assign(grid, {lines, places, columns: list, window: [], row: 0, column: 0});
  const table = byId("cells");
  table.replaceChildren(make("colgroup", {}, make("col", {class: "names"}),
                             make("col", {span: Math.max(list.length, 1)})),
                        head(list), make("tbody"));
  table.style.setProperty("--columns", list.length);
  table.setAttribute("aria-rowcount", lines.length + 1);
  table.setAttribute("aria-colcount", list.length + 1);
  byId("count").textContent = `${places.length} rows, ${shown} cells fit the filters`;
  Object.assign(document.body.dataset,
                {rows: places.length, columns: list.length, shown, drawn: "false"});
  region().scrollTo(0, 0);
  show();
}

// Moves the keyboard focus to another cell. Returns true if the key is one that moves it.
function moveFocus(from, key) {
  const step = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0],
                PageUp: [-10, 0], PageDown: [10, 0], Home: [0, -Infinity], End: [0, Infinity]}[key];
  if (!step) return false;
  const within = (value, count) => Math.max(0, Math.min(count - 1, value));
  grid.row = within(from.place + step[0], grid.places.length);
  grid.column = within(from.column + step[1], grid.columns.length);
  from.tabIndex = -1;
  const line = grid.places[grid.row], view = region();
  const [first, last, left, right] = grid.window;
  if (line < first || line >= last) view.scrollTop = (line - 4) * grid.height;
  if (grid.column < left || grid.column >= right) view.scrollLeft = (grid.column - 2) * grid.width;
  show(line);
  const node = [...byId("cells").tBodies[0].children].find((item) => item.line === line);
  const target = [...(node?.children ?? [])].find((item) => item.column === grid.column);
  if (!target) return true;
  target.tabIndex = 0;
  target.focus({preventScroll: true});
  target.scrollIntoView({block: "nearest", inline: "nearest"});
  return true;
}

// Prints all lines, a few columns at a time; each part repeats the names.
const PAPER_COLUMNS = 14;
function drawForPaper() {
  const parts = [];
  for (let first = 0; first < grid.columns.length; first += PAPER_COLUMNS) {
    const list = grid.columns.slice(first, first + PAPER_COLUMNS);
    parts.push(make("table", {}, head(list), make("tbody", {}, ...grid.lines.map((line) =>
      typeof line === "string" ? classLine(line, list.length + 1) : opLine(line, -1, list)))));
  }
  byId("paper").replaceChildren(...parts);
}
