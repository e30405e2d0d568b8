"""What the scripts around fuzzing share: how a night starts a fuzzer, and what names a failure."""

import fcntl
import os
import posixpath
import re
import shutil
import signal
import subprocess

INPUT_SECONDS = 30  # an input may take

UNKNOWN = "unknown failure"
FUNCTIONS = 3  # of a stack, that name a failure
MOST_CHARACTERS = 300

LAW = re.compile(r"^law broken: ([^:\n]*)", re.MULTILINE)
UNDEFINED = re.compile(r"([^/\s]+:\d+:\d+): (runtime error: [^\d\n]*)")
LEAK = re.compile(r"ERROR: \w+: (detected memory leaks)")
KINDS = [re.compile(rf"{word}: \w+: (deadly signal|fuzz target exited|[A-Za-z][\w-]*)") for word in ("SUMMARY", "ERROR")]
FRAME = re.compile(r"^ *#(\d+) 0x[0-9a-f]+ +(.*)$", re.MULTILINE)
MODULE = re.compile(r"\(([^()]*/)?([^()/]+)\+0x([0-9a-f]+)\)")
ROOM = re.compile(r" (/\S*?)(?::\d+)*(?: \(.*)?$")
# What every failure passes through: the readers and helpers of the base, and fuzzing itself.
HELPER = re.compile(r"harness/base/[^/]*\.h$")
FUZZING = re.compile(r"fuzz/(?!targets/)")
TARGETS = re.compile(r"fuzz/")
FIGURES = re.compile(r"stat::|INFO: |Done \d+ runs|#\d+\s+(?:READ|INITED|NEW|REDUCE|RELOAD|pulse|DONE)\b")
ATTEMPT = re.compile(r"^MERGE-OUTER: attempt .*$", re.MULTILINE)


def without_template_arguments(name):
    """A name without what stands between < and >, of which operators hold some as well."""
    kept, depth = [], 0
    for part in re.split(r"(operator[<>=-]+|->|[<>])", name):
        if part in ("<", ">"):
            depth += 1 if part == "<" else -1
        elif depth == 0:
            kept.append(part)
    return "".join(kept)


def file_of(frame):
    """The project's file of a stack's frame, from the room on; empty for others'."""
    found = ROOM.search(frame)
    inside = re.match(r".*/((?:harness|fuzz|generators|oracles|reports)/.*)",
                      posixpath.normpath(found.group(1))) if found else None
    return inside.group(1) if inside else ""


def function_of(frame):
    """The project's function of a stack's frame, without arguments and result; None for others'. What was
    inlined has its name alone, so that its file tells whose it is."""
    if not frame.startswith("in "):
        return None
    name = without_template_arguments(frame[3:].replace("(anonymous namespace)::", "").split(" /")[0])
    name = re.split(r"[(\[]", name)[0].strip()
    found = re.match(r"(?:.*[\s*&])?(anecheck::.*)", name)
    if found:
        return found.group(1).removeprefix("anecheck::")
    return name.split(" ")[-1] if file_of(frame) and "::" not in name else None


def first_stack(text):
    """The frames of the first stack of a text."""
    frames = []
    for number, frame in FRAME.findall(text):
        if int(number) != len(frames):
            if frames:
                break
            continue
        frames.append(frame)
    return frames


def place_of(report, kind):
    """The functions that name a failure: the innermost of the project's, the outermost where the moment of
    the stack is chance; offsets in the fuzzer where a stack has no names; empty without a stack."""
    frames = first_stack(report)
    own = [(function, frame) for frame in frames if (function := function_of(frame))]
    for unwanted in ((HELPER, TARGETS if kind == "timeout" else FUZZING), (FUZZING,), ()):
        functions = [function for function, frame in own if not any(each.match(file_of(frame)) for each in unwanted)]
        if functions:
            return " < ".join(functions[-FUNCTIONS:] if kind == "timeout" else functions[:FUNCTIONS])
    if any(frame.startswith("in ") for frame in frames):
        return ""
    offsets = [f"{found.group(2)}+{found.group(3)}" for frame in frames if (found := MODULE.search(frame))]
    return " < ".join(offsets[:2 * FUNCTIONS])


def signature_of(report):
    """What names a failure: the law that is broken; else the kind of failure and the functions it is in,
    without addresses, numbers and folders, so that it is the same in every checkout."""
    law = LAW.search(report)
    if law:
        return law.group(1).strip()[:MOST_CHARACTERS]
    undefined = UNDEFINED.search(report)
    if undefined:
        kind, at = f"{undefined.group(1)}: {undefined.group(2)}".strip(), undefined.start()
    else:
        found = next(filter(None, (pattern.search(report) for pattern in (LEAK, *KINDS))), None)
        if not found:
            return UNKNOWN
        kind, at = found.group(1), (re.search(r"ERROR: \w+: ", report) or found).start()
    place = place_of(report[at:], kind)
    return (f"{kind} in {place}" if place else kind)[:MOST_CHARACTERS]


