#!/usr/bin/env python3
"""The examples of parsers for `anecheck fuzz`: they read generated files, refuse other files, and `anecheck
fuzz` drives them. LIEF is skipped if it is not installed.

usage: scripts/examples/parsers_test.py TOOL
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TOOL = ""


class ParsersTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)

    def files(self, name):
        subprocess.run([TOOL, "gen", "--format", name, "--count", "3", "--out", self.root / "files"], check=True,
                       stdout=subprocess.DEVNULL)
        return sorted(path for path in (self.root / "files").iterdir() if path.name != "manifest.json")

    def check(self, name, parser):
        for path in self.files(name):
            run = subprocess.run([*parser, path], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
        fuzz = subprocess.run([TOOL, "fuzz", "--format", name, "--count", "4", "--json", "--out", self.root / "out",
                               "--timeout-ms", "60000", "--", *parser, "@@"], capture_output=True, text=True)
        self.assertIn(fuzz.returncode, (0, 1), fuzz.stderr)
        self.assertEqual(json.loads(fuzz.stdout)["files"], 4)

    def test_plistlib(self):
        parser = [sys.executable, HERE / "plist_parser.py"]
        self.check("netlist", parser)
        garbage = self.root / "garbage"
        garbage.write_bytes(b"garbage")
        self.assertEqual(subprocess.run([*parser, garbage], capture_output=True).returncode, 1)

    def test_libplist_is_driven_in_one_process(self):
        target = self.root / "libplist_target"
        subprocess.run([shutil.which("cc") or "cc", "-g", "-I", HERE.parent.parent / "harness/parserfuzz/drivers",
                        HERE / "libplist_target.c", "-lplist-2.0", "-o", target], check=True)
        fuzz = subprocess.run([TOOL, "fuzz", "--format", "netlist", "--count", "500", "--json", "--out",
                               self.root / "out", "--", target], capture_output=True, text=True)
        self.assertIn(fuzz.returncode, (0, 1), fuzz.stderr)
        answer = json.loads(fuzz.stdout)
        self.assertEqual(answer["files"], 500)
        self.assertGreater(answer["accepted"], 50)

    def test_lief(self):
        compiler = shutil.which("g++-12") or shutil.which("g++")
        if not pathlib.Path("/usr/include/LIEF/MachO.hpp").exists() or not compiler:
            self.skipTest("LIEF is not installed (apt-get install liblief-dev)")
        parser = self.root / "lief_parser"
        subprocess.run([compiler, "-std=c++17", HERE / "lief_parser.cc", "-o", parser, "-lLIEF"], check=True)
        self.check("hwx", [parser])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: parsers_test.py TOOL")
    TOOL = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
