// The page of trends: runs in order of time, growth, changes, dates of findings, and sizes of
// errors.

// The number of figures drawn before `all operations` is checked.
const FEW = 12;

const runName = (index) => `#${index + 1}`;
const evidenceName = (name) => name === "simulated" ? "SIMULATED" : name;
const runFits = (run) => !filters.evidence || run.provenance === filters.evidence;
const runText = (index) => {
  const run = report.runs[index];
  return `${runName(index)} ${run.started.slice(0, 10)} ` +
    (run.label || run.compiler_version || run.engine);
};

function drawRunTable() {
  const columns = [["run", (run, index) => runName(index)], ["label", (run) => run.label ?? ""],
    ["kind", (run) => run.kind],
    ["started", (run) => run.started], ["evidence", (run) => evidenceName(run.provenance)],
    ["chip", (run) => run.chip], ["engine", (run) => run.engine],
    ["compiler", (run) => run.compiler_version], ["system", (run) => run.os],
    ["tool", (run) => run.tool_version],
    ["shards", (run) => run.shards > 1 ? count(run.shards) : ""],
    ["cases", (run) => run.cases === undefined ? "" : count(run.cases)],
    ["reached", (run) => run.reached === undefined ? "" : count(run.reached)],
    ["correct", (run) => run.correct === undefined ? "" : count(run.correct)],
    ["file", (run) => run.file]];
  const rows = report.runs.map((run, index) => [run, index]).filter(([run]) => runFits(run));
  byId("run-table").replaceChildren(
    make("thead", {}, make("tr", {}, ...columns.map(([name]) => make("th", {scope: "col"}, name)))),
    make("tbody", {}, ...rows.map(([run, index]) => make("tr", {}, ...columns.map(
      ([, text]) => make("td", {class: "clip"}, text(run, index)))))));
  document.body.dataset.runs = rows.length;
}

function drawGrowth() {
  const kinds = distinct(report.runs.filter((run) => run.kind === "campaign" && runFits(run))
    .map((run) => run.provenance));
  const figures = kinds.map((kind) => {
    const runs = report.runs.map((run, index) => ({run, index}))
      .filter(({run}) => run.kind === "campaign" && run.provenance === kind);
    const xs = runs.map(({index}) => index);
    const line = (name) => runs.map(({run, index}) => [index, run[name]]);
    const top = Math.max(1, ...runs.map(({run}) => run.all_reached));
    return make("figure", {}, make("figcaption", {}, make("strong", {}, "cells of the matrix"),
        make("span", {}, evidenceName(kind))),
      seriesKey(["reached so far", "correct so far", "reached by the run"]),
      drawLines([line("all_reached"), line("all_correct"), line("reached")], xs, runName, top,
                (y) => count(Math.round(y))),
      dataTable(["run", "reached so far", "correct so far", "reached", "correct"],
        runs.map(({run, index}) => [runText(index), run.all_reached, run.all_correct, run.reached,
                                    run.correct])));
  });
  byId("growth-plots").replaceChildren(...figures, ...cellFigures(kinds), ...growthFigures());
  document.body.dataset.growth = figures.length;
}

function cellFigures(kinds) {
  return kinds.map((kind) => {
    const runs = report.runs.map((run, index) => ({run, index}))
      .filter(({run}) => run.kind === "campaign" && run.provenance === kind);
    const line = (name) => runs.map(({run, index}) => [index, run[name]]);
    const top = Math.max(1, ...runs.map(({run}) => run.all_cells));
    return make("figure", {}, make("figcaption", {}, make("strong", {}, "cells of coverage"),
        make("span", {}, evidenceName(kind))),
      seriesKey(["met so far", "met by the run"]),
      drawLines([line("all_cells"), line("cells")], runs.map(({index}) => index), runName, top,
                (y) => count(Math.round(y))),
      dataTable(["run", "met so far", "met by the run"],
        runs.map(({run, index}) => [runText(index), run.all_cells, run.cells])));
  });
}

// A few runs that can be told apart in one picture: the first and the latest.
const fewRuns = (runs) => runs.length <= 4 ? runs : [runs[0], ...runs.slice(-3)];

// The cells that runs had met by number of cases, on a logarithmic axis.
function growthFigures() {
  const runs = fewRuns(report.runs.map((run, index) => ({run, index}))
    .filter(({run}) => run.kind === "campaign" && runFits(run) && run.growth.length > 0));
  if (runs.length === 0) return [];
  const most = Math.max(...runs.map(({run}) => run.growth.at(-1).cases));
  const ticks = [];
  for (let at = 1; at <= most; at *= 4) ticks.push(at);
  const place = (cases) => most > 1 ? Math.log(cases) / Math.log(most) : 0.5;
  return [["cells", "cells of coverage by cases"], ["findings", "defects found by cases"]]
    .map(([name, title]) => {
      const series = runs.map(({run}) => run.growth.map((point) => [point.cases, point[name]]));
      const top = Math.max(1, ...series.flat().map(([, y]) => y));
      return make("figure", {class: name}, make("figcaption", {}, make("strong", {}, title)),
        seriesKey(runs.map(({index}) => runText(index))),
        drawLines(series, ticks, shortCount, top, (y) => count(Math.round(y)), place),
        dataTable(["run", "cases", "seconds", name], runs.flatMap(({run, index}) => run.growth.map(
          (point) => [runText(index), point.cases, duration(point.seconds), point[name]]))));
    });
}

