#!/usr/bin/env python3
"""Each file of the corpora has its reason, each reason its file, and all are small."""

import pathlib
import unittest

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

    def test_files_are_small(self):
        files = [path for folder in self.folders() for path in folder.iterdir()]
        for path in files:
            self.assertLessEqual(path.stat().st_size, MAX_FILE, path)
        self.assertLessEqual(sum(path.stat().st_size for path in files), MAX_TOTAL)


if __name__ == "__main__":
    unittest.main()
