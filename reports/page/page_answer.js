// The reader's first questions: did it pass, which findings are new and on which chips, which is the
// worst, and how many cases have no verdict.
const VERDICTS = {passed: ["Passed", "correct"], "new findings": ["Failed", "wrong"],
                  "no result": ["No result", "unconfirmed"]};

// The states of a bar, each with its label.
const BARS = [["correct", "right"], ["known-defect", "known defect"], ["unconfirmed", "unconfirmed"],
              ["rejected", "refused"], ["wrong", "broken"], ["dispatched", "not judged"]];
const BAR_OF = {"failed": "wrong", "compiled": "dispatched", "planned": "dispatched"};

// The findings of one signature and kind of evidence, however many runs and shards met it.
function groupFindings(findings) {
  const groups = new Map();
  for (const finding of findings) {
    const key = `${finding.provenance}\n${finding.signature}`;
    const group = groups.get(key);
    if (group) group.push(finding);
    else groups.set(key, [finding]);
  }
  return [...groups.values()];
}
const casesOf = (group) => group.reduce((sum, finding) => sum + finding.occurrences, 0);
const fresh = groupFindings(report.findings.filter((finding) => finding.new));

const titleOf = new Map(report.matrix.targets.map(
  (target) => [target.name, target.chips ? `${target.chips} (${target.name})` : target.name]));
const chipTitle = (target) => titleOf.get(target) ?? target;

function findingLink(group) {
  const finding = group[0];
  return make("a", {href: `#finding=${encodeURIComponent(findingName(finding))}`},
              `${finding.op || "no operation named"} on ${chipTitle(finding.target)}: ${finding.verdict}`);
}

function answerNew() {
  if (fresh.length === 0) return ["nothing"];
  const list = make("ul", {}, ...fresh.slice(0, 5).map((group) =>
    make("li", {}, findingLink(group), ` (${counted(casesOf(group), "case")})`)));
  return [counted(fresh.length, "finding"), list, fresh.length > 5 ? "More are listed below." : ""];
}

function answerWhere() {
  const chips = distinct(fresh.map(([finding]) => finding.target));
  const clean = report.matrix.targets.filter(({name, met}) => met && !chips.includes(name));
  const texts = chips.map((target) => `${chipTitle(target)}: ` +
    counted(fresh.filter(([finding]) => finding.target === target).length, "new finding"));
  if (clean.length > 0) texts.push(`nothing new on ${clean.map(({name}) => chipTitle(name)).join(", ")}`);
  return [texts.join("; ") || "no chip was tested"];
}

function answerWorst() {
  const groups = groupFindings(report.findings);
  if (groups.length === 0) return ["no deviation"];
  const [finding] = groups[0];
  return [findingLink(groups[0]), ` in ${counted(casesOf(groups[0]), "case")}: ${finding.summary}`,
          finding.known_defect_words ? ` (${finding.known_defect_words})` : ""];
}

function answerUnjudged() {
  const open = report.summary.verdicts.inconclusive ?? 0;
  const untried = report.matrix.targets.filter((target) => target.met).flatMap(({name}) => {
    const cells = report.matrix.cells.filter((cell) => cell.target === name && cell.attested === "yes");
    // No table lists the operations of an external engine's own target.
    if (cells.length === 0) return [];
    const none = cells.filter((cell) => cell.evidence.length === 0);
    return `${chipTitle(name)}: ${count(none.length)} of ${counted(cells.length, "operation")} without a case`;
  });
  return [[`${count(open)} of ${counted(report.summary.cases, "case")} inconclusive`,
           ...untried].join("; ")];
}

function chipBar(cells) {
  const counts = new Map(BARS.map(([state]) => [state, 0]));
  for (const cell of cells) {
    const state = BAR_OF[cell.state] ?? cell.state;
    if (cell.evidence.length > 0 && counts.has(state)) counts.set(state, counts.get(state) + 1);
  }
  const all = [...counts.values()].reduce((sum, part) => sum + part, 0);
  const words = BARS.filter(([state]) => counts.get(state) > 0).map(
    ([state, name]) => `${count(counts.get(state))} ${name}`).join(", ");
  const svg = svgNode("svg", {class: "bar-of-states", viewBox: "0 0 240 14", role: "img",
                              preserveAspectRatio: "none", "aria-label": words || "nothing ran"});
  let at = 0;
  for (const [state] of BARS) {
    const width = all === 0 ? 0 : 240 * counts.get(state) / all;
    if (width > 0) svg.append(svgNode("rect", {class: `f-${state}`, x: at, y: 0, width, height: 14}));
    at += width;
  }
  return [svg, words];
}

function drawAnswer() {
  const [title, state] = VERDICTS[report.summary.verdict];
  byId("verdict").append(make("span", {class: `chip s-${state}`}, title), " ",
    `${counted(fresh.length, "new finding")}, ` +
    `${count(groupFindings(report.findings).length - fresh.length)} known or unconfirmed`);
  const answers = [["New", answerNew()], ["Where", answerWhere()], ["Worst", answerWorst()],
                   ["Not judged", answerUnjudged()]];
  for (const [name, content] of answers) {
    byId("answers").append(make("dt", {}, name), make("dd", {}, ...content));
  }
  const rows = report.matrix.targets.filter((target) => target.met).map(({name}) => {
    const [svg, words] = chipBar(report.matrix.cells.filter((cell) => cell.target === name));
    return make("tr", {}, make("th", {scope: "row"}, chipTitle(name)), make("td", {}, svg),
                make("td", {}, words));
  });
  byId("chip-bars").append(make("tbody", {}, ...rows));
  document.body.dataset.verdict = report.summary.verdict;
}
