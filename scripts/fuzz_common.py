"""What the scripts around fuzzing share: how a night starts a fuzzer, and what names a failure."""

import os
import re
import subprocess

INPUT_SECONDS = 30  # an input may take

# The first line of a report that names what failed, without addresses and numbers.
SIGNATURES = [re.compile(pattern, re.MULTILINE) for pattern in (
    r"^law broken: ([^:\n]*)", r"([^/\s]+:\d+:\d+: runtime error: [^\d\n]*)",
    r"(?s)ERROR: \w+: (detected memory leaks|deadly).*?(?: in (anecheck\S+))",
    r"SUMMARY: \w+: ([^ \n]+ [^ \n]+ [^ \n]+)", r"ERROR: libFuzzer: ([\w-]+)", r"ERROR: \w+: ([\w-]+)")]
UNKNOWN = "unknown failure"


def signature_of(report):
    for pattern in SIGNATURES:
        found = pattern.search(report)
        if found:
            return re.sub(r"0x[0-9a-f]+|\d{4,}", "N", " in ".join(filter(None, found.groups()))).strip()[:120]
    return UNKNOWN


def limits(seconds=INPUT_SECONDS):
    """What an input may take, as arguments of a fuzzer."""
    return [f"-timeout={seconds}", "-rss_limit_mb=2048", "-malloc_limit_mb=1024"]


def searching(dictionary, sanitised):
    """How a night searches, as arguments of a fuzzer: comparisons that come closer count as new in the
    sanitised build; the fast one goes for what is reached."""
    return (["-use_value_profile=1"] if sanitised else []) + ([f"-dict={dictionary}"] if dictionary else [])


def write_dictionary(fuzz_tool, target, path):
    """The file of the target's words; None where it has none."""
    if not path.exists():
        run = subprocess.run([fuzz_tool, "dictionary", target], capture_output=True, check=True)
        path.write_bytes(run.stdout)
    return path if path.stat().st_size else None


def environment(**more):
    """Of a fuzzer: no planted bug but the one that is asked for."""
    return {**{key: value for key, value in os.environ.items() if key != "ANECHECK_PLANTED_BUG"}, **more}


def last_line(text):
    return (text.strip().splitlines() or ["no word"])[-1][:200]
