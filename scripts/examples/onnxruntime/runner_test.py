#!/usr/bin/env python3
"""ONNX Runtime, a third-party engine, behind the exec protocol: its results are judged, and a known fault is
found.

usage: runner_test.py ANECHECK

Installs the npm package onnxruntime-node once into ANECHECK_ONNXRUNTIME (default ~/.cache/anecheck/onnxruntime),
without its install script: the library for the CPU comes inside the package. Exit code 77: the package is not
available.
"""

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

EXAMPLE = pathlib.Path(__file__).resolve().parent
PACKAGES = pathlib.Path(os.environ.get("ANECHECK_ONNXRUNTIME")
                        or pathlib.Path.home() / ".cache/anecheck/onnxruntime")
TOOL = pathlib.Path(sys.argv[1]).resolve()
CASES = 500
# Whether ONNX Runtime drops a NaN depends on its position (README.md); sums and data movement are right.
SOUND = "add,sub,mul,matmul,linear,conv,transpose,reshape,slice_by_size,concat,relu"


def install():
    """Installs the package if it is missing; returns whether it is there. Two tests may install it at the
    same time: either result is complete."""
    if not (PACKAGES / "node_modules").is_dir():
        PACKAGES.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=PACKAGES.parent) as name:
            work = pathlib.Path(name) / "packages"
            work.mkdir()
            shutil.copy(EXAMPLE / "package.json", work)
            command = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]
            done = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=240)
            if done.returncode:
                print(done.stderr)
                return False
            if not PACKAGES.exists():
                work.rename(PACKAGES)
    probe = subprocess.run(["node", "-e", "require('onnxruntime-node')"], env=environment(), capture_output=True,
                           text=True)
    print(probe.stderr, end="")
    return probe.returncode == 0


def environment():
    return os.environ | {"NODE_PATH": str(PACKAGES / "node_modules")}


def run(*options):
    runner = f"exec:node {shlex.quote(str(EXAMPLE / 'runner.js'))}"
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([TOOL, "run", "--runner", runner, "--contract", "float", "--json", *options],
                              cwd=folder, env=environment(), capture_output=True, text=True)


class OnnxRuntime(unittest.TestCase):
    def test_sound_operations_pass(self):
        done = run("--ops", SOUND, "--mode", "integer,float,cancellation", "--cases", str(CASES), "--seed", "5")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        counts = json.loads(done.stdout)["summary"]
        self.assertEqual(counts["cases"], CASES)
        self.assertGreater(counts["judged"], CASES * 3 // 4)

    def test_the_sign_of_nan_is_found_to_be_zero(self):
        done = run("--ops", "sign", "--mode", "special", "--cases", "100", "--seed", "5")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("0 where only nan is admitted", done.stdout)


if __name__ == "__main__":
    if not shutil.which("node") or not shutil.which("npm") or not install():
        print("skipped: ONNX Runtime is not tested, since the npm package onnxruntime-node cannot be had")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
