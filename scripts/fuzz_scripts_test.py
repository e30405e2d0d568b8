#!/usr/bin/env python3
"""The exit codes of the scripts around fuzzing, with fuzzers and tools that are shell scripts: 0 done, 1 a
finding, 2 wrong usage, 3 what the script needs is missing or failed, told in one line."""

import contextlib
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
import fuzz_common  # noqa: E402

SCRIPTS = pathlib.Path(__file__).resolve().parent
QUIET = "exit 0\n"
FAILING = "echo 'no such luck' >&2\nexit 1\n"
# A fuzzer that takes a while for each execution, as long as its first argument says.
BUSY = """for argument; do
  case $argument in
    -runs=*) runs=${argument#-runs=} ;;
  esac
done
i=0
while [ $i -lt $((runs * UNITS)) ]; do i=$((i + 1)); done
"""


# A fuzzer that fails in one way for files with an A before a B, in another for those with an A alone, and,
# as with laws that are asserted of few inputs, not at all for files other than the first where laws are sampled.
SHRINKING = """for argument; do
  case $argument in
    -minimize_crash_internal_step=1) exit 0 ;;
    -*) continue ;;
  esac
  echo "Running: $argument" >&2
  [ -n "$ANECHECK_FUZZ_THOROUGH" ] || [ "$(cat "$argument")" = xxxxAxxxxBxx ] || continue
  case $(cat "$argument") in
    *A*B*) echo 'law broken: both [toy]: x' >&2; exit 77 ;;
    *A*) echo 'law broken: one [toy]: x' >&2; exit 77 ;;
  esac
done
"""


def load(name):
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(SCRIPTS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class FuzzScriptsTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        self.fuzzers = self.root / "fuzzers"
        self.fuzzers.mkdir()

    def add(self, path, script):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)
        return path

    def run_script(self, name, *arguments, **environment):
        return subprocess.run([sys.executable, SCRIPTS / name, *arguments], capture_output=True, text=True,
                              env={**os.environ, **environment})

    def end_while_busy(self, name, *arguments):
        """Ends a script while its fuzzer, which writes its id into the file `pid`, is at work; the exit code."""
        temporary, pid = self.root / "temporary", self.root / "pid"
        temporary.mkdir()
        script = subprocess.Popen([sys.executable, SCRIPTS / name, *arguments], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(temporary)})
        while not (pid.exists() and pid.read_text().endswith("\n")):
            self.assertIsNone(script.poll())
            time.sleep(0.02)
        time.sleep(1)  # the script may not know of its fuzzer yet
        script.terminate()
        code = script.wait()
        self.assertEqual(list(temporary.iterdir()), [])
        state = subprocess.run(["ps", "-o", "stat=", "-p", pid.read_text().strip()], capture_output=True, text=True)
        if state.stdout.strip()[:1] not in ("", "Z"):
            os.kill(int(pid.read_text()), signal.SIGKILL)
            self.fail("the fuzzer is still at work")
        return code

    def assert_failed(self, run, *told):
        self.assertEqual(run.returncode, 3, run.stdout + run.stderr)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        for words in told:
            self.assertIn(words, run.stderr)


class SpeedTest(FuzzScriptsTest):
    def speed(self, *arguments):
        return self.run_script("fuzz-speed", "--fuzzers", self.fuzzers, "--seconds", "0.05", *arguments)

    def test_a_slow_target_is_1(self):
        self.add("fuzzers/anecheck_empty_target", BUSY.replace("UNITS", "100"))
        self.add("fuzzers/hal_fuzzer", BUSY.replace("UNITS", "100"))
        self.assertEqual(self.speed().returncode, 0)
        self.add("fuzzers/hal_fuzzer", BUSY.replace("UNITS", "5000"))
        run = self.speed()
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("BELOW", run.stdout)

    def test_the_rate_of_fuzzing_itself_is_told(self):
        self.add("fuzzers/anecheck_empty_target", BUSY.replace("UNITS", "100"))
        self.add("fuzzers/hal_fuzzer", 'case "$*" in *-max_total_time*) i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; '
                 "echo stat::number_of_executed_units: 99999999 >&2; exit 0 ;; esac\n" + BUSY.replace("UNITS", "100"))
        self.assertRegex(self.speed().stdout, r"(?m)^hal .* \d{8,}$")

    def test_wrong_usage_is_2(self):
        self.add("fuzzers/anecheck_empty_target", QUIET)
        self.add("fuzzers/hal_fuzzer", QUIET)
        self.assertEqual(self.speed("nosuch").returncode, 2)
        self.assertEqual(self.speed("--seconds", "many").returncode, 2)

    def test_what_cannot_be_measured_is_3(self):
        self.assert_failed(self.speed(), "no fuzzers")
        self.add("fuzzers/anecheck_empty_target", FAILING)
        self.add("fuzzers/hal_fuzzer", QUIET)
        self.assert_failed(self.speed(), "exit code 1", "no such luck")
        self.add("fuzzers/anecheck_empty_target", QUIET)
        self.assert_failed(self.speed(), "does not execute its inputs")
        self.add("fuzzers/seedless_fuzzer", QUIET)
        self.assert_failed(self.speed("seedless"), "seedless has no seeds")


