#!/usr/bin/env python3
"""check-macos finds what Linux alone takes, and compiles the branches for macOS."""

import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent
loader = importlib.machinery.SourceFileLoader("check_macos", str(HERE / "check-macos"))
spec = importlib.util.spec_from_loader("check_macos", loader)
check_macos = importlib.util.module_from_spec(spec)
loader.exec_module(check_macos)


class CheckMacos(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            project = pathlib.Path(folder)
            shims = project / "harness/runners/testing"
            shims.mkdir(parents=True)
            (shims / "macos").symlink_to(HERE.parent / "harness/runners/testing/macos")
            (project / "a.cc").write_text(text)
            return check_macos.main(["check-macos", str(project), "a.cc"])

    def test_plain_code_is_fit(self):
        self.assertEqual(self.check("int main() { return 0; }\n"), 0)

    def test_the_branch_for_macos_is_compiled(self):
        self.assertEqual(self.check("#if defined(__APPLE__)\nint x = no_such_name;\n#endif\n"), 1)
        self.assertEqual(self.check("#if defined(__linux__)\nint x = no_such_name;\n#endif\n"), 0)

    def test_integers_are_those_of_macos(self):
        text = ("#include <cstdint>\n#include <type_traits>\n"
                "static_assert(std::is_same_v<uint64_t, unsigned long long>);\n"
                "static_assert(sizeof(void*) == 8);\n")
        self.assertEqual(self.check(text), 0)

    def test_every_branch_for_macos_of_the_project_is_checked(self):
        self.assertEqual(check_macos.complaints(PROJECT, check_macos.listed(PROJECT)), [])

    def test_the_list_names_files_that_are_there(self):
        names = check_macos.listed(PROJECT)
        self.assertEqual(names, sorted(set(names)))
        self.assertEqual([name for name in names if not (PROJECT / name).is_file()], [])

    def test_a_branch_outside_the_list_is_found(self):
        branch = "#if defined(__APPLE__)\n#endif\n"
        with tempfile.TemporaryDirectory() as name:
            project = pathlib.Path(name)
            for folder in ("harness", "build", ".git"):
                (project / folder).mkdir()
                (project / folder / "a.cc").write_text(branch)
            (project / "harness/b.h").write_text(branch)
            (project / "harness/c.cc").write_text('#include "harness/b.h"\n')
            (project / "harness/d.cc").write_text("std::jthread thread;\n")
            self.assertEqual(check_macos.complaints(project, ["harness/a.cc", "harness/c.cc"]),
                             ["harness/d.cc: std::jthread is not in the standard library of macOS"])
            found = check_macos.complaints(project, [])
            self.assertEqual([line.split(":")[0] for line in found],
                             ["harness/a.cc", "harness/b.h", "harness/d.cc"])

    def test_numbers_that_macos_does_not_read_are_found(self):
        start = "#include <charconv>\nauto f(const char* a, const char* b, "
        self.assertEqual(self.check(start + "double& x) { return std::from_chars(a, b, x); }\n"), 1)
        self.assertEqual(self.check(start + "float& x) {\n"
                                    "  return std::from_chars(a, b, x, std::chars_format::hex);\n}\n"), 1)
        self.assertEqual(self.check(start + "int& x) { return std::from_chars(a, b, x, 16); }\n"
                                    "auto g(char* a, char* b, double x) { return std::to_chars(a, b, x); }\n"),
                         0)

    def test_names_of_linux_are_found(self):
        self.assertEqual(self.check("#include <unistd.h>\n#include <fcntl.h>\n"
                                    "int f(int* p) { return pipe2(p, 0); }\n"), 1)


if __name__ == "__main__":
    unittest.main()
