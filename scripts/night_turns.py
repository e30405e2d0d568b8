"""The turns of a night's targets, and the judgement of what failed in them.

What a fuzzer writes into WORK/TARGET/crashes is yet to be judged; what is judged is moved to
WORK/TARGET/judged. A finding is saved before it is made small, so that no end of a night loses one.
"""

import concurrent.futures
import hashlib
import pathlib
import re
import shutil
import signal
import subprocess
import time
import typing

import fuzz_common
from fuzz_common import INPUT_SECONDS, UNKNOWN, is_vague, part_of, signature_of
from night_report import finding_line
from night_state import CutOff, DiskFull, Stopped, build_of_turn, is_full, say, shows_more

PROJECT = pathlib.Path(__file__).resolve().parent.parent
GRACE = 900  # seconds beyond its slice after which a turn hangs: reading the corpus, symbols of a stack
CUT_OFF = 8  # times what an input may take, by the clock, after which it is run alone no longer
MOST_SLICES = 3  # that a turn takes with judging
SMALLER_SECONDS = 60  # that making one input small may take
MOST_SMALL = 20  # findings whose inputs are made small: one bug in what all pass through has many names
FUZZER_TIMEOUT, FUZZER_INTERRUPTED = 70, 72  # libFuzzer's exit codes
ENDED_WELL = (0, FUZZER_INTERRUPTED)
FROM_OUTSIDE = {-signal.SIGINT, -signal.SIGTERM, -signal.SIGKILL, -signal.SIGHUP}
REPORT_CHARACTERS = 20000
ARTIFACT = re.compile(r"Test unit written to (.+)$", re.MULTILINE)
SEED = re.compile(r"^INFO: Seed: (\d+)", re.MULTILINE)
BASE = re.compile(r"base unit: ([0-9a-f]{40})")
KIND_OF_ARTIFACT = {"crash": "crash", "oom": "out-of-memory", "leak": "detected memory leaks"}


class Failure(typing.NamedTuple):
    """How an input fails that is run alone; no signature where it passes."""
    signature: typing.Optional[str] = None
    report: str = ""
    fuzzer: typing.Optional[pathlib.Path] = None
    thorough: bool = False  # with every law alone


def folder_of(night, name, part):
    folder = night.options.work / name / part
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def fuzzer_of(night, name):
    """That of the target's next turn."""
    return build_of_turn(night.options, name, night.state["targets"][name])[0]


def committed(name):
    """The folders of a target's committed inputs."""
    return [folder for kind in ("seeds", "regress") if (folder := PROJECT / "corpus" / kind / name).is_dir()]


def command_of(options, name, fuzzer, seconds):
    home = options.work / name
    dictionary = fuzz_common.write_dictionary(options.fuzz_tool, name, options.work / f"{name}.dict")
    return [fuzzer, f"-max_total_time={seconds}", *fuzz_common.limits(),
            *fuzz_common.searching(dictionary, fuzzer.parent == options.fuzzers),
            "-print_final_stats=1", "-reload=0", f"-artifact_prefix={home}/crashes/", home / "corpus", *committed(name)]


def artifact_of(report, folder, before):
    """The failing input that a fuzzer wrote; slow ones do not fail."""
    named = [pathlib.Path(path.strip()) for path in ARTIFACT.findall(report)]
    found = [path for path in [*named, *sorted(set(folder.iterdir()) - before)]
             if not path.name.startswith("slow-unit-") and path.exists()]
    return found[0] if found else None


def fails_alone(night, name, fuzzer, artifact, thorough):
    """(signature, report) of an input that is run alone; (None, "") where it passes. One that runs out of time
    passes where it did not use that time of a processor: the machine did other things."""
    folder = folder_of(night, name, "alone")
    laws = {"ANECHECK_FUZZ_THOROUGH": "1"} if thorough else {}
    try:
        code, report, used = night.execute(
            name, [fuzzer, *fuzz_common.limits(4 * INPUT_SECONDS), f"-artifact_prefix={folder}/again-", artifact],
            CUT_OFF * INPUT_SECONDS, log="alone.log", **fuzz_common.telling(), **laws)
    except CutOff as cut:
        code, report, used = 0, "", cut.used
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if code in (0, FUZZER_TIMEOUT) and used < INPUT_SECONDS:
        return None, ""
    if night.stopped:
        raise Stopped
    if code in FROM_OUTSIDE or code == FUZZER_INTERRUPTED:
        raise OSError(f"{fuzzer} was ended from outside while it ran {artifact}: {code}")
    if code == 0:
        return "timeout", report
    signature = signature_of(report)
    return (f"killed by signal {-code}" if signature == UNKNOWN and code < 0 else signature), report


