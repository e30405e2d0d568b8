"""A night's scripts with fuzzers that are shell scripts, for the tests of nights."""

import argparse
import fcntl
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import fuzz_common
from night_state import Night

NIGHTLY = pathlib.Path(__file__).resolve().parent / "nightly"
# A night of one turn. What a test expects of more turns, it says how many: how many there are in a time is the machine's.
SHORT = ("--minutes", "0.001", "--turns", "1")

# The night, where a second of a processor is what an input may take.
IMPATIENT = f"""import runpy, sys
sys.path.insert(0, {str(NIGHTLY.parent)!r})
import fuzz_common
fuzz_common.INPUT_SECONDS = 1
import night_turns
night_turns.CUT_OFF = 600
runpy.run_path({str(NIGHTLY)!r}, run_name="__main__")
"""
# What takes two seconds of a processor where an input is judged, on however busy a machine.
BURN = "case $prefix in */again-) (ulimit -t 2; while :; do :; done) ;; esac"

REPORTING = """#!/bin/sh
case "$1" in -merge=1) exit 0 ;; esac
for argument; do
  case $argument in
    -artifact_prefix=*) echo $$ > "${argument#-artifact_prefix=}crash-$$" ;;
  esac
done
cat >&2 <<END
%s
END
exit 77
"""
QUIET = """#!/bin/sh
echo '#100 NEW cov: 10 ft: 20 corp: 1' >&2
echo 'stat::number_of_executed_units: 100' >&2
echo 'stat::law_read_again: 7' >&2
echo 'stat::law_as_text: 2' >&2
echo 'stat::law_vacuous: 1' >&2
"""
FAILING = """#!/bin/sh
for argument; do
  case $argument in
    -merge=1) exit 0 ;;
    -artifact_prefix=*) echo bad > "${argument#-artifact_prefix=}crash-$$" ;;
  esac
done
echo 'law broken: write(parse(x)) is x: toy' >&2
exit 77
"""


# A fuzzer for which files that hold "bad" break a law, in its corpus and alone; merging finds them too.
SANITISED = """#!/bin/sh
merging= prefix= out=
for argument; do
  case $argument in
    -merge=1) merging=yes ;;
    -artifact_prefix=*) prefix=${argument#-artifact_prefix=} ;;
  esac
done
for argument; do
  case $argument in -*) continue ;; esac
  [ -n "$out" ] || out=$argument
  for file in $argument $argument/*; do
    [ -f "$file" ] || continue
    [ "$argument" != "$file" ] || echo "Running: $file" >&2
    if ! grep -q bad "$file"; then
      [ -z "$merging" ] || cp "$file" "$out"
      continue
    fi
    [ "$argument" = "$file" ] || cp "$file" "${prefix}crash-$(basename "$file")"
    [ -z "$merging" ] || continue
    echo 'law broken: coverage adds up [toy]: no' >&2
    exit 77
  done
done
[ -n "$merging" ] || echo '#100 NEW cov: 10 ft: 20 corp: 1' >&2
"""


def fuzzer(merging="exit 0", alone="exit 0", fuzzing="exit 0"):
    """A fuzzer that does one thing in a merge, one with a file and one else; $prefix is of what it writes."""
    return f"""#!/bin/sh
merging= last=
for argument; do
  case $argument in
    -artifact_prefix=*) prefix=${{argument#-artifact_prefix=}} ;;
    -merge=1) merging=yes ;;
    -*) ;;
    *) last=$argument ;;
  esac
done
if [ -n "$merging" ]; then {merging}; exit 0; fi
if [ -f "$last" ]; then {alone}; exit 0; fi
{fuzzing}
echo '#100 NEW cov: 10 ft: 20 corp: 1' >&2
"""


class NightTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        self.work = self.root / "work"
        (self.root / "fuzzers").mkdir()

    def add_fuzzer(self, name, script, build="fuzzers"):
        path = self.root / build / f"{name}_fuzzer"
        path.parent.mkdir(exist_ok=True)
        path.write_text(script)
        path.chmod(0o755)

    def add_tool(self, script):
        (self.root / "tool").write_text("#!/bin/sh\n" + script)
        (self.root / "tool").chmod(0o755)

    def findings(self):
        return json.loads((self.work / "state.json").read_text())["findings"]

    def calls(self):
        path = self.root / "calls"
        return path.read_text() if path.exists() else ""

    def run_night(self, *arguments, **more):
        return subprocess.run(self.command(*arguments, **more), capture_output=True, text=True)

    def command(self, *arguments, campaign=False, impatient=False):
        if not (self.root / "tool").exists():
            self.add_tool("")
        night = ["-c", IMPATIENT] if impatient else [NIGHTLY]
        command = [sys.executable, *night, "--work", self.work, "--fuzzers", self.root / "fuzzers",
                   "--fast-fuzzers", self.root / "fast", "--tool", self.root / "tool",
                   "--fuzz-tool", self.root / "tool", "--skip-coverage", "--jobs", "1", *arguments]
        if not campaign:
            command.append("--skip-campaign")
        return command

    def add_corpus(self, **files):
        corpus = self.work / "toy" / "corpus"
        corpus.mkdir(parents=True)
        for name, text in files.items():
            (corpus / name).write_text(text)
        return corpus

    def options(self, **more):
        return argparse.Namespace(work=self.work, fuzzers=self.root / "fuzzers", fast_fuzzers=self.root / "fast",
                                  fuzz_tool=self.root / "tool", minutes=10.0, turns=None, jobs=2, slice=5,
                                  least_free=1, seed=1, skip_campaign=False, skip_coverage=True, **more)

    def night(self, options):
        night = Night(options)
        self.addCleanup(night.held.close)
        fcntl.flock(night.held, fcntl.LOCK_UN)  # so that others may be at work in the folder
        return night

    def once(self, script):
        """What a fuzzer does in its first turn alone."""
        return f"[ -e {self.root}/once ] || {{ touch {self.root}/once; {script}; }}"

    def begin_night(self, *arguments, before=(), **more):
        """A night at work, for tests that end it; what it prints is dropped."""
        return subprocess.Popen([*before, *self.command(*arguments, **more)], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)

    def set_state(self, **more):
        """What a night left that was ended, to begin with."""
        self.work.mkdir(exist_ok=True)
        state = {"spent": 0.0, "finished": False, "findings": [], "targets": {}, **more}
        (self.work / "state.json").write_text(json.dumps(state))
        return state

    def is_at_work(self, name):
        """Whether the process is there whose number is in a file."""
        try:
            os.kill(int((self.root / name).read_text()), 0)
        except ProcessLookupError:
            return False
        return True

    def wait_for(self, done, seconds=300):
        deadline = time.monotonic() + seconds
        while not done():
            self.assertLess(time.monotonic(), deadline, "nothing came of it")
            time.sleep(0.02)

    def is_locked(self):
        try:
            fuzz_common.lock(self.work).close()
        except OSError:
            return True
        return False

    def signatures(self):
        return [row["signature"] for row in self.findings()]
