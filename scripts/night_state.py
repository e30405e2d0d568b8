"""What a night knows of its targets, and how it runs a fuzzer; scripts/nightly says what a night is."""

import datetime
import errno
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import fuzz_common

PROJECT = pathlib.Path(__file__).resolve().parent.parent
FUZZ_SHARE = 2 / 3  # of a night whose other steps are wanted; they take the rest
FRESH_RATE = 1e9  # a target that never had a turn comes first
KEEP_RATE = 0.5  # weight of the past in a target's rate
REVISIT = 0.05  # features a second that a target gains for each turn it waits
MOST_ERRORS = 3  # turns of a build that could not be run, after which it is left alone

FEATURES = re.compile(r"^#(\d+)\s.* ft: (\d+)", re.MULTILINE)
LOADED = re.compile(r"^#\d+\s+INITED\s.* ft: (\d+)", re.MULTILINE)
EXECUTED = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
LAWS = re.compile(r"stat::law_(\w+):\s*(\d+)")
NEW_ROW = {"rate": FRESH_RATE, "waited": 0, "turns": 0, "seconds": 0.0, "executed": 0, "features": 0, "failures": 0,
           "sanitised_errors": 0, "fast_errors": 0, "read_again": 0, "as_text": 0, "vacuous": 0}
FORM = {"spent": (int, float), "finished": bool, "findings": list, "targets": dict}


class Stopped(Exception):
    """The night was ended before something could be told; it is told when the night goes on."""


class DiskFull(OSError):
    """No night without room: what a fuzzer tells then is of the disk."""


def is_full(error):
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def say(text, file=None):
    """Prints a line; a full disk behind the output ends no night."""
    try:
        print(text, file=file or sys.stdout, flush=True)
    except OSError:
        pass


def read_state(path):
    """An unfinished night's state; None where a new night begins."""
    if not path.exists():
        return None
    state = json.loads(path.read_text())
    if not isinstance(state, dict) or any(not isinstance(state.get(key), kind) for key, kind in FORM.items()) or not all(
            isinstance(row, dict) for row in [*state["targets"].values(), *state["findings"]]):
        raise ValueError(f"{path} is not the state of a night: move it away")
    return None if state["finished"] else state


def sources_of(options):
    """What the fuzzers were made of: the tree's commit, where it has one, and the time of the last build."""
    built = max((path.stat().st_mtime for path in options.fuzzers.glob("*_fuzzer")), default=0)
    commit = fuzz_common.commit_of(PROJECT)
    when = datetime.datetime.fromtimestamp(built).strftime("%Y-%m-%d %H:%M")
    return f"{f'commit {commit}, ' if commit else ''}fuzzers last built {when}"


def builds_of(options, name, row):
    """(fuzzer, key of its errors) of a target, the sanitised build first, without what cannot be run."""
    builds = [(options.fuzzers / f"{name}_fuzzer", "sanitised_errors")]
    fast = options.fast_fuzzers / f"{name}_fuzzer"
    if fast.exists():
        builds.append((fast, "fast_errors"))
    return [build for build in builds if row[build[1]] < MOST_ERRORS]


def build_of_turn(options, name, row):
    """(fuzzer, key of its errors) of the next turn: the builds in turn, and after an error the other."""
    builds = builds_of(options, name, row) or [(options.fuzzers / f"{name}_fuzzer", "sanitised_errors")]
    return builds[(row["turns"] + row["sanitised_errors"] + row["fast_errors"]) % len(builds)]


def shows_more(finding, old):
    """Whether an input reproduces what an older finding of the same name only tells of."""
    return finding.get("reproduced", True) and not old.get("reproduced", True)


