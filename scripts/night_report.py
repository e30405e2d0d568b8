"""What a night tells: its summary, JUnit's form of it, and the exit code."""

import json
import re
import shlex
import xml.etree.ElementTree as ElementTree

from fuzz_common import limits

UNPRINTABLE = re.compile(r"[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd]")
CASES = re.compile(r"^.*\d+ cases, \d+ judged, .*$", re.MULTILINE)
MOST_NAMED = 5  # targets of one kind in a headline
CLASSES = re.compile(r"^\d+ [a-z][\w -]*$", re.MULTILINE)


def printable(text):
    """A text without what XML does not hold and a terminal acts on."""
    return UNPRINTABLE.sub(lambda found: f"\\x{ord(found.group()):02x}", text)


def power_figures(path):
    report = json.loads(path.read_text())
    counts = report["summary"]
    told = [f"{counts['planted_found']} of {counts['planted']} planted faults and "
            f"{counts['known_found']} of {counts['known']} known defects found"]
    told += [f"{report['undecided']} ended by the clock"] if report.get("undecided") else []
    told += [f"lost: {', '.join(report['lost'])}"] if report.get("lost") else []
    return "; ".join([*told, counted(report["false_findings"], "false finding")])


def figures_of(name, log, work):
    """What a step measured, in words; empty where it tells nothing."""
    if name == "campaign":
        return "".join(CASES.findall(log)[-1:]).strip()
    if name == "baseline":
        return ", ".join(CLASSES.findall(log))
    if name == "power" and (work / "power/power.json").exists():
        try:
            return power_figures(work / "power/power.json")
        except (ValueError, KeyError, TypeError):
            return ""
    return ""


def is_told(row):
    """Whether a step's exit code 1 is no finding of its own: coverage is a measure of the corpora, and what
    fails in a merge is judged input by input."""
    return row["name"] in ("coverage", "prune") and row["code"] == 1


def failed_steps(state):
    return [row for row in state["steps"] if row["code"] != 0 and not is_told(row)]


def not_run(state):
    """What tells of the targets that could not be run, or not always."""
    named = sorted({error.partition(": ")[0] for error in state["errors"]})
    never = [name for name in named if not state["targets"].get(name, {}).get("turns")]
    told = []
    for names, what in ((never, "could not be run"), ([name for name in named if name not in never],
                                                      "could not be run in some turns")):
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        if names:
            told.append(f"{len(names)} {'target' if len(names) == 1 else 'targets'} {what}: "
                        f"{', '.join(names[:MOST_NAMED])}{more}")
    return told


def counted(count, one):
    return f"{count} {one}{'' if count == 1 else 's'}"


def headline(state):
    count = counted(len(state["findings"]), "finding")
    failed = [f"{row['name']}: {row.get('figures') or 'exit code {}'.format(row['code'])}"
              for row in failed_steps(state)]
    told = [*not_run(state), *failed]
    return printable("; ".join([f"{count} of fuzzing", *told]) if told else count)


def command_of_finding(finding):
    """What shows a finding again, as a shell takes it; empty where no input fails so alone."""
    if not (finding.get("file") and finding.get("fuzzer")):
        return ""
    all_laws = "ANECHECK_FUZZ_THOROUGH=1 " if finding.get("thorough") else ""
    return all_laws + shlex.join([finding["fuzzer"], *limits(), finding["file"]])


def finding_line(finding):
    """A finding with what shows it, or with what is left of it."""
    line = f"{finding['target']}: {finding['signature']}"
    if finding.get("reproduced", True):
        return f"{line}: `{command_of_finding(finding) or finding['file']}`"
    told = [f"{words} `{finding[key]}`" for key, words in (
        ("report", "report"), ("file", "input"), ("seed", "seed"), ("base", "base unit")) if finding.get(key)]
    return f"{line}, not reproduced, no input fails so alone: {'; '.join(told)}"


