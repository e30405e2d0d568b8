#!/usr/bin/env python3
"""The night with fuzzers that are shell scripts: what fails is found once, time is shared, an
interrupted night goes on."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

NIGHTLY = pathlib.Path(__file__).resolve().parent / "nightly"

QUIET = """#!/bin/sh
echo '#100 NEW cov: 10 ft: 20 corp: 1' >&2
echo 'stat::number_of_executed_units: 100' >&2
"""
FAILING = """#!/bin/sh
for argument; do
  case $argument in
    -artifact_prefix=*) echo bad > "${argument#-artifact_prefix=}crash-$$" ;;
  esac
done
echo 'law broken: write(parse(x)) is x: toy' >&2
exit 77
"""


class NightlyTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        self.work = self.root / "work"
        (self.root / "fuzzers").mkdir()

    def add_fuzzer(self, name, script):
        path = self.root / "fuzzers" / f"{name}_fuzzer"
        path.write_text(script)
        path.chmod(0o755)

    def add_tool(self, script):
        (self.root / "tool").write_text("#!/bin/sh\n" + script)
        (self.root / "tool").chmod(0o755)

    def run_night(self, *arguments, campaign=False):
        if not (self.root / "tool").exists():
            self.add_tool("")
        command = [sys.executable, NIGHTLY, "--work", self.work, "--fuzzers", self.root / "fuzzers",
                   "--fast-fuzzers", self.root / "fast", "--tool", self.root / "tool",
                   "--fuzz-tool", self.root / "tool", "--skip-coverage", "--jobs", "1", *arguments]
        if not campaign:
            command.append("--skip-campaign")
        return subprocess.run(command, capture_output=True, text=True)

    def test_a_quiet_night_is_clean_and_every_target_has_a_turn(self):
        self.add_fuzzer("toy_a", QUIET)
        self.add_fuzzer("toy_b", QUIET)
        run = self.run_night("--minutes", "0.001")
        self.assertEqual(run.returncode, 0, run.stderr)
        state = json.loads((self.work / "state.json").read_text())
        self.assertTrue(state["finished"])
        for row in state["targets"].values():
            self.assertGreaterEqual(row["turns"], 1)
            self.assertEqual(row["features"], 20)
        self.assertIn('failures="0"', (self.work / "junit.xml").read_text())

    def test_a_failure_is_one_finding_however_often_it_comes(self):
        self.add_fuzzer("toy", FAILING)
        run = self.run_night("--minutes", "0.005")
        self.assertEqual(run.returncode, 1, run.stderr)
        state = json.loads((self.work / "state.json").read_text())
        self.assertGreater(state["targets"]["toy"]["failures"], 1)
        self.assertEqual([row["signature"] for row in state["findings"]], ["write(parse(x)) is x"])
        self.assertEqual(pathlib.Path(state["findings"][0]["file"]).read_text(), "bad\n")
        self.assertIn("write(parse(x)) is x", (self.work / "summary.md").read_text())

    def test_an_interrupted_night_goes_on(self):
        self.add_fuzzer("toy", QUIET)
        self.work.mkdir()
        row = {"rate": 0, "waited": 0, "turns": 7, "seconds": 1.0, "executed": 5, "features": 20,
               "failures": 0}
        state = {"spent": 1.0, "finished": False, "findings": [], "targets": {"toy": row}}
        (self.work / "state.json").write_text(json.dumps(state))
        self.assertEqual(self.run_night("--minutes", "0.001").returncode, 0)
        # One second was spent before the interruption; the time of this night is used up.
        self.assertEqual(json.loads((self.work / "state.json").read_text())["targets"]["toy"]["turns"], 7)

    def test_the_build_without_sanitizers_has_every_other_turn(self):
        self.add_fuzzer("toy", QUIET)
        (self.root / "fast").mkdir()
        path = self.root / "fast" / "toy_fuzzer"
        path.write_text(FAILING)
        path.chmod(0o755)
        self.assertEqual(self.run_night("--minutes", "0.005").returncode, 1)
        row = json.loads((self.work / "state.json").read_text())["targets"]["toy"]
        self.assertGreaterEqual(row["turns"], 2)
        self.assertEqual(row["failures"], row["turns"] // 2)

    def test_the_other_steps_have_the_seed_of_the_night(self):
        self.add_fuzzer("toy", QUIET)
        self.add_tool(f'echo "$@" >>{self.root}/calls\n')
        run = self.run_night("--minutes", "0.001", "--seed", "7", campaign=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        calls = (self.root / "calls").read_text()
        self.assertRegex(calls, r"(?m)^run --targets all --time 10 --seed 7 ")
        self.assertRegex(calls, r"(?m)^power .*--seed 7 ")
        self.assertRegex(calls, r"(?m)^baseline compare .*corpus/baselines/simulated.json ")
        self.assertIn("seed 7", (self.work / "summary.md").read_text())

    def test_a_step_that_fails_is_told(self):
        self.add_fuzzer("toy", QUIET)
        self.add_tool('[ "$1" != baseline ]\n')
        run = self.run_night("--minutes", "0.001", campaign=True)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("| baseline | 1 |", (self.work / "summary.md").read_text())

    def test_bad_usage_is_2(self):
        self.assertEqual(self.run_night("--minutes", "0").returncode, 2)
        self.add_fuzzer("toy", QUIET)
        run = self.run_night("--tool", "/nonexistent/anecheck", "--minutes", "1", campaign=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("/nonexistent/anecheck is missing", run.stderr)

    def test_a_damaged_state_is_3_and_one_line(self):
        self.add_fuzzer("toy", QUIET)
        self.work.mkdir()
        (self.work / "state.json").write_text("{")
        run = self.run_night("--minutes", "0.001")
        self.assertEqual(run.returncode, 3)
        self.assertEqual(run.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