def confirm(night, name, fuzzer, artifact):
    """An input's failure where it is run again, in the sanitised build first, which names what fails; as it
    was found, then with every law. One without a signature where it passes in all."""
    sanitised = night.options.fuzzers / f"{name}_fuzzer"
    for each, thorough in ((sanitised, False), (sanitised, True), (fuzzer, False))[:2 if fuzzer == sanitised else 3]:
        signature, report = fails_alone(night, name, each, artifact, thorough)
        if signature:
            return Failure(signature, report, each, thorough)
    return Failure()


def make_small(night, name, fuzzer, candidate):
    """Leaves the smallest input found that fails in the same way; whether there is one."""
    small = candidate.with_name(candidate.name + ".small")
    process = night.start(name, [PROJECT / "scripts/fuzz-prune", "--fuzzers", fuzzer.parent, "--input", candidate,
                                 "--out", small, "--seconds", str(SMALLER_SECONDS),
                                 "--lock", str(night.held.fileno()), name],
                          stderr=subprocess.DEVNULL, pass_fds=[night.held.fileno()])
    done = process.wait() == 0 and small.exists()
    if done:
        small.replace(candidate)
    small.unlink(missing_ok=True)
    return done


def base_unit(night, name, report):
    """The file that the failing input was made from, where the corpora still hold it."""
    found = BASE.search(report)
    for folder in [night.options.work / name / "corpus", *committed(name)] if found else []:
        for path in folder.iterdir():
            if hashlib.sha1(path.read_bytes()).hexdigest() == found.group(1):
                return path
    return None


def name_of_candidate(night, name, signature, data):
    """Where a finding's input goes; beside those of other nights, which may be of other bugs."""
    folder = night.options.work / "regress" / name
    folder.mkdir(parents=True, exist_ok=True)
    candidate = folder / hashlib.sha1(signature.encode()).hexdigest()[:12]
    if candidate.with_name(candidate.name + ".txt").exists():
        candidate = candidate.with_name(f"{candidate.name}-{hashlib.sha1(data).hexdigest()[:8]}")
    return candidate


def files_of(night, name, signature, report, artifact, reproduced):
    """A finding, its input and its report in files; where no input fails alone, the seed and the base unit too."""
    candidate = name_of_candidate(night, name, signature, artifact.read_bytes() if artifact else report.encode())
    text = candidate.with_name(candidate.name + ".txt")
    finding = {"target": name, "signature": signature, "file": "", "report": str(text), "reproduced": reproduced}
    if artifact:
        finding["file"] = str(shutil.copy(artifact, candidate))
    if not reproduced:
        seed, base = SEED.search(report), base_unit(night, name, report)
        finding["seed"] = seed.group(1) if seed else ""
        if base:
            finding["base"] = str(shutil.copy(base, candidate.with_name(candidate.name + ".base")))
    if len(report) > 2 * REPORT_CHARACTERS:  # the head has the seed, the tail the failure
        report = f"{report[:REPORT_CHARACTERS]}\n[...]\n{report[-REPORT_CHARACTERS:]}"
    text.write_text(report or "no report is left of this failure\n")
    return finding


def remove_files(old, finding):
    """Removes the files of a finding that another took the place of."""
    for key in ("file", "report", "base"):
        if old.get(key) and old[key] not in finding.values():
            pathlib.Path(old[key]).unlink(missing_ok=True)


def shrink(night, name, fuzzer, finding):
    """Makes the input of a finding small, in the way that it fails in."""
    path = pathlib.Path(finding["file"])
    if make_small(night, name, fuzzer, path) and not finding["thorough"]:
        # With every law, of which fuzzing asserts the costly ones of few inputs, maybe not of the small one.
        finding["thorough"] = True
        finding["thorough"] = fails_alone(night, name, fuzzer, path, False)[0] is None
        night.save()


def keep(night, name, signature, report, artifact=None, fuzzer=None, thorough=False):
    """Adds a finding. Its input becomes a candidate for corpus/regress, and where a fuzzer is given in which
    it fails alone, a small one; else the report, the seed and the base unit are what there is of it."""
    old = night.known(name, signature)
    if old and not shows_more({"reproduced": fuzzer is not None}, old):
        return
    finding = files_of(night, name, signature, report, artifact, fuzzer is not None)
    if fuzzer:
        finding.update(fuzzer=str(fuzzer), thorough=thorough)
    night.add(finding)
    if old:
        remove_files(old, finding)
    try:
        if artifact and fuzzer and len(night.state["findings"]) <= MOST_SMALL:
            shrink(night, name, fuzzer, finding)
    finally:
        say(finding_line(finding))