class PlantedBugsTest(FuzzScriptsTest):
    def setUp(self):
        super().setUp()
        self.add("tool", "echo '\"word\"'\n")

    def hunt(self, *arguments):
        return self.run_script("check-planted-bugs", "--fuzzers", self.fuzzers, "--fuzz-tool", self.root / "tool",
                               *arguments)

    def add_buggy(self, name, report, replays="no"):
        """A fuzzer that fails where a bug is on; in replays only where `replays` is yes."""
        self.add(f"fuzzers/{name}_fuzzer", f"""[ -n "$ANECHECK_PLANTED_BUG" ] || exit 0
case "$*" in *-runs=0*) [ {replays} = yes ] || exit 0 ;; esac
echo "$@" >{self.root}/call
echo '{report}' >&2
exit 77
""")

    def test_a_seed_that_shows_the_bug_is_told(self):
        self.add_buggy("hwx", "law broken: coverage adds up [hwx]: x", replays="yes")
        self.assertIn("a seed: law broken: coverage adds up", self.hunt("ReaderSubrange").stdout)
        self.add_buggy("hwx", "law broken: coverage adds up [hwx]: x")
        run = self.hunt("ReaderSubrange")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("a seed", run.stdout)

    def test_the_hunt_searches_as_a_night_does(self):
        self.add_buggy("hwx", "law broken: x")
        self.hunt("ReaderSubrange")
        call = (self.root / "call").read_text()
        self.assertIn("-use_value_profile=1", call)
        self.assertIn("-dict=", call)

    def test_time_and_memory_count_for_bugs_that_take_them_alone(self):
        for report in ("ERROR: libFuzzer: timeout after 20 seconds", "ERROR: libFuzzer: out-of-memory (used: 3Gb)"):
            self.add_buggy("hwx", report)
            self.assertEqual(self.hunt("HwxThreadWords").returncode, 0)
            run = self.hunt("ReaderSubrange")
            self.assertEqual(run.returncode, 1)
            self.assertIn("NOT FOUND", run.stdout)
        self.add_buggy("hwx", "cannot open a file")
        self.assertEqual(self.hunt("HwxThreadWords").returncode, 1)

    def test_a_bug_that_is_not_found_is_1(self):
        self.add_buggy("hwx", "ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1")
        self.assertEqual(self.hunt("ReaderSubrange").returncode, 0)
        self.add("fuzzers/hwx_fuzzer", QUIET)
        run = self.hunt("ReaderSubrange")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("NOT FOUND", run.stdout)

    def test_wrong_usage_is_2(self):
        self.assertEqual(self.hunt("NoSuchBug").returncode, 2)

    def test_ended_it_leaves_no_fuzzer_and_no_folder(self):
        self.add("fuzzers/hwx_fuzzer", f"echo $$ >{self.root}/pid; exec sleep 300\n")
        self.assertEqual(self.end_while_busy("check-planted-bugs", "--fuzzers", self.fuzzers, "--fuzz-tool",
                                             self.root / "tool", "ReaderSubrange"), 3)

    def test_a_fuzzer_that_cannot_run_is_3(self):
        self.assert_failed(self.hunt("ReaderSubrange"), "is missing")
        self.add("fuzzers/hwx_fuzzer", FAILING)
        self.assert_failed(self.hunt("ReaderSubrange"), "without the bug", "no such luck")


