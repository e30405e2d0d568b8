#!/usr/bin/env python3
"""The exit codes of the scripts around fuzzing, with fuzzers and tools that are shell scripts: 0 done, 1 a
finding, 2 wrong usage, 3 what the script needs is missing or failed, told in one line."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

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


class PlantedBugsTest(FuzzScriptsTest):
    def hunt(self, *arguments):
        return self.run_script("check-planted-bugs", "--fuzzers", self.fuzzers, *arguments)

    def test_a_bug_that_is_not_found_is_1(self):
        self.add("fuzzers/hwx_fuzzer", '[ -z "$ANECHECK_PLANTED_BUG" ]\n')
        self.assertEqual(self.hunt("ReaderSubrange").returncode, 0)
        self.add("fuzzers/hwx_fuzzer", QUIET)
        run = self.hunt("ReaderSubrange")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("NOT FOUND", run.stdout)

    def test_wrong_usage_is_2(self):
        self.assertEqual(self.hunt("NoSuchBug").returncode, 2)

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

    def test_wrong_usage_is_2(self):
        self.assertEqual(self.prune("--input", self.root / "nosuch", "hal").returncode, 2)
        self.assertEqual(self.prune("--input", SCRIPTS / "fuzz-prune").returncode, 2)

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


class CoverageTest(FuzzScriptsTest):
    def coverage(self, *arguments):
        return self.run_script("coverage", "--build", self.root / "build", *arguments,
                               PATH=f"{self.root / 'bin'}:{os.environ['PATH']}")

    def add_llvm(self, covered):
        data = {"data": [{"totals": {"lines": {"count": 100, "covered": covered}}, "functions": []}]}
        self.add("bin/llvm-profdata-19", QUIET)
        self.add("bin/llvm-cxxfilt-19", QUIET)
        self.add("bin/llvm-cov-19", f"echo '{json.dumps(data)}'\n")
        self.add("build/fuzz/anecheck_fuzz_tool", QUIET)

    def test_a_parser_that_is_not_reached_is_1(self):
        self.add_llvm(95)
        self.assertEqual(self.coverage("stabs").returncode, 0)
        self.add_llvm(94)
        run = self.coverage("stabs")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("BELOW", run.stdout)

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