function drawChanges() {
  const fits = report.changes.filter((change) =>
    (!filters.target || change.target === filters.target) &&
    (!filters.route || change.route === filters.route) &&
    (!filters.evidence || change.provenance === filters.evidence) &&
    (!filters.state || change.before === filters.state || change.after === filters.state) &&
    matchesSearch(change.op, change.before, change.after));
  const columns = ["run", "operation", "target", "route", "evidence", "before", "after", "compared with"];
  const chip = (change, state) => {
    const cell = make("td", {}, stateChip(state, change.provenance));
    cell.append(` ${state}`);
    return cell;
  };
  byId("change-table").replaceChildren(
    make("thead", {}, make("tr", {}, ...columns.map((name) => make("th", {scope: "col"}, name)))),
    make("tbody", {}, ...fits.map((change) => make("tr", {}, make("td", {class: "when"}, runText(change.run)),
      make("td", {class: "op"}, change.op), make("td", {}, change.target),
      make("td", {}, change.route), make("td", {}, evidenceName(change.provenance)),
      chip(change, change.before), chip(change, change.after),
      make("td", {}, runName(change.previous))))));
  byId("changes-count").textContent =
    `${counted(fits.length, "cell")} of ${count(report.changes.length)} that changed`;
  document.body.dataset.changes = fits.length;
}

const duration = (seconds) => seconds === null ? ""
  : seconds < 120 ? `${seconds.toFixed(1)} s` : `${(seconds / 60).toFixed(1)} min`;

function drawTimes() {
  const fits = report.findings.filter((item) =>
    (!filters.target || item.target === filters.target) &&
    (!filters.evidence || item.provenance === filters.evidence) &&
    matchesSearch(item.op, item.known_defect, item.summary, item.verdict));
  const rows = fits.flatMap((item) => item.seen.map((seen, at) => make("tr", {},
    make("td", {class: "op"}, at === 0 ? item.op || "(case)" : ""),
    make("td", {}, at === 0 ? item.target : ""),
    make("td", {}, at === 0 ? `${item.verdict} ${item.known_defect}` : ""),
    make("td", {}, evidenceName(item.provenance)),
    make("td", {class: "when"}, runText(seen.run)),
    make("td", {class: "number"}, count(seen.case + 1)),
    make("td", {class: "number"}, duration(seen.seconds)),
    make("td", {class: "clip"}, at === 0 ? item.summary : ""))));
  const columns = ["operation", "target", "defect", "evidence", "run", "cases", "time", "summary"];
  drawTimePlot(fits);
  byId("time-table").replaceChildren(
    make("thead", {}, make("tr", {}, ...columns.map((name) => make("th", {scope: "col"}, name)))),
    make("tbody", {}, ...rows));
  document.body.dataset.times = rows.length;
}

// The times at which each run met its first defect, half of its defects and its last.
function drawTimePlot(fits) {
  const times = new Map();
  for (const {run, seconds} of fits.flatMap((item) => item.seen)) {
    if (seconds !== null) times.set(run, [...(times.get(run) ?? []), seconds]);
  }
  const runs = [...times].sort(([a], [b]) => a - b)
    .map(([run, list]) => [run, list.sort((a, b) => a - b)]);
  const series = [(list) => list[0], (list) => list[(list.length - 1) >> 1], (list) => list.at(-1)]
    .map((pick) => runs.map(([run, list]) => [run, pick(list)]));
  const names = ["first", "half of them", "last"];
  const figures = runs.length === 0 ? [] : [make("figure", {},
    make("figcaption", {}, make("strong", {}, "time until the defects of a run were met")),
    seriesKey(names),
    drawLines(series, runs.map(([run]) => run), runName, Math.max(0.1, ...series[2].map(([, y]) => y)),
              duration),
    dataTable(["run", "defects", ...names], runs.map(([run, list], at) =>
      [runText(run), list.length, ...series.map((points) => duration(points[at][1]))])))];
  byId("time-plots").replaceChildren(...figures);
}

