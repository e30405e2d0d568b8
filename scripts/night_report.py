"""The results of a night: its summary, JUnit's form of it, and the exit code."""

import json
import re
import shlex
import xml.etree.ElementTree as ElementTree

from fuzz_common import limits

UNPRINTABLE = re.compile(r"[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd]")
CASES = re.compile(r"^.*\d+ cases, \d+ judged, .*$", re.MULTILINE)
CLASSES = re.compile(r"^\d+ [a-z][\w -]*$", re.MULTILINE)


def printable(text):
    """A text without characters that XML forbids or a terminal interprets."""
    return UNPRINTABLE.sub(lambda found: f"\\x{ord(found.group()):02x}", text)


def counted(count, one):
    return f"{count} {one}{'' if count == 1 else 's'}"


def power_figures(report):
    counts = report["summary"]
    told = [f"{counts['planted_found']} of {counts['planted']} planted faults and "
            f"{counts['known_found']} of {counts['known']} known defects found"]
    told += [f"{report['undecided']} ended by the clock"] if report.get("undecided") else []
    told += [f"lost: {', '.join(report['lost'])}"] if report.get("lost") else []
    return "; ".join([*told, counted(report["false_findings"], "false finding")])


def figures_of(name, log, work):
    """The figures of a step, in words; empty if it has none."""
    if name == "campaign":
        return "".join(CASES.findall(log)[-1:]).strip()
    if name == "baseline":
        return ", ".join(CLASSES.findall(log))
    if name == "power":
        try:
            return power_figures(json.loads((work / "power/power.json").read_text()))
        except (OSError, ValueError, KeyError, TypeError):
            return ""
    return ""


def failed_steps(state):
    return [row for row in state["steps"] if row["code"] != 0]


def headline(state):
    failed = [f"{row['name']}: {row['figures'] or 'exit code {}'.format(row['code'])}" for row in failed_steps(state)]
    ill = sorted({error.partition(": ")[0] for error in state["errors"]})
    told = [f"targets that could not be run to their end: {', '.join(ill)}"] if ill else []
    return printable("; ".join([f"{counted(len(state['findings']), 'finding')} of fuzzing", *told, *failed]))


def finding_line(finding):
    """A finding with the command that reproduces it or, without one, with what remains of it."""
    line = f"{finding['target']}: {finding['signature']}"
    if not finding["fuzzer"]:
        return f"{line}, not reproduced: `{finding['file']}`"
    command = shlex.join([finding["fuzzer"], *limits(), finding["file"]])
    return f"{line}: `ANECHECK_FUZZ_THOROUGH=1 {command}`"


def table_of_targets(state):
    lines = ["| target | seconds | executions | a second | features | corpus files |", "|---|---|---|---|---|---|"]
    for name, row in sorted(state["targets"].items()):
        rate = row["executed"] / row["seconds"] if row["seconds"] else 0
        lines.append(f"| {name} | {row['seconds']:.0f} | {row['executed']} | {rate:.0f} | {row['features']} | "
                     f"{row['files']} |")
    return lines


def summary(state, options, why_ended=""):
    lines = ["# Night of fuzzing", "",
             f"{headline(state)}; seed {state['seed']}, {options.minutes:g} minutes, {options.jobs} jobs.", ""]
    if not state["finished"]:
        lines += [f"This night is not at its end{': ' + why_ended if why_ended else ''}.", ""]
    lines += [f"- {finding_line(finding)}" for finding in state["findings"]]
    if state["errors"]:
        lines += ["", "Not run:", "", *(f"- {error}" for error in state["errors"])]
    lines += ["", *table_of_targets(state)]
    lines += ["", "| step | exit code | seconds | figures | log |", "|---|---|---|---|---|"]
    lines += [f"| {row['name']} | {row['code']} | {row['seconds']:.0f} | {row['figures']} | `{row['log']}` |"
              for row in state["steps"]]
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
            ElementTree.SubElement(case, "error", message="could not be run").text = printable("\n".join(told))
    for row in state["steps"]:
        case = ElementTree.SubElement(suite, "testcase", classname="step", name=row["name"],
                                      time=f"{row['seconds']:.1f}")
        if row["code"] != 0:
            kind = "failure" if row["code"] == 1 else "error"
            message = printable(f"exit code {row['code']}" + (f": {row['figures']}" if row["figures"] else ""))
            ElementTree.SubElement(case, kind, message=message).text = row["log"]
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    for kind in ("failure", "error"):
        suite.set(f"{kind}s", str(sum(case.find(kind) is not None for case in cases)))
    return ElementTree.tostring(suite, encoding="unicode")


def write_summary(state, options, why_ended=""):
    (options.work / "summary.md").write_text(summary(state, options, why_ended))
    (options.work / "junit.xml").write_text(junit(state))


def exit_code(state):
    """The exit code of a night. A step that ends by a signal or with wrong usage is a failure of the night,
    not a finding, since the night made its command."""
    if state["errors"] or any(row["code"] != 1 for row in failed_steps(state)):
        return 3
    return 1 if state["findings"] or failed_steps(state) else 0
