#!/usr/bin/env python3
"""check-macos finds code that only Linux accepts, and compiles the branches for macOS."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
loader = importlib.machinery.SourceFileLoader("check_macos", str(HERE / "check-macos"))
spec = importlib.util.spec_from_loader("check_macos", loader)
check_macos = importlib.util.module_from_spec(spec)
loader.exec_module(check_macos)

try:
    check_macos.headers()
    HEADERS = True
except OSError:
    HEADERS = False

BRANCH = "#if defined(__APPLE__)\nint x = no_such_name;\n#endif\n"


def run(arguments):
    """The exit code and all output of check-macos."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        return check_macos.main([str(argument) for argument in arguments]), text.getvalue()


class Checked(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.build = pathlib.Path(scratch.name)

    def check(self, *arguments, precompiled=None, **sources):
        """The exit code and output for a build folder of the given sources, and its precompiled header if any."""
        entries, header = [], ""
        if precompiled is not None:
            header = self.build / "cmake_pch.hxx"
            header.write_text(precompiled)
            header = f"-Xclang -include -Xclang {header}"
        for name, text in sources.items():
            path = self.build / f"{name}.cc"
            path.write_text(text)
            entries.append({"directory": str(self.build), "file": str(path),
                            "command": f"clang++-19 -std=c++2b -Wall -Werror {header} -c {path}"})
        (self.build / "compile_commands.json").write_text(json.dumps(entries))
        return run([self.build, *arguments])


@unittest.skipUnless(HEADERS, "the headers of macOS cannot be had")
class CompilesForMacos(Checked):
    def compiles(self, text):
        return self.check("--all", a=text)[0] == 0

    def test_objective_c_beside_a_source_is_compiled(self):
        source = self.build / "b.mm"
        source.write_text("#import <CoreML/CoreML.h>\nNSString* f() { return @\"a\"; }\n")
        self.assertEqual(self.check(a="int a;"), (0, "1 units, 0 do not compile for macOS\n"))
        source.write_text("#import <CoreML/CoreML.h>\nvoid f(MLModel* model) { [model undo]; }\n")
        code, text = self.check(source, a="int a;")
        self.assertEqual(code, 1)
        self.assertIn("undo", text)

    def test_the_branch_for_macos_is_compiled(self):
        self.assertFalse(self.compiles(BRANCH))
        self.assertTrue(self.compiles(BRANCH.replace("__APPLE__", "__linux__")))

    def test_integers_have_the_types_of_macos(self):
        self.assertTrue(self.compiles("#include <cstdint>\n#include <type_traits>\n"
                                      "static_assert(std::is_same_v<uint64_t, unsigned long long>);\n"))

    def test_the_library_has_the_limits_of_macos(self):
        start = "#include <charconv>\nauto f(const char* a, const char* b, "
        self.assertFalse(self.compiles(start + "double& x) { return std::from_chars(a, b, x); }\n"))
        self.assertTrue(self.compiles(start + "int& x) { return std::from_chars(a, b, x); }\n"))
        self.assertFalse(self.compiles("#include <thread>\nstd::jthread thread;\n"))

    def test_names_of_linux_are_unknown(self):
        self.assertFalse(self.compiles("#include <fcntl.h>\n#include <unistd.h>\n"
                                       "int f(int* p) { return pipe2(p, 0); }\n"))

    def test_frameworks_are_declared(self):
        self.assertTrue(self.compiles("#include <IOSurface/IOSurface.h>\n"
                                      "void* f(IOSurfaceRef s) { return IOSurfaceGetBaseAddress(s); }\n"))

    def test_without_arguments_branches_for_macos_are_read(self):
        code, text = self.check(plain="int y = no_such_name;\n", branch=BRANCH)
        self.assertEqual(code, 1)
        self.assertIn("1 units, 1 do not compile", text)

    def test_the_precompiled_header_is_compiled_for_macos(self):
        header = "#if defined(__APPLE__)\nusing Bytes = int;\n#endif\n"
        sources = {"a": "Bytes a;\n", "b": "Bytes b;\n"}
        self.assertEqual(self.check("--all", precompiled=header, **sources)[0], 0)
        code, text = self.check("--all", precompiled=BRANCH, **sources)
        self.assertEqual(code, 1)
        self.assertIn("no_such_name", text)

    def test_only_a_named_source_is_read(self):
        code, text = self.check(self.build / "plain.cc", plain="int y;\n", branch=BRANCH)
        self.assertEqual((code, text), (0, "1 units, 0 do not compile for macOS\n"))

    def test_a_run_that_reads_nothing_fails(self):
        self.assertEqual(self.check(plain="int y;\n")[0], 1)


class Refuses(Checked):
    def test_a_folder_that_is_no_build_gives_2(self):
        self.assertEqual(run([self.build])[0], 2)

    def test_headers_that_cannot_be_fetched_give_77(self):
        with mock.patch.dict(os.environ, {"ANECHECK_MACOS_HEADERS": str(self.build / "none")}), \
                mock.patch.object(check_macos, "PACKAGE", (self.build / "no.tgz").as_uri()):
            code, text = self.check("--all", a="")
        self.assertEqual(code, 77)
        self.assertIn("no.tgz", text)

    def test_a_package_of_another_content_gives_77(self):
        (self.build / "other.tgz").write_bytes(b"other")
        with mock.patch.dict(os.environ, {"ANECHECK_MACOS_HEADERS": str(self.build / "none")}), \
                mock.patch.object(check_macos, "PACKAGE", (self.build / "other.tgz").as_uri()):
            code, text = self.check("--all", a="")
        self.assertEqual(code, 77)
        self.assertIn("SHA-512", text)


if __name__ == "__main__":
    unittest.main()
