"""Shows that check-layers passes clean trees and catches each kind of planted violation."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).parent / "check-layers"


def check(files):
    """Exit code and output of check-layers over a tree of {path: included header}."""
    with tempfile.TemporaryDirectory() as folder:
        for path, included in files.items():
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f'#pragma once\n#include "{included}"\n')
        run = subprocess.run(
            [sys.executable, TOOL, folder], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout


class CheckLayers(unittest.TestCase):
    def test_allowed_directions_pass(self):
        code, output = check({
            "harness/graph/graph.h": "harness/base/result.h",
            "harness/lowering/mil.cc": "harness/formats/mil/lexer.h",
            "oracles/reference/conv.cc": "harness/ops/op.h",
            "harness/base/half_test.cc": "harness/base/testing/generators.h",
            "harness/formats/mil/test_support.h": "harness/base/testing/test_data.h",
            "oracles/compare_test.cc": "generators/choice_stream.h",
            "harness/cli/main.cc": "reports/html.h",
            "harness/formats/e5/e5.cc": "program_generated.h",
        })
        self.assertEqual((code, output), (0, "8 files, 0 forbidden includes\n"))

    def test_upward_include_is_caught(self):
        code, output = check({"harness/base/result.h": "harness/graph/graph.h"})
        self.assertEqual(code, 1)
        self.assertIn(
            'harness/base/result.h:2: "harness/graph/graph.h": '
            "harness/base must not depend on harness/graph", output)

    def test_oracle_and_engine_stay_apart_even_in_tests(self):
        for path, included in (
            ("oracles/reference/conv.cc", "harness/device/kernels.h"),
            ("harness/device/kernels.cc", "oracles/reference/conv.h"),
            ("oracles/reference/conv_test.cc", "harness/device/kernels.h"),
        ):
            code, output = check({path: included})
            self.assertEqual(code, 1, path)
            self.assertIn("must stay independent", output)

    def test_the_engine_lowers_and_reads_descriptions_by_itself(self):
        code, output = check({
            "harness/device/files.cc": "harness/lowering/compiled_program.h",
            "harness/device/ops.cc": "harness/ops/op.h",
            "harness/device/network.cc": "harness/formats/netlist/model.h",
            "harness/device/list.cc": "harness/formats/plist/plist.h",
            "harness/device/compile.cc": "harness/formats/mil/parser.h",
            "harness/device/network_test.cc": "harness/formats/netlist/model.h",
        })
        self.assertEqual(code, 1)
        self.assertIn("6 files, 4 forbidden includes", output)
        self.assertIn("harness/device must not depend on harness/lowering", output)
        self.assertIn("harness/device must not depend on harness/ops", output)
        self.assertIn("harness/device must read network descriptions by itself", output)

    def test_helpers_of_tests_stay_in_tests(self):
        code, output = check({"harness/graph/graph.cc": "harness/base/testing/test_data.h"})
        self.assertEqual(code, 1)
        self.assertIn("test helpers are for tests", output)

    def test_the_json_library_stays_behind_the_base(self):
        code, output = check({"harness/graph/graph.cc": "nlohmann/json.hpp",
                              "harness/base/json_sax.h": "nlohmann/json.hpp"})
        self.assertEqual(code, 1)
        self.assertIn('harness/graph/graph.cc:2: "nlohmann/json.hpp": use harness/base/json.h', output)
        self.assertIn("2 files, 1 forbidden includes", output)

    def test_unknown_room_is_caught(self):
        code, output = check({"harness/attic/a.h": "harness/base/result.h"})
        self.assertEqual(code, 1)
        self.assertIn("harness/attic is no known room", output)

    def test_empty_tree_is_no_success(self):
        self.assertEqual(check({})[0], 2)


if __name__ == "__main__":
    unittest.main()
