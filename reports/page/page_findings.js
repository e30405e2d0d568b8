// The list of findings. The content of a finding is drawn when it is opened.
const FINDINGS_STEP = 100;
let findingsShown = FINDINGS_STEP;
// The entry of each finding shown, by its name in the address.
const findingEntries = new Map();

function findingFits(finding) {
  if (filters.target && finding.target !== filters.target) return false;
  if (filters.evidence && finding.provenance !== filters.evidence) return false;
  if (filters.route && finding.route !== filters.route) return false;
  if (filters.state && findingState(finding) !== filters.state) return false;
  return matchesSearch(finding.id, finding.op, finding.target, finding.verdict,
                       finding.known_defect, finding.summary);
}

function findingState(finding) {
  if (finding.verdict === "rejected") return "rejected";
  if (!finding.new) return finding.verdict === "known-defect" ? "known-defect" : "unconfirmed";
  return finding.verdict === "wrong" ? "wrong" : "failed";
}

function inputBlock(tensor) {
  const more = tensor.elements > tensor.values.length ? ` … (${counted(tensor.elements, "element")})` : "";
  return make("div", {}, make("p", {}, make("span", {class: "op"}, tensor.name),
                              ` ${tensor.dtype} ${tensor.shape}`),
              make("pre", {}, tensor.values.join("  ") + more));
}

function outputBlock(tensor) {
  const head = make("tr", {}, ...["element", "lowest", "highest", "actual", "place"].map(
    (name) => make("th", {scope: "col", class: "number"}, name)));
  const rows = tensor.rows.map((row) => make("tr", {class: row.outside ? "outside" : ""},
    ...[String(row.index), row.low, row.high, row.actual, row.outside ? "outside" : ""].map(
      (text) => make("td", {class: "number"}, text))));
  return make("div", {}, make("p", {}, make("span", {class: "op"}, tensor.name),
      ` ${tensor.dtype} ${tensor.shape}: ${count(tensor.outside)} of ` +
      `${counted(tensor.elements, "element")} outside the expected interval, ${count(tensor.rows.length)} shown`),
    make("div", {class: "scroll"},
         make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows))));
}

function fillFinding(finding, body) {
  body.append(make("p", {}, finding.summary),
              make("p", {}, `Finding ${finding.id}, case ${finding.case}, signature `,
                   make("code", {}, finding.signature), `, evidence ${finding.provenance}`),
              finding.page ? make("p", {}, make("a", {href: finding.page},
                "The whole finding: graph, values with their bits, other runs, commands")) : "",
              make("h3", {}, "Run it again"), commandLine(finding.replay));
  if (finding.problem) {
    body.append(make("p", {}, `The case cannot be shown: ${finding.problem}`));
    return;
  }
  if (finding.outputs.length > 0) {
    body.append(make("h3", {}, "Outputs"), ...finding.outputs.map(outputBlock));
  }
  if (finding.inputs.length > 0) {
    body.append(make("h3", {}, "Inputs"), ...finding.inputs.map(inputBlock));
  }
  body.append(make("h3", {}, "MIL"), make("pre", {tabIndex: 0}, finding.mil));
  if (finding.mil_cut) body.append(make("p", {}, "The text is cut off here; the finding contains all of it."));
}

function findingEntry(group) {
  const finding = group[0];
  const state = findingState(finding);
  const body = make("div", {class: "body"});
  const entry = make("details", {class: "finding"},
    make("summary", {}, stateChip(state, finding.provenance),
         make("span", {class: "op"}, finding.op || "(case)"),
         make("span", {}, finding.target), make("span", {}, finding.route),
         make("strong", {}, [finding.verdict, finding.known_defect].filter(Boolean).join(" ")),
         make("span", {}, evidenceText(finding.provenance)),
         make("span", {}, counted(casesOf(group), "case") +
              (group.length > 1 ? ` in ${counted(group.length, "run")}` : "")),
         make("span", {class: "text"}, finding.summary,
              finding.known_defect_words ? make("small", {}, finding.known_defect_words) : "")), body);
  entry.addEventListener("toggle", () => {
    if (entry.open && body.childElementCount === 0) {
      for (const one of group) fillFinding(one, body);
    }
  });
  return entry;
}

// The name of a finding in `finding=` of the address: the name of its page, since several findings may
// share an id.
function findingName(finding) {
  return finding.page.replace(/^.*\/|\.html$/g, "") || finding.id;
}

function drawFindings() {
  const all = groupFindings(report.findings);
  const fitting = all.filter((group) => group.some(findingFits));
  findingEntries.clear();
  byId("finding-list").replaceChildren(...fitting.slice(0, findingsShown).map((group) => {
    const entry = findingEntry(group);
    for (const finding of group) findingEntries.set(findingName(finding), entry);
    return entry;
  }));
  byId("findings-count").textContent = all.length === 0
    ? "No findings." : `${count(fitting.length)} of ${counted(all.length, "finding")}`;
  byId("findings-more").hidden = fitting.length <= findingsShown;
  document.body.dataset.findings = fitting.length;
}
