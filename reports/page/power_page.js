// The measurement of power.
const data = JSON.parse(document.getElementById("power-data").textContent);

const percent = (share) => `${+(share * 100).toFixed(1)} %`;
const orDash = (value) => value === null || value === "" ? "–" : String(value);
const units = (value) => value === null ? "more than 64" : String(value);

function fillTable(table, heads, rows) {
  const head = make("tr", {}, ...heads.map((text) => make("th", {scope: "col"}, text)));
  const body = rows.map(([first, ...rest]) => make("tr", {},
    make("th", {scope: "row"}, first), ...rest.map((text) => make("td", {}, text))));
  table.replaceChildren(make("thead", {}, head), make("tbody", {}, ...body));
}

const FILTERS = ["search", "group", "kind", "found"];
const filters = {};

function fits(fault) {
  const text = `${fault.id} ${fault.op} ${fault.class} ${fault.description}`.toLowerCase();
  return text.includes(filters.search.toLowerCase()) &&
    (!filters.group || fault.group === filters.group) &&
    (!filters.kind || fault.kind === filters.kind) &&
    (!filters.found || fault.found === (filters.found === "yes"));
}

function how(fault) {
  if (!fault.found) return fault.reason;
  return [fault.by, fault.verdict, fault.found_op, fault.label, fault.target]
    .filter((part) => part !== "").join(", ");
}

function foundText(fault) {
  if (!fault.acts) return "–";
  if (fault.unconfirmed) return "✗ unconfirmed only";
  return fault.found ? "✓ found" : "✗ not found";
}

function drawFaults() {
  const shown = data.faults.filter(fits);
  fillTable(byId("faults"),
    ["Defect", "Way", "Kind", "Operation", "Found", "Cases", "Seconds", "Nodes", "Elements", "How, or why not", "Effect"],
    shown.map((fault) => [fault.id, fault.way, fault.kind, orDash(fault.op), foundText(fault),
      fault.cases, fault.seconds.toFixed(2), orDash(fault.reproducer_nodes),
      orDash(fault.reproducer_elements), how(fault), fault.description]));
  byId("count").textContent = `${shown.length} of ${data.faults.length} defects`;
  document.body.dataset.faults = shown.length;
}

function drawFigures() {
  const {planted, planted_found, known, known_found, median_nodes, median_elements} = data.summary;
  const {found_by_campaign, found_by_probe, not_shrunk} = data.summary;
  const figures = [
    ["Planted faults found", `${planted_found} of ${planted}`],
    ["Known defects found", `${known_found} of ${known}`],
    ["Found by", `campaigns: ${orDash(found_by_campaign)}, probes: ${orDash(found_by_probe)}`],
    ...data.ways.map((row) => [`Exit code 1, ${row.way}`, `${row.planted_found} of ${row.planted} planted faults, ` +
      `the right operation named for ${row.named} of ${row.of_one_op}`]),
    ["False findings", data.false_findings],
    ["Median reproducer", `nodes: ${orDash(median_nodes)}, elements: ${orDash(median_elements)}` +
      (not_shrunk ? `, without ${not_shrunk} that could not be made small` : "")],
  ];
  byId("figures").replaceChildren(...figures.map(([name, value]) =>
    make("div", {}, make("dt", {}, name), make("dd", {}, String(value)))));
  byId("headline").textContent = `Seed ${data.seed}, at most ${data.cases} cases for each defect, ` +
    `targets ${data.targets.join(", ")}, ${data.engine}` +
    (data.interrupted ? "; interrupted before its end" : "");
}

function drawMagnitudes() {
  const shares = [...new Set(data.classes.map((row) => row.share))].sort((a, b) => b - a);
  const table = (rows, key, cell) => [...new Set(rows.map(key))].map((name) => [name,
    ...shares.map((share) => {
      const row = rows.find((one) => key(one) === name && one.share === share);
      return row ? cell(row) : "–";
    })]);
  // Names the freedoms of the oracle because of which no smaller error is found, over the
  // operations in which an error of one unit was not found.
  const withWhy = (lines, rows, key) => lines.map(([name, ...cells]) => [name, ...cells,
    [...new Set(rows.filter((row) => key(row) === name && row.ulps !== 1)
      .flatMap((row) => row.freedoms))].join(", ").replaceAll("_", " ") || "–"]);
  const byClass = (row) => row.class, byOp = (row) => row.op;
  fillTable(byId("classes"), ["Class", ...shares.map(percent), "Why not smaller"],
    withWhy(table(data.classes, byClass,
      (row) => `${units(row.ulps)}; 1 in ${row.one_ulp_ops} of ${row.ops}`), data.classes, byClass));
  fillTable(byId("operations"), ["Operation", ...shares.map(percent), "Why not smaller"],
    withWhy(table(data.magnitudes, byOp, (row) => units(row.ulps)), data.magnitudes, byOp));
  document.body.dataset.classes = byId("classes").tBodies[0].rows.length;
  document.body.dataset.operations = byId("operations").tBodies[0].rows.length;
}

function drawClean() {
  fillTable(byId("clean"),
    ["Target", "Documented defects", "Cases", "Inconclusive", "False findings", "Seconds", "First"],
    data.clean.map((row) => [row.target, row.quirks === "off" ? "off" : "the family's own",
      row.cases, row.inconclusive, row.false_findings, row.seconds.toFixed(1), orDash(row.first)]));
  document.body.dataset.clean = data.clean.length;
}

function fillChoices(name, values) {
  byId(`filter-${name}`).replaceChildren(make("option", {value: ""}, "all"),
    ...[...new Set(values)].sort().map((value) => make("option", {value}, value)));
}

fillChoices("group", data.faults.map((fault) => fault.group));
fillChoices("kind", data.faults.map((fault) => fault.kind));
for (const name of FILTERS) {
  byId(`filter-${name}`).addEventListener("input", (event) => {
    filters[name] = event.target.value;
    writeFilters();
    drawFaults();
  });
}
byId("filter-clear").addEventListener("click", () => {
  history.replaceState(null, "", "#");
  readFilters();
  drawFaults();
});
addEventListener("hashchange", () => { readFilters(); drawFaults(); });
readFilters();
drawFigures();
drawFaults();
drawMagnitudes();
drawClean();
document.body.dataset.ready = "true";
