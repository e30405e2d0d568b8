#!/usr/bin/env python3
"""Runs the training example and has anecheck judge three of its steps.

usage: trainer_test.py TRAINER ANECHECK ESPRESSO_LIBRARY ADD_ONE
"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

TRAINER, ANECHECK, ESPRESSO, ADD_ONE = sys.argv[1:5]
MIL = pathlib.Path(__file__).with_name("step.mil")
SHAPES = {"x": (32, 784), "t": (32, 10), "rate": (1, 1), "p": (32, 10),
          "w1": (784, 256), "b1": (1, 256), "w2": (256, 10), "b2": (1, 10)}


def train(mil, *arguments):
    # The target of the simulated engine to which the example is linked is h13.
    environment = {**os.environ, "ANECHECK_ESPRESSO": ESPRESSO}
    return subprocess.run([TRAINER, str(mil), *arguments], env=environment, capture_output=True,
                          text=True)


def npy(name, data):
    base = name.removesuffix("_next").removeprefix("m_").removeprefix("v_")
    header = str({"descr": "<f2", "fortran_order": False, "shape": SHAPES[base]}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def pack(folder, path):
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.iterdir()):
            archive.writestr(file.name + ".npy", npy(file.name, file.read_bytes()))


class Trainer(unittest.TestCase):
    def test_learns_and_its_steps_keep_the_contract(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            run = train(MIL, "60", "1", temporary)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            inputs, actual = folder / "in.npz", folder / "out.npz"
            pack(folder / "30" / "in", inputs)
            pack(folder / "30" / "out", actual)
            self.judge(inputs, actual)
            # Only documented defects put elements outside the bounds; `check` traces them operation by
            # operation.
            checked = subprocess.run([ANECHECK, "check", str(MIL), "--target", "h13", "--inputs",
                                      inputs, "--espresso-lib", ESPRESSO],
                                     capture_output=True, text=True)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def judge(self, inputs, actual):
        judged = subprocess.run([ANECHECK, "judge", str(MIL), "--target", "h13", "--inputs", inputs,
                                 "--actual", actual, "--json"], capture_output=True, text=True)
        outputs = json.loads(judged.stdout)["outputs"]
        self.assertEqual(len(outputs), 13)
        for output in outputs:
            self.assertLess(output["outside"], 0.01 * output["elements"] + 1, output["name"])

    def test_a_gradient_of_the_wrong_sign_is_noticed(self):
        with tempfile.TemporaryDirectory() as temporary:
            mil = pathlib.Path(temporary) / "step.mil"
            text = MIL.read_text()
            self.assertIn("sub(x = p, y = t)", text)
            mil.write_text(text.replace("sub(x = p, y = t)", "sub(x = t, y = p)"))
            run = train(mil, "20")
            self.assertEqual(run.returncode, 1, run.stdout + run.stderr)

    def test_the_c_example_adds_in_place(self):
        with tempfile.TemporaryDirectory() as temporary:
            mil = pathlib.Path(temporary) / "add.mil"
            mil.write_text("program(1.3)\n{\n  func main<ios18>(tensor<fp16, [4]> x) {\n"
                           "    tensor<fp16, [4]> y = add(x = x, y = fp16(1))[name = string(\"y\")];\n"
                           "  } -> (y);\n}\n")
            run = subprocess.run([ADD_ONE, mil], capture_output=True, text=True,
                                 env={**os.environ, "ANECHECK_ESPRESSO": ESPRESSO})
            self.assertEqual(run.stdout, "bits of the sums: 4200 4200 4200 4200\n", run.stderr)

    def test_bad_usage_gives_2(self):
        self.assertEqual(train("/nonexistent.mil", "1").returncode, 2)
        self.assertEqual(subprocess.run([TRAINER], capture_output=True).returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
