#!/usr/bin/env python3
"""The Debian package and the archive contain a tool that works from any folder.

usage: package_test.py BUILD_FOLDER
"""

import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
CONTENT = ("bin/anecheck", "lib/anecheck/libanecheck_espresso.so", "include/anecheck_fuzz_mutator.h",
           "share/man/man1/anecheck.1", "share/bash-completion/completions/anecheck",
           "share/zsh/site-functions/_anecheck", "share/doc/anecheck/copyright",
           "share/doc/anecheck/examples/numpy_runner.py", "share/anecheck/fuzz/anecheck_fuzz.py")


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        folder = pathlib.Path(cls.scratch.name)
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", folder / "packages")
        cls.deb, = (folder / "packages").glob("*.deb")
        cls.archive, = (folder / "packages").glob("*.tar.gz")
        cls.installed = folder / "installed"
        run("dpkg-deb", "--extract", cls.deb, cls.installed)

    def test_the_debian_package_and_the_archive_hold_the_same_files(self):
        installed = {str(path.relative_to(self.installed / "usr")) for path in self.installed.rglob("*")
                     if path.is_file()}
        self.assertLessEqual(set(CONTENT), installed)
        with tarfile.open(self.archive) as archive:
            names = {member.name.split("/", 1)[1] for member in archive if member.isfile()}
        self.assertEqual(names, installed)

    def test_the_debian_package_names_the_libraries_it_needs(self):
        depends = run("dpkg-deb", "--field", self.deb, "Depends")
        for library in ("libsqlite3-0", "libplist3", "libc6"):
            self.assertIn(library, depends)

    def test_the_installed_tool_runs_cases_on_the_installed_engine(self):
        database = pathlib.Path(self.scratch.name, "results.sqlite")
        run("env", "-C", "/", self.installed / "usr/bin/anecheck", "run", "--cases", 20, "--seed", 1,
            "--targets", "h13", "--db", database)
        self.assertTrue(database.is_file())

    def test_the_installed_example_runner_judges_cases(self):
        tool = self.installed / "usr/bin/anecheck"
        runner = self.installed / "usr/share/doc/anecheck/examples/numpy_runner.py"
        run("env", "-C", self.scratch.name, tool, "run", "--cases", 10, "--seed", 1, "--contract", "float",
            "--runner", f"exec:/usr/bin/python3 {runner}", "--db", "numpy.sqlite")


if __name__ == "__main__":
    unittest.main()