def table_of_targets(state):
    lines = ["Of the executions, `read again` met the laws that read an input again, `as text` those of text and the "
             "JSON form; `vacuous` ones ended before anything was compared.", "",
             "| target | turns | seconds | executions | a second | read again | as text | vacuous | features | "
             "failed turns |", "|---|---|---|---|---|---|---|---|---|---|"]
    for name, row in sorted(state["targets"].items()):
        rate = row["executed"] / row["seconds"] if row["seconds"] else 0
        lines.append(f"| {name} | {row['turns']} | {row['seconds']:.0f} | {row['executed']} | {rate:.0f} | "
                     f"{row['read_again']} | {row['as_text']} | {row['vacuous']} | {row['features']} | "
                     f"{row['failures']} |")
    return lines


def summary(state, options, why_ended=""):
    lines = ["# Night of fuzzing", "",
             f"{headline(state)}; seed {state['seed']}, {options.minutes:g} minutes, {options.jobs} jobs.", ""]
    if state.get("sources"):
        lines += [f"Of {', then '.join(state['sources'])}.", ""]
    if not state.get("finished", True):
        lines += [f"This night is not at its end{': ' + why_ended if why_ended else ''}.", ""]
    lines += [f"- {finding_line(finding)}" for finding in state["findings"]]
    if state["errors"]:
        lines += ["", "Turns that could not be run:", ""] + [f"- {error}" for error in state["errors"]]
    idle = sorted(name for name, row in state["targets"].items() if not row["turns"])
    if idle:
        lines += ["", f"Targets without a turn: {', '.join(idle)}."]
    lines += ["", *table_of_targets(state)]
    lines += ["", "| step | exit code | seconds | figures | log |", "|---|---|---|---|---|"]
    lines += [f"| {row['name']} | {row['code']} | {row['seconds']:.0f} | {row.get('figures', '')} | `{row['log']}` |"
              for row in state["steps"]]
    if any(row["name"] == "coverage" and is_told(row) for row in state["steps"]):
        lines += ["", "Parsers below their mark of coverage are no finding; the log names them."]
    return printable("\n".join(lines) + "\n")


def junit(state):
    suite = ElementTree.Element("testsuite", name="nightly")
    for name, row in sorted(state["targets"].items()):
        case = ElementTree.SubElement(suite, "testcase", classname="fuzz", name=name, time=f"{row['seconds']:.1f}")
        for finding in state["findings"]:
            if finding["target"] == name:
                line = printable(finding["signature"])
                ElementTree.SubElement(case, "failure", message=line).text = printable(finding_line(finding))
        told = [error for error in state["errors"] if error.startswith(f"{name}: ")]
        if told:
            ElementTree.SubElement(case, "error", message="what could not be run").text = printable("\n".join(told))
    for row in state["steps"]:
        case = ElementTree.SubElement(suite, "testcase", classname="step", name=row["name"],
                                      time=f"{row['seconds']:.1f}")
        if row in failed_steps(state):
            kind = "failure" if row["code"] == 1 else "error"
            message = printable(f"exit code {row['code']}" + (f": {row['figures']}" if row.get("figures") else ""))
            ElementTree.SubElement(case, kind, message=message).text = row["log"]
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    for kind in ("failure", "error"):
        suite.set(f"{kind}s", str(sum(case.find(kind) is not None for case in cases)))
    return ElementTree.tostring(suite, encoding="unicode")


def write_summary(night, why_ended=""):
    with night.lock:
        (night.options.work / "summary.md").write_text(summary(night.state, night.options, why_ended))
        (night.options.work / "junit.xml").write_text(junit(night.state))


def exit_code(state):
    """A step that ends by a signal or by bad usage is no finding: the night made its command."""
    if state["errors"] or any(row["code"] != 1 for row in failed_steps(state)):
        return 3
    return 1 if state["findings"] or failed_steps(state) else 0