def is_vague(signature):
    """Whether a signature names no more than a kind of failure, as those of builds without stacks do."""
    return re.fullmatch(r"[A-Za-z][\w-]*|deadly signal|fuzz target exited|detected memory leaks|"
                        rf"killed by signal \d+|{UNKNOWN}", signature) is not None


def part_of(log, artifact):
    """What a log tells of a failing input: of a merge the attempt that wrote it; empty where none names it."""
    return next((part for part in ATTEMPT.split(log) if artifact in part), "")


def limits(seconds=INPUT_SECONDS):
    """What an input may take, as arguments of a fuzzer."""
    return [f"-timeout={seconds}", "-rss_limit_mb=2048", "-malloc_limit_mb=1024"]


def searching(dictionary, sanitised):
    """How a night searches, as arguments of a fuzzer: comparisons that come closer count as new in the
    sanitised build; the fast one goes for what is reached."""
    return (["-use_value_profile=1"] if sanitised else []) + ([f"-dict={dictionary}"] if dictionary else [])


def write_dictionary(fuzz_tool, target, path):
    """The file of the target's words, whole or not there; None where it has none."""
    if not path.exists():
        run = subprocess.run([fuzz_tool, "dictionary", target], capture_output=True, check=True)
        temporary = path.with_name(f"{path.name}.new")
        temporary.write_bytes(run.stdout)
        temporary.replace(path)
    return path if path.stat().st_size else None


def drop_dictionaries(work):
    """Lets each night make its dictionaries anew: those of the night before are of an older tree."""
    for path in work.glob("*.dict"):
        path.unlink()


def environment(**more):
    """Of a fuzzer: no planted bug but the one that is asked for."""
    return {**{key: value for key, value in os.environ.items() if key != "ANECHECK_PLANTED_BUG"}, **more}


def telling():
    """Of a fuzzer that runs one input: stacks that are long enough to name what fails."""
    given = {key: os.environ.get(key, "") for key in ("ASAN_OPTIONS", "UBSAN_OPTIONS")}
    return {"ASAN_OPTIONS": f"{given['ASAN_OPTIONS']}:malloc_context_size=30".lstrip(":"),
            "UBSAN_OPTIONS": f"print_stacktrace=1:{given['UBSAN_OPTIONS']}".rstrip(":")}


def last_line(text):
    """What a program said last, without the figures that fuzzers print at every end."""
    lines = text.strip().splitlines()
    told = [line for line in lines if line.strip() and not FIGURES.match(line)]
    return (told or lines or ["no word"])[-1][:200]


def commit_of(folder):
    """The commit of a checkout, "-dirty" behind it where files differ; empty where the folder is none."""
    git = ["git", "-C", folder, "describe", "--always", "--abbrev=12", "--dirty", "--exclude=*"]
    only_here = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent), "GIT_OPTIONAL_LOCKS": "0"}
    try:
        run = subprocess.run(git, capture_output=True, text=True, env=only_here)
    except OSError:
        return ""
    return run.stdout.strip() if run.returncode == 0 else ""


def lock(work):
    """Keeps other nights out of a folder, as long as what is given back is open here or in a process that
    inherited it."""
    work.mkdir(parents=True, exist_ok=True)
    held = (work / "lock").open("w")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        held.close()
        raise OSError(f"another night is at work in {work}, or what it started still is: wait for its end "
                      f"(fuser {work}/lock names who holds it)") from None
    return held


def interrupt(number, _):
    # A lost connection ends a night twice, by the kernel and by the shell; the second would end its ending.
    if number == signal.SIGHUP:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    raise KeyboardInterrupt


def end_by_signals():
    """Lets what else ends a script do it as Ctrl-C does, so that what is at work ends with it. A closed
    terminal ends nothing where nohup says so."""
    signal.signal(signal.SIGTERM, interrupt)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signal.signal(signal.SIGHUP, interrupt)


def replace_corpus(corpus, other):
    """Puts a folder into a corpus' place, so that one of the two is there whenever that ends."""
    old = corpus.with_name("corpus.old")
    corpus.rename(old)
    other.rename(corpus)
    shutil.rmtree(old)


def recover_corpora(work):
    """Brings back what an end amidst replace_corpus left aside."""
    for old in work.glob("*/corpus.old"):
        corpus = old.with_name("corpus")
        if corpus.exists():
            shutil.rmtree(old)
        else:
            old.rename(corpus)