// The errors of each operation and kind of evidence: the measurements of each run, over its
// targets.
function errorsByOperation() {
  const sums = new Map();
  for (const item of report.errors) {
    const run = report.runs[item.run];
    if (!runFits(run) || (filters.target && item.target !== filters.target)) continue;
    if (!matchesSearch(item.op)) continue;
    const key = `${item.op}\n${run.provenance}`;
    if (!sums.has(key)) sums.set(key, {op: item.op, provenance: run.provenance, runs: new Map()});
    const runs = sums.get(key).runs;
    const sum = runs.get(item.run) ?? {histogram: item.histogram.map(() => 0), magnitudes: new Map()};
    item.histogram.forEach((elements, bucket) => { sum.histogram[bucket] += elements; });
    for (const [exponent, elements, ulp] of item.magnitudes) {
      const [n, total] = sum.magnitudes.get(exponent) ?? [0, 0];
      sum.magnitudes.set(exponent, [n + elements, total + ulp]);
    }
    runs.set(item.run, sum);
  }
  return [...sums.values()];
}

function magnitudePlot(runs) {
  const measured = runs.filter(([, sum]) => sum.magnitudes.size > 0);
  if (measured.length === 0) return [];
  const shown = fewRuns(measured);
  const xs = distinct(shown.flatMap(([, sum]) => [...sum.magnitudes.keys()])).sort((a, b) => a - b);
  const series = shown.map(([, sum]) => xs.filter((x) => sum.magnitudes.has(x))
    .map((x) => [x, sum.magnitudes.get(x)[1] / sum.magnitudes.get(x)[0]]));
  const top = Math.max(1e-3, ...series.flat().map(([, y]) => y));
  const xName = (x) => x === -26 ? "0" : `2^${x}`;
  return [seriesKey(shown.map(([index]) => runText(index))),
    drawLines(series, xs, xName, top, (y) => y.toPrecision(2)),
    dataTable(["run", "magnitude", "mean ulp"], shown.flatMap(([index], at) =>
      series[at].map(([x, y]) => [runText(index), xName(x), y])))];
}

function drawTrendErrors() {
  const operations = errorsByOperation();
  const shown = filters.all ? operations : operations.slice(0, FEW);
  const figures = shown.map((item) => {
    const runs = [...item.runs].sort(([a], [b]) => a - b);
    const columns = runs.map(([, sum]) => {
      const total = sum.histogram.reduce((a, b) => a + b, 0);
      return sum.histogram.map((elements) => total > 0 ? elements / total : 0);
    });
    const last = columns[0].length - 1;
    return make("figure", {}, make("figcaption", {}, make("span", {class: "op"}, item.op || "(none)"),
        make("span", {}, `${counted(runs.length, "run")}, ${evidenceName(item.provenance)}`)),
      drawHeat(columns, (column) => runName(runs[column][0]), (row) => bucketName(row, last)),
      dataTable(["run", "ulp", "share"], runs.flatMap(([index], at) => columns[at].flatMap(
        (share, row) => share > 0 ? [[runText(index), bucketName(row, last), share]] : []))),
      ...magnitudePlot(runs));
  });
  byId("error-plots").replaceChildren(...figures);
  byId("errors-count").textContent =
    `${counted(figures.length, "operation")} of ${count(operations.length)}`;
  document.body.dataset.errors = figures.length;
}

function drawMaps() {
  const fits = report.maps.filter((map) => runFits(report.runs[map.run]) &&
    (!filters.target || map.target === filters.target) &&
    matchesSearch(map.op, map.finding, map.verdict));
  byId("map-plots").replaceChildren(...fits.map((map) => make("figure", {},
    make("figcaption", {}, make("span", {class: "op"}, map.op || "(case)"), make("span", {},
      `${map.target}, ${map.finding}, ${runName(map.run)}, output ${map.output} ${map.dtype} ` +
      `${map.shape}: ${counted(map.outside, "element")} outside, ` +
      evidenceName(report.runs[map.run].provenance))),
    drawMap(map))));
  document.body.dataset.maps = fits.length;
}

function drawTrend() {
  drawRunTable();
  drawGrowth();
  drawChanges();
  drawTimes();
  drawTrendErrors();
  drawMaps();
}

function applyTrendFilters() {
  takeFilters();
  drawTrend();
}

function listenToTrend() {
  listenToFilters(applyTrendFilters, [...FILTERS.slice(1), "all"]);
  listenToTheme();
  listenToSkipLink();
  addEventListener("hashchange", () => {
    readAddress();
    drawTrend();
  });
}

fillSelect("target", distinct([...report.errors, ...report.changes, ...report.findings]
  .map((item) => item.target)).sort());
fillSelect("state", STATE_NAMES);
fillSelect("evidence", distinct(report.runs.map((run) => run.provenance)));
fillSelect("route", distinct(report.changes.map((change) => change.route)));
byId("headline").append(
  `${counted(report.runs.length, "run")}, written by version ${report.tool_version}`);
byId("simulated").hidden = !report.simulated;
readAddress();
drawTrend();
listenToTrend();
document.body.dataset.ready = "true";
