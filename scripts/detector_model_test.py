#!/usr/bin/env python3
"""detector-model writes the published shape, and a model that the tool reads and evaluates.

usage: scripts/detector_model_test.py TOOL
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "detector-model"


class DetectorModel(unittest.TestCase):
    def test_the_model_is_evaluated(self):
        with tempfile.TemporaryDirectory(prefix="anecheck-detector-") as folder:
            subprocess.run([SCRIPT, folder, "--side", "32"], check=True)
            model = pathlib.Path(folder, "model.mil")
            self.assertEqual(len(re.findall(r" conv\(", model.read_text())), 84)
            weights = pathlib.Path(folder, "weights/weight.bin").stat().st_size / 2
            self.assertAlmostEqual(weights / 1e6, 25.9, 1)
            told = subprocess.run([TOOL, "eval", model], capture_output=True, text=True, check=True).stdout
            found = re.fullmatch(r"concat_\d+: tensor<fp16, \[1, 84, 21\]>, from (\S+) to (\S+)", told.strip())
            self.assertIsNotNone(found, told)
            # Boxes of distances between 0 and 15 cells of up to 32 pixels.
            self.assertGreater(float(found[1]), -480)
            self.assertLess(float(found[2]), 960)

    def test_another_side_is_refused(self):
        told = subprocess.run([SCRIPT, "nowhere", "--side", "100"], capture_output=True, text=True)
        self.assertEqual(told.returncode, 2)
        self.assertIn("multiple of 32", told.stderr)


if __name__ == "__main__":
    TOOL = sys.argv.pop(1)
    unittest.main()
