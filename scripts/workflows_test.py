#!/usr/bin/env python3
"""Everything that workflow files run exists: scripts, presets, options, and the tool's commands."""

import json
import pathlib
import re
import subprocess
import unittest

try:
    import yaml
except ImportError:
    yaml = None

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

    def jobs(self):
        """For each job of all workflows: (file, name, job, whether pull requests start it)."""
        if yaml is None:
            self.skipTest("PyYAML is not installed (apt-get install python3-yaml)")
        found = []
        for name, text in self.files.items():
            workflow = yaml.safe_load(text)
            triggers = workflow[True]  # which is how YAML 1.1 reads "on"
            found += [(name, key, job, "pull_request" in triggers) for key, job in workflow["jobs"].items()]
        return found

    def test_each_job_has_its_machine_and_whole_steps(self):
        jobs = self.jobs()
        self.assertGreaterEqual(len(jobs), 8)
        for name, key, job, _ in jobs:
            self.assertIn("runs-on", job, f"{name}: {key}")
            for step in job["steps"]:
                self.assertEqual(("run" in step) + ("uses" in step), 1, f"{name}: {key}: {step}")
                if "uses" in step:
                    self.assertRegex(step["uses"], r"^[\w-]+(/[\w-]+)+@v\d+$", f"{name}: {key}")

    def test_forks_run_nothing_on_self_hosted_machines(self):
        own = [(name, key, job) for name, key, job, pulled in self.jobs() if pulled and "self-hosted" in job["runs-on"]]
        self.assertEqual([(name, key) for name, key, _ in own], [("ci.yml", "macos")])
        for _, _, job in own:
            self.assertIn("github.event.pull_request.head.repo.full_name == github.repository", job["if"])

    def test_corpora_are_kept_after_a_night_with_findings(self):
        steps = [step for name, key, job, _ in self.jobs() if (name, key) == ("nightly.yml", "linux")
                 for step in job["steps"]]
        uses = [step.get("uses", "").split("@")[0] for step in steps]
        save = steps[uses.index("actions/cache/save")]
        self.assertEqual(save["if"], "always()")
        self.assertEqual(save["with"]["path"], steps[uses.index("actions/cache/restore")]["with"]["path"])
        self.assertNotIn("actions/cache", uses)

    def test_clusterfuzzlite_fuzzes_prunes_and_measures_by_night(self):
        modes = {step["with"]["mode"] for name, _, job, _ in self.jobs() if name == "clusterfuzzlite_night.yml"
                 for step in job["steps"] if "mode" in step.get("with", {})}
        self.assertEqual(modes, {"batch", "prune", "coverage"})

    def test_clusterfuzzlite_checks_out_the_project_and_has_the_permissions_of_its_actions(self):
        jobs = [job for name, _, job, _ in self.jobs() if name.startswith("clusterfuzzlite")]
        self.assertEqual(len(jobs), 4)
        for job in jobs:
            uses = [step.get("uses", "").split("@")[0] for step in job["steps"]]
            self.assertEqual(uses, ["actions/checkout", "google/clusterfuzzlite/actions/build_fuzzers",
                                    "google/clusterfuzzlite/actions/run_fuzzers"])
            for step in job["steps"][1:]:
                self.assertEqual(step["with"]["github-token"], "${{ secrets.GITHUB_TOKEN }}")
        for name, text in self.files.items():
            if name.startswith("clusterfuzzlite"):
                self.assertEqual(yaml.safe_load(text)["permissions"], {"contents": "read", "actions": "read"}, name)

    def test_the_fuzzers_run_on_the_system_that_they_are_built_on(self):
        image = re.search(r"(?m)^FROM \S+/base-builder:(\S+)$", (PROJECT / ".clusterfuzzlite/Dockerfile").read_text())
        self.assertIn(f"base_os_version: {image.group(1)}\n", (PROJECT / ".clusterfuzzlite/project.yaml").read_text())

    def test_a_command_that_fails_fails_its_step(self):
        # A shell under `set -e` ignores a failure before &&: only the last command of the list ends it.
        for name, key, job, _ in self.jobs():
            for step in job["steps"]:
                for line in step.get("run", "").splitlines():
                    self.assertNotIn("&&", line, f"{name}: {key}")

    def test_a_night_states_its_minutes(self):
        self.assertIn("description: Minutes of the whole night", self.files["nightly.yml"])
        self.assertIn('help="length of the whole night"', (PROJECT / "scripts/nightly").read_text())

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

    def test_the_project_file_names_language_and_engine_of_the_build_script(self):
        project = (PROJECT / ".clusterfuzzlite/project.yaml").read_text()
        self.assertRegex(project, r"(?m)^language: c\+\+$")
        self.assertRegex(project, r"(?m)^fuzzing_engines:\n  - libfuzzer$")
        build = PROJECT / ".clusterfuzzlite/build.sh"
        self.assertEqual(subprocess.run(["bash", "-n", build]).returncode, 0)
        self.assertIn("LIB_FUZZING_ENGINE", build.read_text())


if __name__ == "__main__":
    unittest.main()
