#!/usr/bin/env python3
"""What the workflow files run is there: scripts, presets, options, and the tool's commands."""

import json
import pathlib
import re
import subprocess
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent


class WorkflowsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = {path.name: path.read_text() for path in sorted((PROJECT / ".github/workflows").glob("*.yml"))}

    def test_pull_requests_nights_and_macs_have_their_jobs(self):
        self.assertRegex(self.files["ci.yml"], r"(?m)^  pull_request:")
        self.assertIn("scripts/test", self.files["ci.yml"])
        self.assertRegex(self.files["nightly.yml"], r"(?m)^  schedule:")
        self.assertIn("scripts/nightly", self.files["nightly.yml"])
        for name in ("ci.yml", "nightly.yml"):
            self.assertIn("[self-hosted, macOS, ARM64]", self.files[name])

    def test_scripts_exist_and_know_their_options(self):
        for name, text in self.files.items():
            for script, arguments in re.findall(r"(scripts/[\w/.-]+)([^\n|&]*)", text):
                path = PROJECT / script
                self.assertTrue(path.is_file(), f"{name}: {script}")
                for option in re.findall(r"--[\w-]+", arguments):
                    self.assertIn(option, path.read_text(), f"{name}: {script} {option}")

    def test_presets_exist(self):
        presets = {preset["name"] for preset in
                   json.loads((PROJECT / "CMakePresets.json").read_text())["configurePresets"]}
        for name, text in self.files.items():
            for preset in re.findall(r"--preset ([\w-]+)|configure ([\w-]+)|build/(dev|fuzz|release|asan)\b", text):
                self.assertIn("".join(preset), presets, name)

    def test_subcommands_exist(self):
        known = set(re.findall(r"\((\w+)\)", (PROJECT / "harness/cli/commands.def").read_text()))
        commands = [(name, word) for name, text in self.files.items()
                    for word in re.findall(r"(?m)(?:^|/|\s)anecheck ([a-z]+)\b", text)]
        self.assertGreaterEqual(len(commands), 3)
        for name, word in commands:
            self.assertIn(word.capitalize(), known, name)

    def test_the_project_file_names_what_the_build_script_builds(self):
        project = (PROJECT / ".clusterfuzzlite/project.yaml").read_text()
        self.assertRegex(project, r"(?m)^language: c\+\+$")
        self.assertRegex(project, r"(?m)^fuzzing_engines:\n  - libfuzzer$")
        build = PROJECT / ".clusterfuzzlite/build.sh"
        self.assertEqual(subprocess.run(["bash", "-n", build]).returncode, 0)
        self.assertIn("LIB_FUZZING_ENGINE", build.read_text())


if __name__ == "__main__":
    unittest.main()
