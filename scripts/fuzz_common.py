"""How the scripts start a fuzzer, and the names of failures."""

import os
import posixpath
import re
import subprocess

INPUT_SECONDS = 30  # an input may take
UNKNOWN = "unknown failure"
FUNCTIONS = 3  # of a stack, that name a failure
MOST_CHARACTERS = 300

LAW = re.compile(r"^law broken: ([^:\n]*)", re.MULTILINE)
UNDEFINED = re.compile(r"([^/\s]+:\d+:\d+): (runtime error: [^\d\n]*)")
KINDS = [re.compile(rf"{word}: \w+: (detected memory leaks|deadly signal|fuzz target exited|[A-Za-z][\w-]*)")
         for word in ("SUMMARY", "ERROR")]
FRAME = re.compile(r"^ *#(\d+) 0x[0-9a-f]+ +in (.*)$", re.MULTILINE)
ROOM = re.compile(r" (/\S*?)(?::\d+)*(?: \(.*)?$")
# Frames of these files are on the stack of every failure, so they do not identify one: the readers
# and helpers of harness/base, and the fuzzing code.
PASSED = re.compile(r"harness/base/[^/]*\.h$|fuzz/(?!targets/)")
FIGURES = re.compile(r"stat::|INFO: |Done \d+ runs|#\d+")


def file_of(frame):
    """The project file of a stack frame, as a path from the room on; empty for other files."""
    found = ROOM.search(frame)
    inside = re.match(r".*/((?:harness|fuzz|generators|oracles|reports)/.*)",
                      posixpath.normpath(found.group(1))) if found else None
    return inside.group(1) if inside else ""


def function_of(frame):
    """The function of a stack's frame, without arguments, result and template arguments."""
    name = frame.replace("(anonymous namespace)::", "").split(" /")[0]
    while (shorter := re.sub(r"<[^<>]*>", "", name)) != name:
        name = shorter
    return re.split(r"[(\[]", name)[0].strip().split(" ")[-1].removeprefix("anecheck::")


def first_stack(text):
    """The frames of the first stack of a text."""
    frames = []
    for number, frame in FRAME.findall(text):
        if frames and int(number) <= frames[-1][0]:
            break
        frames.append((int(number), frame))
    return [frame for _, frame in frames]


def place_of(report, kind):
    """The project's functions that identify a failure: the innermost ones, or for a timeout the outermost,
    since the time of its stack is random. Empty without a stack."""
    frames = [frame for frame in first_stack(report) if file_of(frame)]
    own = [frame for frame in frames if not PASSED.match(file_of(frame))] or frames
    if kind == "timeout":
        own = [frame for frame in own if not file_of(frame).startswith("fuzz/")] or own
    functions = [function_of(frame) for frame in own]
    return " < ".join(functions[-FUNCTIONS:] if kind == "timeout" else functions[:FUNCTIONS])


def signature_of(report):
    """The name of a failure: the broken law; else the kind of failure and its functions, without addresses,
    numbers and folders, so that the name is the same in every checkout."""
    law = LAW.search(report)
    if law:
        return law.group(1).strip()[:MOST_CHARACTERS]
    found = UNDEFINED.search(report)
    if found:
        kind, at = f"{found.group(1)}: {found.group(2)}".strip(), found.start()
    else:
        found = next(filter(None, (pattern.search(report) for pattern in KINDS)), None)
        if not found:
            return UNKNOWN
        kind, at = found.group(1), (re.search(r"ERROR: \w+: ", report) or found).start()
    place = place_of(report[at:], kind)
    return (f"{kind} in {place}" if place else kind)[:MOST_CHARACTERS]


def limits(seconds=INPUT_SECONDS):
    """The limits of one input, as arguments of a fuzzer."""
    return [f"-timeout={seconds}", "-rss_limit_mb=2048", "-malloc_limit_mb=1024"]


def searching(dictionary, sanitised):
    """The search arguments of a fuzzer: in the build with sanitizers, closer comparisons count as new; the
    fast build searches by coverage alone."""
    return (["-use_value_profile=1"] if sanitised else []) + ([f"-dict={dictionary}"] if dictionary else [])


def write_dictionary(fuzz_tool, target, path):
    """Writes the dictionary of the target; returns its file, or None if the target has none."""
    words = subprocess.run([fuzz_tool, "dictionary", target], stdout=subprocess.PIPE, check=True).stdout
    path.write_bytes(words)
    return path if words else None


def environment(**more):
    """The environment of a fuzzer: at most the given planted bug, and stacks long enough to name a failure."""
    kept = {key: value for key, value in os.environ.items() if key != "ANECHECK_PLANTED_BUG"}
    stacks = {"ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:malloc_context_size=30".lstrip(":"),
              "UBSAN_OPTIONS": f"print_stacktrace=1:{os.environ.get('UBSAN_OPTIONS', '')}".rstrip(":")}
    return {**kept, **stacks, **more}


def last_line(text):
    """The last line of a program's output, before the statistics that fuzzers always print."""
    lines = text.strip().splitlines()
    told = [line for line in lines if line.strip() and not FIGURES.match(line)]
    return (told or lines or ["no word"])[-1][:200]
