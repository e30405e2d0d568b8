// The page's data, its filters and the summary.
const report = JSON.parse(document.getElementById("report-data").textContent);

const count = (number) => Number(number).toLocaleString("en");

// "1 case", "2 cases".
const counted = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

// Signs and descriptions of the states of a cell, least informative first.
const STATES = {
  "unknown": ["?", "the rules depend on a value that no source states"],
  "sources_disagree": ["≠", "equally strong evidence says that it was reached and that it was not"],
  "no_path": ["−", "the rules know no way on any target"],
  "refused": ["×", "the rules refuse it"],
  "catalogued": ["·", "in the table of operations"],
  "decomposed": ["b", "the rules admit it after a rewrite"],
  "attested": ["a", "the rules admit it as it is"],
  "rejected": ["R", "the compiler refused it"],
  "compiled": ["c", "a compiler accepted it"],
  "planned": ["p", "a planner announced the engine for it; nothing ran"],
  "dispatched": ["d", "ran on the engine, with proof"],
  "correct": ["✓", "outputs inside the oracle's intervals"],
  "unconfirmed": ["?", "a deviation that rests on an unmeasured term or a single element"],
  "known-defect": ["K", "a documented defect was seen"],
  "failed": ["!", "a new finding names it, but not for wrong values"],
  "wrong": ["✗", "a new finding reports wrong values"],
};
const STATE_NAMES = Object.keys(STATES);

// Marks of the kinds of evidence, weakest first. Silicon has no mark and is the strongest kind.
const EVIDENCE = {"roundtrip": "t", "simulated": "s", "reported": "r", "silicon": ""};
const EVIDENCE_NAMES = Object.keys(EVIDENCE);
const evidenceText = (name) => name === "simulated" ? "SIMULATED" : name;

// `evidence` is the kind of evidence for the state; empty if the rules decide it.
function stateChip(state, evidence) {
  const chip = make("span", {class: `chip s-${state}${evidence === "simulated" ? " sim" : ""}`});
  chip.append(STATES[state][0]);
  if (EVIDENCE[evidence]) chip.append(make("sup", {}, EVIDENCE[evidence]));
  return chip;
}

const FILTERS = ["search", "target", "state", "evidence", "route"];
const filters = {search: "", target: "", state: "", evidence: "", route: "", all: false};

function readAddress() {
  filters.all = readFilters().get("all") === "1";
  byId("filter-all").checked = filters.all;
}

function takeFilters() {
  for (const name of FILTERS) filters[name] = byId(`filter-${name}`).value;
  filters.all = byId("filter-all").checked;
  writeFilters(filters.all ? {all: "1"} : {});
}

const matchesSearch = (...texts) =>
  texts.some((text) => text.toLowerCase().includes(filters.search.toLowerCase()));

function fillSelect(name, values) {
  const select = byId(`filter-${name}`);
  select.append(make("option", {value: ""}, "any"));
  for (const value of values) select.append(make("option", {value}, value || "(none)"));
}

const distinct = (values) => [...new Set(values)];

function drawSummary() {
  const summary = report.summary;
  byId("headline").append(
    `${counted(summary.cases, "case")} in ${counted(report.runs.length, "run")}, written by ` +
    `version ${report.tool_version}`);
  byId("simulated").hidden = !report.simulated;
  const figures = [["cases", summary.cases], ["new findings", summary.findings],
                   ["unconfirmed deviations", summary.unconfirmed],
                   ["known defects", summary.known_defects]];
  for (const [verdict, cases] of Object.entries(summary.verdicts)) {
    figures.push([`cases: ${verdict}`, cases]);
  }
  for (const [name, value] of figures) {
    byId("figures").append(make("div", {}, make("dt", {}, name), make("dd", {}, count(value))));
  }
  drawRuns();
  drawProbes();
}

// Every measurement, those that need attention first. The section is hidden if there are none.
function drawProbes() {
  const standings = ["as published", "otherwise", "unmeasured", "nothing published"];
  const columns = ["probe", "target", "provenance", "measured", "published", "standing", "message"];
  const head = make("tr", {}, ...columns.map((name) => make("th", {scope: "col"}, name)));
  const rows = report.probes.map((probe) => make(
    "tr", {class: probe.standing === "otherwise" ? "outside" : ""}, ...columns.map((name) => make(
      "td", {class: "clip"},
      name === "provenance" ? evidenceText(probe[name]) : probe[name]))));
  byId("probes").hidden = rows.length === 0;
  byId("probes-count").textContent = standings.map((standing) => {
    const probes = report.probes.filter((probe) => probe.standing === standing);
    return `${count(probes.length)} ${standing}`;
  }).join(", ");
  byId("probe-table").append(make("thead", {}, head), make("tbody", {}, ...rows));
  document.body.dataset.probes = rows.length;
}

function drawRuns() {
  const columns = [
    ["run", (run) => run.name],
    ["evidence", (run) => run.provenance === "simulated" ? "SIMULATED" : run.provenance],
    ["engine", (run) => run.engine], ["chip", (run) => run.chip],
    ["compiler", (run) => run.compiler_version], ["system", (run) => run.os],
    ["host", (run) => run.host], ["runner", (run) => run.runner],
    ["cases", (run) => count(run.cases)], ["seed", (run) => run.seed],
    ["state", (run) => run.state], ["started", (run) => run.started],
    ["finished", (run) => run.finished], ["tool", (run) => run.tool_version],
    ["libraries", (run) => Object.entries(run.libraries).map((pair) => pair.join(" ")).join(", ")],
    ["file", (run) => run.db], ["command", (run) => run.command]];
  const head = make("tr", {}, ...columns.map(([name]) => make("th", {scope: "col"}, name)));
  const rows = report.runs.map((run) => make("tr", {}, ...columns.map(
    ([, text]) => make("td", {class: "clip"}, text(run)))));
  byId("runs").append(make("thead", {}, head), make("tbody", {}, ...rows));
}

// A command with a button that copies it, if the browser allows it.
function commandLine(text) {
  const line = make("div", {class: "command"}, make("pre", {}, text));
  if (navigator.clipboard) {
    const copy = make("button", {type: "button"}, "Copy");
    copy.addEventListener("click", () => {
      navigator.clipboard.writeText(text).then(() => { copy.textContent = "Copied"; }, () => {});
    });
    line.append(copy);
  }
  return line;
}