def judge_input(night, name, fuzzer, artifact, signature=UNKNOWN, report=""):
    """Whether an input is a finding: it fails when it is run alone, or a fuzzer wrote it when it failed, and
    not for running out of time while the machine did other things. It is moved to judged."""
    alone = confirm(night, name, fuzzer, artifact)
    if alone.signature is not None and is_vague(signature):
        signature, report = alone.signature, alone.report or report
    elif signature == UNKNOWN:
        signature = KIND_OF_ARTIFACT.get(artifact.name.split("-")[0], UNKNOWN)
        if alone.signature is None and not report:  # nothing tells it from others of its kind
            signature = f"{signature} of {artifact.name}"
    found = alone.signature is not None or not artifact.name.startswith("timeout-")
    if found:
        keep(night, name, signature, report, artifact, alone.fuzzer, alone.thorough)
    artifact.replace(folder_of(night, name, "judged") / artifact.name)
    return found


def judge(night, name, fuzzer, code, report, artifact):
    """(whether there is a finding, error) of a turn that did not end well."""
    if code in FROM_OUTSIDE:
        return False, f"{fuzzer} was killed by signal {-code} (9: out of memory?)"
    signature = signature_of(report)
    if signature == UNKNOWN and code < 0:
        signature = f"killed by signal {-code}"
    if artifact is not None:
        # A fuzzer that ended with a word of its own failed, whatever that is called.
        return judge_input(night, name, fuzzer, artifact, signature, report), None
    if signature == UNKNOWN:
        last = fuzz_common.last_line(report)
        return False, f"{fuzzer} failed with exit code {code}: {last}"
    keep(night, name, signature, report)
    return True, None


def judge_folder(night, name, part, fuzzer, log=""):
    """Judges the inputs of a folder one after another; a log that names one is of its failure."""
    for artifact in sorted((night.options.work / name / part).glob("*")):
        if artifact.name.startswith("slow-unit-"):
            artifact.unlink()
            continue
        report = part_of(log, artifact.name)
        try:
            judge_input(night, name, fuzzer, artifact, signature_of(report), report)
        except (OSError, subprocess.SubprocessError) as error:
            if is_full(error):
                raise
            night.state["errors"].append(f"{name}: {error}")
        night.save()
    night.running.pop(name, None)


def text_of(path):
    return path.read_text(errors="replace") if path.exists() else ""


def judge_leftovers(night):
    """What an ended night could not judge."""
    for name in sorted(night.state["targets"]):
        log = night.options.work / name / "log"
        judge_folder(night, name, "crashes", fuzzer_of(night, name), text_of(log))


def judge_merged(night):
    """What failed while the corpora were merged, in a merge that was ended too."""
    for name in sorted(night.state["targets"]):
        for part in ("failed", "failed.merging"):
            log = night.options.work / name / f"{part}.log"
            judge_folder(night, name, part, night.options.fuzzers / f"{name}_fuzzer", text_of(log))
            if not any(log.with_name(part).glob("*")):
                log.unlink(missing_ok=True)


def drop(corpus, data):
    """Takes a failing input out of the corpus, which no turn could load else; whether it was there."""
    same = [path for path in corpus.iterdir() if data is not None and path.stat().st_size == len(data)
            and path.read_bytes() == data]
    for path in same:
        path.unlink()
    return bool(same)


def turn(night, name):
    options = night.options
    corpus, crashes = (folder_of(night, name, part) for part in ("corpus", "crashes"))
    fuzzer = fuzzer_of(night, name)
    start, fuzzed, failed, error, again = time.monotonic(), 0.0, False, None, True
    while again:
        night.check_disk()
        before, begun = set(crashes.iterdir()), time.monotonic()
        left = max(1, round(options.slice - fuzzed))
        code, report, _ = night.execute(name, command_of(options, name, fuzzer, left), left + GRACE)
        fuzzed += time.monotonic() - begun
        again = False
        if code not in ENDED_WELL:
            if night.stopped:
                raise Stopped
            night.check_disk()
            artifact = artifact_of(report, crashes, before)
            data = artifact.read_bytes() if artifact else None
            found, error = judge(night, name, fuzzer, code, report, artifact)
            failed = failed or found
            # What one build keeps may fail in the other, while it loads.
            again = (found and drop(corpus, data) and fuzzed < options.slice
                     and time.monotonic() < start + MOST_SLICES * options.slice)
    seconds = time.monotonic() - start
    if error:
        night.record_error(name, seconds, error)
    else:
        night.record(name, fuzzed, seconds, report, failed)


def worker(night):
    while name := night.next_target():
        start = time.monotonic()
        try:
            turn(night, name)
        except Stopped:
            return
        except (OSError, subprocess.SubprocessError) as error:
            if is_full(error):
                raise DiskFull(*error.args) from error
            night.record_error(name, time.monotonic() - start, str(error))


def fuzz(night):
    night.begin_fuzzing()
    with concurrent.futures.ThreadPoolExecutor(night.options.jobs) as pool:
        try:
            for done in concurrent.futures.as_completed([pool.submit(worker, night)
                                                         for _ in range(night.options.jobs)]):
                done.result()
        except BaseException:
            night.stop()
            raise
    night.end_fuzzing()
