#!/usr/bin/env python3
"""The runner of text tests, on tests that pass and tests that fail. usage: text_tests_test.py TOOL"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TOOL = sys.argv.pop() if len(sys.argv) > 1 else None

HOLDS = """# A record of five blobs.
--- in.weights json netweights
{"format": "netweights", "table": false, "blobs": [{"data": "gMKAQAC/gMEAuA=="}]}
$ broken --format netweights in.weights

=== a file of its own, and a command
--- in.txt
a line
--- copy.txt edits in.txt
s/line/text/
--- bytes.bin hex
61 62 0a  # two letters
--- cut.bin edits bytes.bin
@0 = 7a
@1 insert 79
@3 delete
$ cat in.txt copy.txt cut.bin; exit 3
a line
a text
zyb
[3]

=== no rule is broken
$
[1]
"""


class TextTests(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_on(self, text, *flags):
        self.path = self.folder / "a.test"
        self.path.write_text(text, encoding="utf-8")
        done = subprocess.run([HERE / "text-tests", TOOL, *flags, self.path], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def test_passing_cases_are_counted(self):
        self.assertEqual(self.run_on(HOLDS), (0, "2 cases, 0 failed\n"))

    def test_another_output_is_shown_with_file_and_line(self):
        code, out = self.run_on(HOLDS.replace("a text\n", "another\n"))
        self.assertEqual(code, 1)
        self.assertIn(f"{self.path}:17: a file of its own, and a command: another output", out)
        self.assertIn("-another\n+a text\n", out)

    def test_another_code_is_shown(self):
        code, out = self.run_on(HOLDS.replace("[3]", "[2]"))
        self.assertEqual(code, 1)
        self.assertIn("-[2]\n+[3]\n", out)

    def test_rebase_writes_the_output_of_the_commands(self):
        self.run_on(HOLDS.replace("zyb\n[3]", "stale\n[2]"), "--rebase")
        self.assertEqual(self.path.read_text(encoding="utf-8"), HOLDS)

    def test_a_malformed_test_is_reported_with_its_line(self):
        for text, words in ((HOLDS.replace("@0 = 7a", "@9 = 7a"), ":14: @9 = 7a: the edit does not apply"),
                            (HOLDS.replace("s/line", "s/lime"), ":10: s/lime/text/: the edit does not apply"),
                            (HOLDS.replace("hex", "hexes"), ":11: bytes.bin: give hex"),
                            (HOLDS.replace('"table"', '"tabel"'), ":2: the file cannot be written: "),
                            ("=== no command\n", ":1: the case has no command"), ("", "has no case")):
            code, out = self.run_on(text)
            self.assertEqual(code, 2, text)
            self.assertIn(words, out)

    def test_a_rule_without_a_case_is_named(self):
        formats = HERE.parent / "harness" / "formats"
        for source in formats.glob("*/testdata/rules.test"):
            copy = self.folder / source.relative_to(formats)
            copy.parent.mkdir(parents=True)
            shutil.copy(source, copy)
        changed = self.folder / "npz" / "testdata" / "rules.test"
        text = changed.read_text(encoding="utf-8").replace("=== no-gaps", "=== no-gap")
        changed.write_text(text.replace("error: unique-names", "error: other"), encoding="utf-8")
        shutil.rmtree(self.folder / "vmfb")
        done = subprocess.run([HERE / "text-tests", TOOL, "--rules", self.folder], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        said = [line.split("rules.test: ")[1].split(";")[0] for line in done.stdout.splitlines()]
        self.assertEqual(said, ["no case of the rule no-gaps", "unique-names: no output of the case names its rule",
                                "no-gap: npz has no such rule", "missing"])


if __name__ == "__main__":
    unittest.main()