class Night:
    """What is known of each target; saved after each turn, each finding and each step."""

    def __init__(self, options):
        self.options = options
        self.path = options.work / "state.json"
        self.held = fuzz_common.lock(options.work)
        self.lock = threading.RLock()
        self.running = {}  # target: its process, or None between processes
        self.stopped = False
        names = sorted(path.name.removesuffix("_fuzzer") for path in options.fuzzers.glob("*_fuzzer"))
        self.most_clock = 60 * options.minutes
        if not (options.skip_campaign and options.skip_coverage):
            self.most_clock *= FUZZ_SHARE
        self.seconds = self.most_clock * min(options.jobs, len(names))  # no target is at work twice
        self.state = read_state(self.path) or {"spent": 0.0, "finished": False, "findings": [], "targets": {}}
        if "seed" not in self.state or options.seed is not None:
            day = int(datetime.date.today().strftime("%Y%m%d"))
            self.state["seed"] = day if options.seed is None else options.seed
        for key in ("errors", "steps", "sources"):
            self.state.setdefault(key, [])
        # A night may go on with another tree than it began with.
        if self.state["sources"][-1:] != [sources_of(options)]:
            self.state["sources"].append(sources_of(options))
        rows = self.state["targets"]
        self.state["targets"] = {name: {**NEW_ROW, **rows.get(name, {})} for name in names}
        self.clocked = self.state.get("clock", 0.0)  # seconds of fuzzing before it was begun last
        self.fuzzing_since = None

    def begin_fuzzing(self):
        self.fuzzing_since = time.monotonic()

    def end_fuzzing(self):
        self.clocked, self.fuzzing_since = self.clock(), None

    def clock(self):
        """Seconds that fuzzing took by the clock, an interrupted night's among them."""
        return self.clocked + (0 if self.fuzzing_since is None else time.monotonic() - self.fuzzing_since)

    def turns(self):
        """Those of the night so far, with what is at work and what could not be run."""
        rows = self.state["targets"].values()
        return len(self.running) + sum(row[key] for row in rows for key in ("turns", "sanitised_errors", "fast_errors"))

    def has_time(self):
        """Whether fuzzing may go on. All jobs together have their seconds; where fewer are at work than could
        be, the clock ends it. However short a night is, and however slow its machine, it has one turn."""
        turns = self.turns()
        if self.options.turns is not None and turns >= self.options.turns:
            return False
        return turns == 0 or (self.clock() < self.most_clock and self.state["spent"] < self.seconds)

    def save(self):
        with self.lock:
            self.state["clock"] = self.clock()
            temporary = self.path.with_suffix(".new")
            temporary.write_text(json.dumps(self.state, indent=1))
            temporary.replace(self.path)

    def check_disk(self):
        free = shutil.disk_usage(self.options.work).free >> 20
        if free < self.options.least_free:
            raise DiskFull(errno.ENOSPC, f"{free} MB are free, of {self.options.least_free} that a night needs",
                           str(self.options.work))

    def next_target(self):
        """The most promising target that is not at work; None where the time is used up."""
        with self.lock:
            if self.stopped or not self.has_time():
                return None
            free = {name: row for name, row in self.state["targets"].items()
                    if name not in self.running and builds_of(self.options, name, row)}
            if not free:
                return None
            name = max(sorted(free), key=lambda name: free[name]["rate"] + REVISIT * free[name]["waited"])
            for other in free.values():
                other["waited"] += 1
            free[name]["waited"] = 0
            self.running[name] = None
            return name

    def start(self, name, command, **more):
        """A process that ends with the night; Stopped where that is over. A session of its own: what a closed
        terminal ends, the night ends, with all that it started, and does not take for an error."""
        with self.lock:
            if self.stopped:
                raise Stopped
            self.running[name] = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True, **more)
            return self.running[name]

    def execute(self, name, command, seconds, log="log", **more):
        """(exit code, report, processor seconds) of a fuzzer; CutOff where it hangs."""
        with (self.options.work / name / log).open("wb+") as file:
            # With the lock, so that no other night begins while a fuzzer of a killed one is at work.
            process = self.start(name, command, stderr=file, env=fuzz_common.environment(**more),
                                 pass_fds=[self.held.fileno()])
            used = wait(process, seconds)
            file.seek(0)
            return process.returncode, file.read().decode(errors="replace"), used

    def stop(self):
        """Ends what is at work; what it found is kept, and what was not judged is when the night goes on."""
        with self.lock:
            self.stopped = True
            for process in self.running.values():
                if process is not None and process.returncode is None:
                    end(process)

    def known(self, target, signature):
        """The finding of a target with a signature; None where there is none yet."""
        with self.lock:
            return next((old for old in self.state["findings"]
                         if (old["target"], old["signature"]) == (target, signature)), None)

    def add(self, finding):
        """Whether the finding is new, or shows by its input what was only told; it is saved."""
        with self.lock:
            old = self.known(finding["target"], finding["signature"])
            if old is None:
                self.state["findings"].append(finding)
            elif shows_more(finding, old):
                self.state["findings"][self.state["findings"].index(old)] = finding
            else:
                return False
            self.save()
        return True

    def record(self, name, fuzzed, seconds, report, failed):
        """A turn: seconds of fuzzing, and with what came of it."""
        counts = FEATURES.findall(report)
        executed = EXECUTED.search(report)
        loaded = LOADED.search(report)
        with self.lock:
            row = self.state["targets"][name]
            features = int(counts[-1][1]) if counts else 0
            # What the turn itself discovered: the two builds count their features each its own way.
            fresh = max(0, features - (int(loaded.group(1)) if loaded else row["features"]))
            rate = fresh / max(fuzzed, 1)
            row["rate"] = rate if row["rate"] >= FRESH_RATE else KEEP_RATE * row["rate"] + (1 - KEEP_RATE) * rate
            row["features"] = max(features, row["features"])
            row["turns"] += 1
            row["seconds"] += fuzzed
            row["executed"] += int(executed.group(1)) if executed else 0
            for law, count in LAWS.findall(report):
                row[law] += int(count)
            self.state["spent"] += seconds
            row["failures"] += bool(failed)
            self.running.pop(name, None)
            self.save()

    def record_error(self, name, seconds, what):
        """A turn that could not be run to its end, for reasons that are not the target's."""
        with self.lock:
            row = self.state["targets"][name]
            row[build_of_turn(self.options, name, row)[1]] += 1
            row["rate"] = 0.0
            self.state["spent"] += seconds
            if f"{name}: {what}" not in self.state["errors"]:
                self.state["errors"].append(f"{name}: {what}")
            self.running.pop(name, None)
            self.save()
        say(f"{name}: {what}", sys.stderr)


class CutOff(subprocess.TimeoutExpired):
    """A process that did not end in its time, with the processor seconds that it used."""

    def __init__(self, process, seconds, used):
        super().__init__(process.args[0], seconds)
        self.used = used


def reap(process, options=0):
    """The processor seconds that a process used, with what it waited for; None where it is at work."""
    done, status, usage = os.wait4(process.pid, options)
    if not done:
        return None
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def wait(process, seconds):
    """The processor seconds that a process used; CutOff, and it is gone, where it does not end."""
    deadline = time.monotonic() + seconds
    while (used := reap(process, os.WNOHANG)) is None:
        if time.monotonic() > deadline:
            end(process, signal.SIGKILL)
            raise CutOff(process, seconds, reap(process))
        time.sleep(0.02)
    return used


def end(process, with_signal=signal.SIGTERM):
    """Ends a process, with its group where it leads one."""
    try:
        if os.getpgid(process.pid) == process.pid:
            os.killpg(process.pid, with_signal)
        else:
            os.kill(process.pid, with_signal)
    except ProcessLookupError:
        pass
