#!/usr/bin/env python3
"""Each file of the corpora has its reason, each reason its file, and all are small. With the fuzz tool as
argument: each target has seeds, each folder a target.

usage: scripts/corpus_test.py [FUZZ_TOOL]
"""

import pathlib
import subprocess
import sys
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

    def test_targets_and_folders_belong_together(self):
        if TOOL is None:
            self.skipTest("no fuzz tool was named")
        listing = subprocess.run([TOOL, "list"], check=True, capture_output=True, text=True).stdout
        targets = {line.split("\t")[0] for line in listing.splitlines()}
        self.assertEqual({folder.name for folder in (CORPUS / "seeds").iterdir() if folder.is_dir()}, targets)
        self.assertLessEqual({folder.name for folder in (CORPUS / "regress").iterdir() if folder.is_dir()}, targets)

    def test_files_are_small(self):
        files = [path for folder in self.folders() for path in folder.iterdir()]
        for path in files:
            self.assertLessEqual(path.stat().st_size, MAX_FILE, path)
        self.assertLessEqual(sum(path.stat().st_size for path in files), MAX_TOTAL)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        TOOL = sys.argv.pop()
    unittest.main()
