#!/usr/bin/env python3
"""The example of an external runner in C++, and the same with a fault.

usage: bits_runner_test.py ANECHECK CXX
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent / "bits_runner.cc"
CXX = sys.argv.pop()
TOOL = pathlib.Path(sys.argv.pop()).resolve()


def run(text):
    """The campaign over a runner of this source."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "runner.cc").write_text(text)
        subprocess.run([CXX, "-std=c++17", "runner.cc", "-lz", "-o", "runner"], cwd=folder, check=True)
        done = subprocess.run([TOOL, "run", "--runner", "exec:./runner", "--contract", "float", "--cases", "400",
                               "--seed", "4", "--json"], cwd=folder, capture_output=True, text=True)
        return done.returncode, json.loads(done.stdout)


class BitsRunner(unittest.TestCase):
    def test_every_case_is_judged_and_none_is_wrong(self):
        code, report = run(SOURCE.read_text())
        self.assertEqual(code, 0, report)
        self.assertEqual(report["summary"]["judged"], 400)

    def test_a_bit_too_many_that_abs_clears_is_a_finding(self):
        text = SOURCE.read_text().replace("bits & 0x7fff", "bits & 0x7ffe")
        self.assertNotEqual(text, SOURCE.read_text())
        code, report = run(text)
        self.assertEqual(code, 1)
        self.assertEqual({finding["op"] for finding in report["findings"]}, {"abs"})

    def test_a_second_execution_that_differs_is_a_finding(self):
        second = 'Evaluate(graph, ReadNpz(item["second"]["inputs"]))'
        text = SOURCE.read_text().replace(second, f"""[&] {{
          Arrays arrays = {second};
          for (auto& [name, array] : arrays) array.data[0] ^= 1;
          return arrays;
        }}()""")
        self.assertNotEqual(text, SOURCE.read_text())
        code, report = run(text)
        self.assertEqual(code, 1)
        for finding in report["findings"]:
            self.assertIn("second execution", finding["summary"])


if __name__ == "__main__":
    unittest.main()