class PruneTest(FuzzScriptsTest):
    def prune(self, *arguments):
        return self.run_script("fuzz-prune", "--fuzzers", self.fuzzers, "--work", self.root / "work", *arguments)

    def add_corpus(self):
        (self.root / "work/hal/corpus").mkdir(parents=True)
        (self.root / "work/hal/corpus/file").write_text("x")

    def test_a_merged_corpus_takes_the_place_of_the_old_one(self):
        self.add_corpus()
        self.add("fuzzers/hal_fuzzer", 'for folder; do case $folder in *.pruned) echo y >"$folder/new" ;; esac; done\n')
        self.assertEqual(self.prune().returncode, 0)
        self.assertEqual([path.name for path in (self.root / "work/hal/corpus").iterdir()], ["new"])

    def test_merging_asserts_every_law(self):
        self.add_corpus()
        self.add("fuzzers/hal_fuzzer", f'echo "thorough $ANECHECK_FUZZ_THOROUGH" >{self.root}/called\n')
        self.assertEqual(self.prune().returncode, 0)
        self.assertEqual((self.root / "called").read_text(), "thorough 1\n")

    def test_wrong_usage_is_2(self):
        self.assertEqual(self.prune("--input", self.root / "nosuch", "hal").returncode, 2)
        self.assertEqual(self.prune("--input", SCRIPTS / "fuzz-prune").returncode, 2)
        run = self.prune("nosuch")
        self.assertEqual(run.returncode, 2)
        self.assertIn("no corpus of a target nosuch", run.stderr)

    def test_an_input_that_fails_in_a_merge_is_1_and_kept(self):
        self.add_corpus()
        self.add("fuzzers/hal_fuzzer", """for argument; do
  case $argument in -artifact_prefix=*) echo bad >"${argument#-artifact_prefix=}crash-1" ;; esac
done
""")
        run = self.prune()
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("crash-1 fails", run.stdout)
        self.assertEqual((self.root / "work/hal/failed/crash-1").read_text(), "bad\n")

    def test_a_merge_in_which_nothing_fails_is_0_whatever_failed_before(self):
        self.add_corpus()
        self.add("fuzzers/hal_fuzzer", """for argument; do
  case $argument in -artifact_prefix=*) prefix=${argument#-artifact_prefix=} ;; esac
done
[ -e %s/once ] || { touch %s/once; echo bad >"${prefix}crash-1"; echo "law broken: x; see ${prefix}crash-1" >&2; }
""" % (self.root, self.root))
        self.assertEqual([self.prune().returncode for _ in range(3)], [1, 0, 0])
        self.assertEqual([path.name for path in (self.root / "work/hal/failed").iterdir()], ["crash-1"])
        self.assertIn("law broken: x", (self.root / "work/hal/failed.log").read_text())

    def test_what_failed_in_a_merge_that_was_ended_is_told_by_the_next(self):
        for number, with_signal in enumerate((signal.SIGTERM, signal.SIGKILL)):
            home = self.root / f"work-{number}/hal"
            (home / "corpus").mkdir(parents=True)
            (home / "corpus/file").write_text("x")
            arguments = ("--fuzzers", self.fuzzers, "--work", home.parent)
            self.add("fuzzers/hal_fuzzer", """for argument; do
  case $argument in -artifact_prefix=*) prefix=${argument#-artifact_prefix=} ;; esac
done
echo "law broken: x; see ${prefix}oom-1" >&2; echo bad >"${prefix}oom-1"; echo $$ >"${prefix}../pid"
exec sleep 600
""")
            ended = subprocess.Popen([sys.executable, SCRIPTS / "fuzz-prune", *arguments],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while not ((home / "pid").exists() and (home / "pid").read_text()):
                self.assertIsNone(ended.poll())
                time.sleep(0.02)
            ended.send_signal(with_signal)
            ended.wait()
            with contextlib.suppress(ProcessLookupError):
                os.kill(int((home / "pid").read_text()), signal.SIGKILL)
            self.add("fuzzers/hal_fuzzer", QUIET)
            while self.is_locked(home.parent):
                time.sleep(0.02)
            runs = [self.run_script("fuzz-prune", *arguments) for _ in range(2)]
            self.assertEqual([run.returncode for run in runs], [1, 0], runs)
            self.assertIn("oom-1 fails", runs[0].stdout)
            self.assertEqual((home / "failed/oom-1").read_text(), "bad\n")
            self.assertIn("law broken: x", (home / "failed.log").read_text())
            self.assertEqual(sorted(path.name for path in home.iterdir()), ["corpus", "failed", "failed.log", "pid"])

    def is_locked(self, work):
        try:
            fuzz_common.lock(work).close()
        except OSError:
            return True
        return False

    def test_beside_a_night_nothing_is_merged(self):
        self.add_corpus()
        self.add("fuzzers/hal_fuzzer", QUIET)
        with fuzz_common.lock(self.root / "work") as held:
            self.assert_failed(self.prune(), "another night is at work")
            run = subprocess.run([sys.executable, SCRIPTS / "fuzz-prune", "--fuzzers", self.fuzzers, "--work",
                                  self.root / "work", "--lock", str(held.fileno())], pass_fds=[held.fileno()])
            self.assertEqual(run.returncode, 0)

    def test_a_merge_in_which_many_inputs_fail_is_ended_and_they_leave_the_corpus(self):
        self.add_corpus()
        (self.root / "work/hal/corpus/bad").write_text("bad 3")
        (self.root / "work/hal/failed").mkdir()
        for number in range(1000):  # that failed in another merge count for nothing
            (self.root / f"work/hal/failed/crash-{number}").write_text("bad %s" % number)
        self.add("fuzzers/hal_fuzzer", """for argument; do
  case $argument in -artifact_prefix=*) prefix=${argument#-artifact_prefix=} ;; esac
done
i=0
while [ $i -lt 50 ]; do printf 'bad %s' $i >"${prefix}crash-$i"; i=$((i + 1)); done
exec sleep 600
""")
        run = self.prune("--merge-seconds", "600")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("so many inputs fail", run.stdout)
        self.assertEqual([path.name for path in (self.root / "work/hal/corpus").iterdir()], ["file"])
        self.assertLessEqual(run.stdout.count(" fails\n"), 50)

    def test_a_merge_without_end_is_3(self):
        self.add_corpus()
        self.add("fuzzers/hal_fuzzer", "sleep 600 & wait\n")
        self.assert_failed(self.prune("--merge-seconds", "1"), "it takes too long")

    def test_a_merge_without_end_is_3_though_an_input_fails(self):
        self.add_corpus()
        (self.root / "work/hal/failed.merging").mkdir()
        (self.root / "work/hal/failed.merging/crash-1").write_text("bad")
        self.add("fuzzers/hal_fuzzer", "sleep 600 & wait\n")
        run = self.prune("--merge-seconds", "1")
        self.assert_failed(run, "it takes too long")
        self.assertIn("crash-1 fails", run.stdout)
        self.assertEqual((self.root / "work/hal/failed/crash-1").read_text(), "bad")

    def test_a_merge_that_fails_by_chance_is_tried_again(self):
        self.add_corpus()
        self.add("fuzzers/hal_fuzzer", f"[ -e {self.root}/once ] || {{ touch {self.root}/once; exit 1; }}\n"
                 'for folder; do case $folder in *.pruned) echo y >"$folder/new" ;; esac; done\n')
        run = self.prune()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual([path.name for path in (self.root / "work/hal/corpus").iterdir()], ["new"])

    def test_a_corpus_that_an_end_left_aside_comes_back(self):
        self.add_corpus()
        (self.root / "work/hal/corpus").rename(self.root / "work/hal/corpus.old")
        self.add("fuzzers/hal_fuzzer", 'for last; do :; done; cp "$last/file" "$(dirname "$last")/corpus.pruned"\n')
        run = self.prune()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual([path.name for path in (self.root / "work/hal").iterdir() if "corpus" in path.name], ["corpus"])
        self.assertEqual((self.root / "work/hal/corpus/file").read_text(), "x")

    def make_small(self, text):
        (self.root / "big").write_text(text)
        return self.prune("--input", self.root / "big", "--out", self.root / "small", "hal")

    def test_a_small_input_fails_in_the_same_way(self):
        self.add("fuzzers/hal_fuzzer", SHRINKING)
        run = self.make_small("xxxxAxxxxBxx")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual((self.root / "small").read_text(), "AB")
        self.assertIn("both [toy]", run.stdout)

    def test_a_search_that_comes_upon_another_bug_is_not_taken(self):
        searched = 'case "$*" in *internal_step*) for argument; do case $argument in -exact*) printf A >"${argument#*=}" ;;'
        self.add("fuzzers/hal_fuzzer", searched + " esac; done; exit 77 ;; esac\n" + SHRINKING)
        self.make_small("xxxxAxxxxBxx")
        self.assertEqual((self.root / "small").read_text(), "AB")

    def test_ended_it_leaves_no_fuzzer_and_no_folder(self):
        self.add("fuzzers/hal_fuzzer", f"""case $* in
  *-minimize_crash*) echo $$ >{self.root}/pid; exec sleep 300 ;;
esac
echo 'law broken: x [hal]: y' >&2; exit 77
""")
        (self.root / "big").write_text("xx")
        self.assertEqual(self.end_while_busy("fuzz-prune", "--fuzzers", self.fuzzers, "--input", self.root / "big",
                                             "--out", self.root / "small", "hal"), 3)

    def test_an_input_that_does_not_fail_is_3(self):
        self.add("fuzzers/hal_fuzzer", SHRINKING)
        self.assert_failed(self.make_small("good"), "does not fail")
        self.assertFalse((self.root / "small").exists())

    def test_a_merge_that_fails_is_3_and_loses_nothing(self):
        self.add_corpus()
        self.assert_failed(self.prune(), "is missing")
        self.add("fuzzers/hal_fuzzer", FAILING)
        self.assert_failed(self.prune(), "hal: not pruned", "no such luck")
        self.assertEqual([path.name for path in (self.root / "work/hal/corpus").iterdir()], ["file"])


class SeedsTest(FuzzScriptsTest):
    def seeds(self, *arguments):
        return self.run_script("fuzz-seeds", "--fuzzers", self.fuzzers, "--tool", self.root / "tool", *arguments)

    def test_wrong_usage_is_2(self):
        self.add("tool", "printf 'hal\\thal\\n'\n")
        self.assertEqual(self.seeds("nosuch").returncode, 2)

    def test_a_tool_that_fails_is_3_and_loses_nothing(self):
        self.assert_failed(self.seeds("hal"), "tool")
        self.add("tool", "[ $1 = list ] && printf 'hal\\thal\\n'\n")
        before = sorted((SCRIPTS.parent / "corpus/seeds/hal").iterdir())
        self.assert_failed(self.seeds("hal"), "seeds")
        self.assertEqual(sorted((SCRIPTS.parent / "corpus/seeds/hal").iterdir()), before)


class CompareAflTest(FuzzScriptsTest):
    """With an AFL++ that finds its crash after WITH or WITHOUT milliseconds."""

    def compare(self, soon, late, *arguments):
        self.add("bin/afl-cc", 'while [ "$1" != -o ]; do shift; done; touch "$2"\n')
        self.add("bin/afl-clang-fast", 'while [ "$1" != -o ]; do shift; done; touch "$2"\n')
        self.add("bin/afl-fuzz", f"""while [ "$1" != -o ]; do shift; done
mkdir -p "$2/default/crashes"
echo "execs_done : 321" >"$2/default/fuzzer_stats"
time={late}
[ -z "$AFL_CUSTOM_MUTATOR_LIBRARY" ] || {{ time={soon}; echo "$AFL_CUSTOM_MUTATOR_LIBRARY $ANECHECK_FORMAT" >{self.root}/given; }}
[ $time = never ] || touch "$2/default/crashes/id:000000,sig:08,src:000000,time:$time,execs:9"
""")
        self.add("mutator.so", "")
        return self.run_script("compare-afl", "--runs", "2", "--mutator", self.root / "mutator.so", *arguments,
                               PATH=f"{self.root / 'bin'}:{os.environ['PATH']}")

    def test_the_mutator_is_worth_something_where_the_bug_is_found_sooner(self):
        run = self.compare(1500, 2500)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"(?m)^with +1 +1\.5 +321$")
        self.assertIn("median without: 2.5 s", run.stdout)
        self.assertEqual((self.root / "given").read_text(), f"{self.root / 'mutator.so'} npz\n")
        self.assertEqual(self.compare(2500, 1500).returncode, 1)

    def test_what_is_never_found_is_later_than_all(self):
        run = self.compare(1500, "never")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("median without: not found", run.stdout)
        self.assertEqual(self.compare("never", 1500).returncode, 1)

    def test_an_earlier_comparison_gives_no_figures(self):
        self.compare(1500, 1500, "--work", self.root / "afl")
        self.assertIn("median with: not found", self.compare("never", 1500, "--work", self.root / "afl").stdout)

    def test_a_compiler_that_fails_is_3(self):
        self.compare(1, 1)
        self.add("bin/afl-clang-fast", "exit 1\n")
        self.assert_failed(self.run_script("compare-afl", "--mutator", self.root / "mutator.so",
                                           PATH=f"{self.root / 'bin'}:{os.environ['PATH']}"), "afl-clang-fast")

    def test_a_mutator_that_is_not_built_is_3(self):
        self.compare(1, 1)
        self.assert_failed(self.run_script("compare-afl", "--mutator", self.root / "nosuch",
                                           PATH=f"{self.root / 'bin'}:{os.environ['PATH']}"), "anecheck_afl_mutator")


