#!/usr/bin/env python3
"""The encoder's sections of constants and kernels have the SHA-256 that was recorded from a compiler.

usage: ANECHECK_VECTORS=FOLDER recorded_sections_test.py TOOL

The weights of the records are known: the recording program packed its weight file from byte 0 on,
so the weights begin with the 128 bytes of the file's header, and equal numbers follow
(weights_layout_later.md, 4).
"""

import hashlib
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

TOOL = ""
RECORDS = pathlib.Path(os.environ["ANECHECK_VECTORS"]) / "later_programs"
SKIPPED = 77
HALF, DISTINCT = 0x3800, 0x3801


def payload(count, half):
    """`count` numbers of a weight file, from its first byte on."""
    header = struct.pack("<II", 1, 2).ljust(64, b"\0") + struct.pack("<IQQ", 0xDEADBEEF, 2 * count, 128)
    return (header.ljust(128, b"\0") + struct.pack("<H", half) * count)[:2 * count]


def fp16(*shape):
    return f"tensor<fp16, [{', '.join(map(str, shape))}]>"


class Network:
    """MIL text and its weight file."""

    def __init__(self, inputs, result="y"):
        self.inputs, self.result, self.lines = inputs, result, []
        self.weights = struct.pack("<II", 0, 2).ljust(64, b"\0")

    def const(self, name, shape, data):
        count = struct.unpack_from("<I", self.weights)[0] + 1
        at = len(self.weights)
        entry = struct.pack("<IIQQ", 0xDEADBEEF, 1, len(data), at + 64).ljust(64, b"\0") + data
        self.weights = struct.pack("<I", count) + self.weights[4:] + entry.ljust(-len(entry) // 64 * -64, b"\0")
        self.line(f'{fp16(*shape)} {name} = const()[val = {fp16(*shape)}(BLOBFILE(path = '
                  f'string("@model_path/weights.bin"), offset = uint64({at})))];')

    def line(self, text):
        self.lines.append(text)
        return self

    def text(self):
        body = "\n".join(self.lines)
        return f"program(1.3)\n{{\n func main<ios18>({self.inputs}) {{\n{body}\n }} -> ({self.result});\n}}\n"


def column():
    return Network(f"{fp16(1, 64, 1, 1)} x")


def unary(name):
    return column().line(f"{fp16(1, 64, 1, 1)} y = {name}(x = x);")


def two(name, *shape):
    return Network(f"{fp16(*shape)} x, {fp16(*shape)} z").line(f"{fp16(*shape)} y = {name}(x = x, y = z);")


def sum_and_relu():
    made = two("add", 1, 512, 1, 1)
    made.result = "r"
    return made.line(f"{fp16(1, 512, 1, 1)} r = relu(x = y);")


def conv(outputs, inputs, kernel, size, half, groups=1, bias=None, relu=False):
    made = Network(f"{fp16(1, inputs, size, size)} x", "r" if relu else "y")
    made.line('string pt = const()[val = string("same")];').line(f"int32 gp = const()[val = int32({groups})];")
    channels = inputs // groups
    made.const("w", (outputs, channels, kernel, kernel), payload(outputs * channels * kernel * kernel, half))
    more = ""
    if bias is not None:
        made.const("b", (outputs,), bias)
        more = ", bias = b"
    shape = fp16(1, outputs, size, size)
    made.line(f"{shape} y = conv(x = x, weight = w, pad_type = pt, groups = gp{more});")
    return made.line(f"{shape} r = relu(x = y);") if relu else made


def reduced(name):
    made = Network(f"{fp16(1, 64, 8, 8)} x").line("tensor<int32, [1]> a = const()[val = tensor<int32, [1]>([1])];")
    made.line("bool k = const()[val = bool(true)];")
    return made.line(f"{fp16(1, 1, 8, 8)} y = {name}(x = x, axes = a, keep_dims = k);")


def product():
    made = Network(f"{fp16(1, 256)} x").line("bool t = const()[val = bool(true)];")
    made.const("w", (256, 256), payload(65536, HALF))
    return made.line(f"{fp16(1, 256)} y = matmul(x = x, y = w, transpose_y = t);")


def times_constant():
    made = column()
    made.const("z", (1, 64, 1, 1), payload(64, HALF))
    return made.line(f"{fp16(1, 64, 1, 1)} y = mul(x = x, y = z);")


def plus_scalar():
    return column().line("fp16 z = const()[val = fp16(0x1p-1)];").line(f"{fp16(1, 64, 1, 1)} y = add(x = x, y = z);")


# The networks for which the encoder writes the constants of the compiler, by the names of their
# records.
NETWORKS = {
    "binary_add_1x64x1x1": lambda: two("add", 1, 64, 1, 1),
    "binary_add_1x64x8x8": lambda: two("add", 1, 64, 8, 8),
    "binary_sub_1x3x224x224": lambda: two("sub", 1, 3, 224, 224),
    "chain_add_relu_c512": sum_and_relu,
    "binary_mul_c64_constant_blob": times_constant,
    "binary_add_c64_constant_scalar": plus_scalar,
    "unary_abs_c64": lambda: unary("abs"),
    "unary_exp_c64": lambda: unary("exp"),
    "unary_sigmoid_c64": lambda: unary("sigmoid"),
    "conv_k1_c64_n64_s8_bias0_relu": lambda: conv(64, 64, 1, 8, HALF, relu=True),
    "conv_k3_c64_n64_s8_bias0": lambda: conv(64, 64, 3, 8, HALF),
    "conv_known_k1_c64_n768_s16_st1_g1_bias1_same": lambda: conv(
        768, 64, 1, 16, DISTINCT, bias=payload(768 * 64, DISTINCT)[:2 * 768]),
    "conv_known_k3_c64_n64_s16_st1_g64_bias0_same": lambda: conv(64, 64, 3, 16, DISTINCT, groups=64),
    "matmul_m1_k256_n256_ty1": product,
    "reduce_max_axes_1": lambda: reduced("reduce_max"),
    "reduce_mean_axes_1": lambda: reduced("reduce_mean"),
}


def sections(data):
    """The sections of a container by name."""
    found, at = {}, 32
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        command, size = struct.unpack_from("<II", data, at)
        if command == 0x19:
            for i in range(struct.unpack_from("<I", data, at + 64)[0]):
                name, segment, _, count, offset = struct.unpack_from("<16s16sQQI", data, at + 72 + 80 * i)
                if segment.startswith((b"__TEXT", b"__KERN")):
                    found[name.rstrip(b"\0").decode()] = data[offset:offset + count]
        at += size
    return found


class RecordedSections(unittest.TestCase):
    def made(self, target, network):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "model.mil"
            model.write_text(network.text())
            (pathlib.Path(folder) / "weights.bin").write_bytes(network.weights)
            run = subprocess.run([TOOL, "lower", model, "--target", target, "--out", folder], capture_output=True,
                                 text=True)
            self.assertEqual(run.returncode, 0, run.stderr)
            return sections((pathlib.Path(folder) / "model.hwx").read_bytes())

    def test_sections_have_the_recorded_hashes(self):
        compared = 0
        for path in sorted(RECORDS.glob("*.json")):
            record = json.loads(path.read_text())
            network = NETWORKS.get(record["case"])
            if network is None:
                continue
            made = self.made(record["target"], network())
            for name, key in (("__const", "const_section"), ("__kern_0", "kern_section")):
                with self.subTest(record=path.name, section=name):
                    recorded = record[key]
                    self.assertEqual(name in made, recorded is not None)
                    if recorded is None:
                        continue
                    self.assertEqual(len(made[name]), recorded["bytes"])
                    self.assertEqual(hashlib.sha256(made[name]).hexdigest(), recorded["sha256"])
                    compared += 1
        print(f"{compared} sections have the recorded SHA-256")
        self.assertGreaterEqual(compared, 26)


if __name__ == "__main__":
    TOOL = sys.argv.pop(1)
    if not RECORDS.is_dir():
        print(f"{RECORDS} is missing")
        sys.exit(1 if os.environ.get("ANECHECK_REQUIRE_DATA") == "1" else SKIPPED)
    unittest.main()
