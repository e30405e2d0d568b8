#!/usr/bin/env python3
"""Each file of the corpora has a reason, each reason has a file, and all files are small. With the fuzz tool
as argument: each target has seeds, and each folder has a target.

usage: scripts/corpus_test.py [FUZZ_TOOL]
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TOOL = None

CORPUS = pathlib.Path(__file__).resolve().parent.parent / "corpus"
MAX_FILE = 1 << 17
MAX_TOTAL = 8 << 20


class CorpusTest(unittest.TestCase):
    def folders(self):
        return [folder for kind in ("seeds", "regress") for folder in sorted((CORPUS / kind).iterdir())
                if folder.is_dir()]

    def test_each_file_has_its_reason(self):
        self.assertGreaterEqual(len(self.folders()), 20)
        for folder in self.folders():
            rows = [line.split("\t") for line in folder.with_suffix(".tsv").read_text().splitlines()]
            for row in rows:
                self.assertEqual(len(row), 2, f"{folder}: {row}")
                self.assertTrue(row[1].strip(), f"{folder}: {row[0]} has no reason")
            self.assertEqual(sorted(row[0] for row in rows), sorted(path.name for path in folder.iterdir()),
                             folder)

    def test_the_maker_of_seeds_names_the_target_of_its_tool(self):
        made = subprocess.run([sys.executable, CORPUS.parent / "scripts/fuzz-seeds", "--tool", "no_tool", "hwx"],
                              capture_output=True, text=True)
        self.assertEqual(made.returncode, 3)
        self.assertEqual(made.stderr, "error: no_tool is not there; build the target anecheck_fuzz_tool, "
                                      "or name it with --tool\n")

    def test_targets_and_folders_belong_together(self):
        if TOOL is None:
            self.skipTest("no fuzz tool was named")
        listing = subprocess.run([TOOL, "list"], check=True, capture_output=True, text=True).stdout
        targets = {line.split("\t")[0] for line in listing.splitlines()}
        self.assertEqual({folder.name for folder in (CORPUS / "seeds").iterdir() if folder.is_dir()}, targets)
        self.assertLessEqual({folder.name for folder in (CORPUS / "regress").iterdir() if folder.is_dir()}, targets)

    def test_a_law_that_no_file_meets_is_reported(self):
        if TOOL is None:
            self.skipTest("no fuzz tool was named")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "not_a_stab"
            path.write_text("no stab")
            run = subprocess.run([TOOL, "replay", "stabs", path], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertRegex(run.stdout, r"(?m)^ +0  print\(parse\(x\)\) is x$")
            run = subprocess.run([TOOL, "replay", "stabs", "--every-law", path], capture_output=True, text=True)
            self.assertEqual(run.returncode, 1)
            self.assertIn("print(parse(x)) is x: was not checked", run.stderr)
            path.write_text("x:t5=r1;2;0")
            run = subprocess.run([TOOL, "replay", "stabs", path], capture_output=True, text=True)
            self.assertRegex(run.stdout, r"(?m)^ +1  print\(parse\(x\)\) is x$")

    def test_sampling_leaves_fewer_checks(self):
        if TOOL is None:
            self.skipTest("no fuzz tool was named")

        def checks(*arguments):
            told = subprocess.run([TOOL, "replay", "td", *arguments, CORPUS / "seeds/td"], check=True,
                                  capture_output=True, text=True).stdout
            return {law: int(count) for count, law in re.findall(r"(?m)^ *(\d+)  (.*)$", told)}
        every, sampled = checks(), checks("--sampled")
        self.assertEqual(every["write(parse(x)) is x"], sampled["write(parse(x)) is x"])
        self.assertLess(sampled["coverage adds up"], every["coverage adds up"])
        self.assertLess(sampled["encode(inspect(x)) is x"], every["encode(inspect(x)) is x"])

    def test_files_are_small(self):
        files = [path for folder in self.folders() for path in folder.iterdir()]
        for path in files:
            self.assertLessEqual(path.stat().st_size, MAX_FILE, path)
        self.assertLessEqual(sum(path.stat().st_size for path in files), MAX_TOTAL)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        TOOL = sys.argv.pop()
    unittest.main()
