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

    def run_night(self, *arguments):
        (self.root / "tool").write_text("#!/bin/sh\n")
        (self.root / "tool").chmod(0o755)
        command = [sys.executable, NIGHTLY, "--work", self.work, "--fuzzers", self.root / "fuzzers",
                   "--fuzz-tool", self.root / "tool", "--skip-campaign", "--skip-coverage", "--jobs", "1",
                   *arguments]
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

    def test_bad_usage_is_2(self):
        self.assertEqual(self.run_night("--minutes", "0").returncode, 2)


if __name__ == "__main__":
    unittest.main()
