"""Shows that check-tidy finds a planted violation in a source alone, in a group and since a commit.

usage: scripts/check_tidy_test.py CLANG_TIDY
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).parent / "check-tidy"
CLANG_TIDY = ""
CLEAN = "int Clean{}() {{ return 1; }}\n"
BAD = "int bad_name{}() {{ return 1; }}\n"
SETTINGS = """\
Checks: -*,readability-identifier-naming
WarningsAsErrors: '*'
CheckOptions:
  readability-identifier-naming.FunctionCase: CamelCase
"""


class CheckTidy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.project = pathlib.Path(folder.name).resolve()
        self.write(".clang-tidy", SETTINGS)
        self.git("init", "-q", "-b", "main")

    def git(self, *words):
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
        return subprocess.run(["git", "-C", self.project, *identity, *words], check=True, capture_output=True,
                              text=True).stdout.strip()

    def write(self, name, text):
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(self):
        self.git("add", "-A", ":!build")
        self.git("commit", "-q", "-m", "a commit")
        return self.git("rev-parse", "HEAD")

    def build(self, group, alone=()):
        """Records a build that compiles the sources of `group` as one, and the others each alone."""
        unit = "build/test/Unity/unity_00_cxx.cxx"
        self.write(unit, "".join(f'#include "{self.project}/{name}"\n' for name in group))
        self.write("build/test/compile_commands.json", json.dumps(
            [{"directory": str(self.project), "file": str(self.project / name),
              "arguments": ["clang++", "-c", str(self.project / name)]} for name in (unit, *alone)]))

    def check(self, *words):
        run = subprocess.run(
            [sys.executable, TOOL, CLANG_TIDY, self.project / "build/test", "--project", self.project, *words],
            capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def test_a_violation_is_found_in_a_group_and_alone(self):
        names = [f"harness/{name}.cc" for name in "abc"]
        for bad in range(3):
            for at, name in enumerate(names):
                self.write(name, (BAD if at == bad else CLEAN).format(at))
            self.build(names[:2], names[2:])
            self.commit()
            code, output = self.check()
            self.assertEqual(code, 1, output)
            self.assertIn(f"{names[bad]}:1:", output)
            self.assertIn("3 of 3 sources checked", output)

    def test_clean_sources_pass(self):
        self.write("harness/a.cc", CLEAN.format(0))
        self.build(["harness/a.cc"])
        self.commit()
        self.assertEqual(self.check(), (0, "1 of 1 sources checked\n"))

    def test_since_a_commit_only_changed_code_is_checked(self):
        self.write("harness/a.cc", BAD.format(0))
        self.write("harness/b.cc", CLEAN.format(1))
        self.build([], ["harness/a.cc", "harness/b.cc"])
        base = self.commit()
        self.write("harness/a.cc", "// A comment.\n" + BAD.format(0))
        self.write("harness/b.cc", CLEAN.format(2))
        self.commit()
        self.assertEqual(self.check("--since", base), (0, "1 of 1 sources checked\n"))
        self.write("harness/a.cc", BAD.format(3))
        self.commit()
        self.assertEqual(self.check("--since", base)[0], 1)

    def test_only_the_named_sources_are_checked(self):
        self.write("harness/a.cc", BAD.format(0))
        self.write("harness/b.cc", CLEAN.format(1))
        self.build([], ["harness/a.cc", "harness/b.cc"])
        self.commit()
        self.assertEqual(self.check("--jobs", "1", "harness/b.cc"), (0, "1 of 1 sources checked\n"))
        self.assertEqual(self.check("--jobs", "1", "harness/a.cc")[0], 1)

    def test_tests_are_not_checked_nor_is_a_group_of_them(self):
        self.write("harness/testing/a.cc", CLEAN.format(0))
        self.write("harness/a_test.cc", BAD.format(1))
        self.build(["harness/testing/a.cc", "harness/a_test.cc"])
        self.commit()
        self.assertEqual(self.check(), (0, "1 of 1 sources checked\n"))

    def test_sources_left_for_lack_of_time_are_named(self):
        self.write("harness/a.cc", BAD.format(0))
        self.build(["harness/a.cc"])
        self.commit()
        self.assertEqual(self.check("--seconds", "0"), (
            0, "0 of 1 sources checked\nnot checked for lack of time: harness/a.cc\n"))


if __name__ == "__main__":
    CLANG_TIDY = sys.argv.pop(1)
    if not shutil.which(CLANG_TIDY):
        sys.exit(77)
    unittest.main()