class CoverageTest(FuzzScriptsTest):
    def coverage(self, *arguments):
        return self.run_script("coverage", "--build", self.root / "build", *arguments,
                               PATH=f"{self.root / 'bin'}:{os.environ['PATH']}")

    def add_llvm(self, covered):
        data = {"data": [{"totals": {"lines": {"count": 100, "covered": covered}}, "functions": []}]}
        self.add("bin/cmake", QUIET)
        self.add("bin/llvm-profdata-19", QUIET)
        self.add("bin/llvm-cxxfilt-19", QUIET)
        self.add("bin/llvm-cov-19", f"echo '{json.dumps(data)}'\n")
        self.add("build/fuzz/anecheck_fuzz_tool", QUIET)

    def test_the_build_is_brought_up_to_date_and_configured_once(self):
        self.add_llvm(95)
        self.add("bin/cmake", f'echo "$*" >>{self.root}/calls; touch {self.root}/build/CMakeCache.txt\n')
        for _ in range(2):
            self.assertEqual(self.coverage("stabs").returncode, 0)
        build = f"--build {self.root}/build --target anecheck_fuzz_tool"
        self.assertEqual((self.root / "calls").read_text().splitlines(),
                         [f"--preset coverage -B {self.root}/build", build, build])
        self.add("bin/cmake", "exit 1\n")
        self.assert_failed(self.coverage("stabs"), "cmake")

    def test_a_parser_that_is_not_reached_is_1(self):
        self.add_llvm(95)
        self.assertEqual(self.coverage("stabs").returncode, 0)
        self.add_llvm(94)
        run = self.coverage("stabs")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("BELOW", run.stdout)

    def test_what_measures_nothing_is_no_success(self):
        self.add_llvm(95)
        (self.root / "night").mkdir()
        self.assert_failed(self.coverage("stabs", "--corpus", self.root / "night"), "no corpus of stabs")
        run = self.coverage("--corpus", self.root / "night", "stabs")
        self.assertEqual(run.returncode, 2)
        self.assertIn("stabs is no folder", run.stderr)

    def test_the_seeds_alone_count_and_a_night_has_its_own_corpora(self):
        self.add_llvm(95)
        self.add("build/fuzz/anecheck_fuzz_tool", f'echo "$@" >>{self.root}/calls\n')
        self.coverage("stabs")
        self.assertEqual((self.root / "calls").read_text().splitlines()[0],
                         f"replay stabs {SCRIPTS.parent}/corpus/seeds/stabs")
        for name in ("corpus", "crashes"):
            (self.root / "night/stabs" / name).mkdir(parents=True)
            (self.root / "night/stabs" / name / "file").write_text("x")
        self.coverage("stabs", "--corpus", self.root / "night")
        self.assertIn(f"replay stabs {self.root}/night/stabs/corpus\n", (self.root / "calls").read_text())

    def test_the_pages_have_an_index(self):
        self.add_llvm(97)
        self.coverage("--html", self.root / "pages", "stabs")
        page = (self.root / "pages/index.html").read_text()
        self.assertIn('<a href="stabs/index.html">stabs</a></td><td>100</td><td>97</td><td>97.0</td>', page)

    def test_an_exception_excuses_no_more_lines_than_were_missed(self):
        coverage = load("coverage")
        file = SCRIPTS.parent / "harness/formats/mil/program.cc"
        self.assertIn(("harness/formats/mil/program.cc", "FindArgument"), coverage.exceptions())
        data = {"totals": {"lines": {"count": 100, "covered": 96}},
                "functions": [{"name": "FindArgument", "filenames": [str(file)], "count": 0,
                               "regions": [[10, 1, 19, 2]]}]}
        # Of the function's ten lines four hold code, and one of these is another's, which was run.
        lcov = f"SF:{file}\nDA:9,0\nDA:10,0\nDA:12,0\nDA:14,3\nDA:19,0\nend_of_record\n"
        self.add("bin/cmake", QUIET)
        self.add("bin/llvm-profdata-19", QUIET)
        self.add("bin/llvm-cxxfilt-19", "cat\n")
        as_json = shlex.quote(json.dumps({"data": [data]}))
        self.add("bin/llvm-cov-19",
                 f'case "$*" in *lcov*) printf %s {shlex.quote(lcov)} ;; *) echo {as_json} ;; esac\n')
        self.add("build/fuzz/anecheck_fuzz_tool", QUIET)
        self.assertRegex(self.coverage("mil").stdout, r"mil +97 +96 +99\.0")

    def test_exceptions_name_whole_functions(self):
        is_named = load("coverage").is_named
        self.assertTrue(is_named("anecheck::td::Task::Write(anecheck::ByteWriter&) const", "Task::Write"))
        self.assertFalse(is_named("anecheck::td::Task::WriteSparse(anecheck::ByteWriter&) const", "Task::Write"))
        self.assertTrue(is_named("anecheck::netlist::(anonymous namespace)::Of(int)", "Of"))
        self.assertFalse(is_named("anecheck::netlist::(anonymous namespace)::CountOf(int)", "Of"))
        self.assertFalse(is_named("anecheck::netlist::Read(std::function<void (Of)>, Of)", "Of"))
        self.assertTrue(is_named("void anecheck::vmfb::WriteModule<Schema>(int)", "WriteModule"))
        self.assertTrue(is_named("anecheck::e5::ProgramMaker::Add(int)", "ProgramMaker::"))
        self.assertFalse(is_named("anecheck::e5::Use(anecheck::e5::ProgramMaker::Kind)", "ProgramMaker::"))

    def test_every_source_of_a_format_is_measured_or_left_out_with_a_reason(self):
        coverage = load("coverage")
        project = SCRIPTS.parent
        measured = {path for target in coverage.SOURCES for path in coverage.files_of(target)}
        left_out = {project / file for file, function in coverage.exceptions() if function == coverage.WHOLE_FILE}
        sources = {path for path in (project / "harness/formats").rglob("*.cc")
                   if not any(part in str(path) for part in coverage.TESTS)}
        self.assertGreater(len(sources), 80)
        self.assertEqual(sorted(map(str, sources - measured - left_out)), [])
        for file, _ in coverage.exceptions():
            self.assertTrue((project / file).is_file(), file)

    def test_wrong_usage_is_2(self):
        self.assertEqual(self.coverage("nosuch").returncode, 2)

    def test_a_tool_that_fails_is_3(self):
        self.add_llvm(95)
        self.add("bin/llvm-cov-19", "exit 1\n")
        self.assert_failed(self.coverage("stabs"), "llvm-cov-19")
        self.add("build/fuzz/anecheck_fuzz_tool", FAILING)
        self.assert_failed(self.coverage("stabs"), "the replay of stabs failed", "no such luck")


if __name__ == "__main__":
    unittest.main()
