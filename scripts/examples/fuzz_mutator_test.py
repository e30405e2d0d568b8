#!/usr/bin/env python3
"""The library of mutations as other fuzzers use it: the files of `cmake --install` link, with only
pkg-config's flags, into a C program and into a libFuzzer target.

usage: scripts/examples/fuzz_mutator_test.py TOOL FUZZ_TOOL BUILD C_COMPILER [CLANG]

TOOL and FUZZ_TOOL are anecheck and anecheck_fuzz_tool, BUILD the build folder. Without CLANG, which has
libFuzzer, no target is linked.
"""

import io
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
COPIES = 80
TOOL = FUZZ_TOOL = BUILD = CC = CLANG = ""


def run(*command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace", **more)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"[-4000:])
    return done.stdout


def archive_with_one_array():
    """A .npz file of one array of rank 2, as numpy.savez writes it."""
    header = b"{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }"
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(12)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("x.npy"), array)
    return out.getvalue()


@unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
class FuzzMutatorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = pathlib.Path(cls.folder.name)
        run("cmake", "--install", BUILD, "--component", "anecheck_fuzz_mutator", "--prefix", cls.root / "installed")
        cls.configuration = next((cls.root / "installed").rglob("anecheck_fuzz_mutator.pc"))
        paths = [str(cls.configuration.parent), *filter(None, [os.environ.get("PKG_CONFIG_PATH")])]
        cls.flags = run("pkg-config", "--cflags", "--libs", "anecheck_fuzz_mutator",
                        env={**os.environ, "PKG_CONFIG_PATH": ":".join(paths)}).split()
        cls.mutate_files = cls.root / "mutate_files"
        run(CC, HERE / "mutate_files.c", *cls.flags, "-o", cls.mutate_files)
        cls.formats = run(cls.mutate_files).split()

    def originals(self, name):
        """Two files of a format."""
        folder = self.root / f"{name}-files"
        run(TOOL, "gen", "--format", name, "--count", "2", "--seed", "5", "--out", folder)
        return sorted(path for path in folder.iterdir() if path.name != "manifest.json")

    def copies(self, name, originals, folder):
        folder.mkdir()
        run(self.mutate_files, name, COPIES, folder, *originals)
        return [folder / str(index) for index in range(COPIES)]

    def test_nothing_of_the_project_is_left_to_link(self):
        ours = [flag for flag in self.flags if "anecheck" in flag and flag.startswith("-l")]
        self.assertEqual(ours, ["-lanecheck_fuzz_mutator"])

    def test_the_header_names_the_libraries_of_others(self):
        header = next((self.root / "installed").rglob("anecheck_fuzz_mutator.h")).read_text().replace("\n// ", " ")
        told = re.search(r"It also needs (.*?) and the C\+\+ library\.", header)[1]
        required = re.search(r"(?m)^Requires: (.*)$", self.configuration.read_text())[1]
        self.assertEqual(sorted(told.split(", ")), sorted(required.split()))

    def test_every_format_is_mutated_and_much_of_it_still_parses(self):
        listing = {line.split("\t")[0] for line in run(FUZZ_TOOL, "list").splitlines()}
        self.assertGreaterEqual(len(self.formats), 15)
        for name in self.formats:
            with self.subTest(name):
                self.assertIn(name, listing)
                originals = self.originals(name)
                copies = self.copies(name, originals, self.root / f"{name}-copies")
                old = {path.read_bytes() for path in originals}
                self.assertGreaterEqual(sum(path.read_bytes() not in old for path in copies), COPIES * 3 // 4)
                self.assertGreaterEqual(len({path.read_bytes() for path in copies}), COPIES // 2)
                told = [line.split("\t")[1] for line in run(FUZZ_TOOL, "describe", name, *copies).splitlines()]
                self.assertEqual(len(told), COPIES)
                parsed = sum(text == "valid" or text.startswith("breaks ") for text in told)
                self.assertGreaterEqual(parsed, COPIES // 8)

    def test_a_seed_gives_the_same_copy_again(self):
        originals = self.originals("hwx")
        first = self.copies("hwx", originals, self.root / "first")
        again = self.copies("hwx", originals, self.root / "again")
        self.assertEqual([path.read_bytes() for path in first], [path.read_bytes() for path in again])

    def test_a_format_that_is_not_there_is_refused(self):
        refused = subprocess.run([self.mutate_files, "jpeg", "1", self.root, __file__, __file__],
                                 capture_output=True, text=True)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("no such format", refused.stderr)

    def test_a_libfuzzer_target_finds_the_bug_of_the_toy_reader(self):
        if not CLANG:
            self.skipTest("no compiler with libFuzzer was named")
        fuzzer = self.root / "npz_fuzzer"
        # The sanitizer reports a division by zero, which not every processor traps.
        run(CLANG, "-O1", "-fsanitize=fuzzer,integer-divide-by-zero", "-fno-sanitize-recover=all",
            HERE / "npz_fuzzer.c", *self.flags, "-lz", "-o", fuzzer)
        corpus = self.root / "corpus"
        corpus.mkdir()
        (corpus / "array.npz").write_bytes(archive_with_one_array())
        self.assertEqual(subprocess.run([fuzzer, corpus / "array.npz"], capture_output=True).returncode, 0)
        found = subprocess.run([fuzzer, "-seed=1", "-runs=300000", "-max_total_time=120",
                                f"-artifact_prefix={self.root}/", corpus], capture_output=True, text=True)
        self.assertNotEqual(found.returncode, 0, found.stderr[-2000:])
        self.assertRegex(found.stderr, "division by zero|FPE")

    def scaffold(self, kind, name=None):
        folder = self.root / (name or kind)
        said = run(TOOL, "fuzz", "scaffold", "--format", "npz", "--for", kind, folder)
        commands = said.split("next:\n", 1)[1].strip()
        self.assertIn(str(folder), commands)
        readme = (folder / ("fuzz" if kind == "cargo-fuzz" else "") / "README.md").read_text()
        self.assertIn(f"```sh\n{commands}\n```", readme)
        self.assertGreater(len(list((folder / "seeds").iterdir())), 20)
        self.assertIn('="', (folder / "seeds.dict").read_text())
        again = subprocess.run([TOOL, "fuzz", "scaffold", "--format", "npz", "--for", kind, folder],
                               capture_output=True, text=True)
        self.assertEqual(again.returncode, 2)
        self.assertIn("is there already; choose another folder", again.stderr)
        return folder

    def test_the_project_for_libfuzzer_builds_and_runs(self):
        if not CLANG:
            self.skipTest("no compiler with libFuzzer was named")
        folder = self.scaffold("libfuzzer")
        run("make", "-C", folder, f"CC={CLANG}", f"MUTATOR={' '.join(self.flags)}")
        ran = subprocess.run([folder / "fuzzer", "-runs=2000", f"-dict={folder}/seeds.dict", folder / "seeds"],
                             capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr[-2000:])
        self.assertIn("Done 2000 runs", ran.stderr)

    def test_a_missing_library_is_named_with_the_command_that_installs_it(self):
        missing = subprocess.run(["make", "-C", self.scaffold("libfuzzer", "bare"), "run", "MUTATOR="],
                                 capture_output=True, text=True)
        self.assertNotEqual(missing.returncode, 0)
        self.assertIn("anecheck_fuzz_mutator is not installed; run in the source folder of anecheck: cmake --install",
                      missing.stdout)

    def test_run_on_continues_after_a_crash(self):
        if not CLANG:
            self.skipTest("no compiler with libFuzzer was named")
        folder = self.scaffold("libfuzzer", "crashing")
        (folder / "target.c").write_text(
            "#include <stddef.h>\n#include <stdint.h>\n"
            "int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {\n"
            "  if (size % 5 == 3) __builtin_trap();\n  return data == 0;\n}\n")
        # The exit code is that of the last file, which may be a crash.
        subprocess.run(["make", "-C", folder, f"CC={CLANG}", f"MUTATOR={' '.join(self.flags)}",
                        "RUN=./fuzzer -dict=seeds.dict -max_total_time=10", "run-on"], capture_output=True)
        self.assertGreater(len(list(folder.glob("crash-*"))), 1)

    def test_the_project_for_clusterfuzzlite_builds_as_its_image_does(self):
        if not CLANG:
            self.skipTest("no compiler with libFuzzer was named")
        folder, out = self.scaffold("clusterfuzzlite"), self.root / "cflite-out"
        out.mkdir()
        run("bash", folder / ".clusterfuzzlite/build.sh", cwd=folder, env={
            **os.environ, "CC": CLANG, "CXX": CLANG.replace("clang", "clang++"), "OUT": str(out),
            "CFLAGS": "-fsanitize=fuzzer-no-link", "CXXFLAGS": "", "LIB_FUZZING_ENGINE": "-fsanitize=fuzzer"})
        ran = subprocess.run([out / "npz_fuzzer", "-runs=100", f"-dict={out}/npz_fuzzer.dict"], capture_output=True)
        self.assertEqual(ran.returncode, 0, ran.stderr[-2000:])

    @unittest.skipUnless(shutil.which("afl-clang-fast") and shutil.which("afl-fuzz"), "AFL++ is not installed")
    def test_the_project_for_afl_builds_and_runs(self):
        folder = self.scaffold("afl", "afl-built")
        run("make", "-C", folder, "fuzzer")
        environment = {**os.environ, "AFL_NO_UI": "1", "AFL_SKIP_CPUFREQ": "1", "AFL_NO_AFFINITY": "1",
                       "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1", "ANECHECK_FORMAT": "npz",
                       "AFL_CUSTOM_MUTATOR_LIBRARY": f"{BUILD}/libanecheck_afl_mutator.so"}
        ran = subprocess.run(["afl-fuzz", "-i", "seeds", "-o", "found", "-x", "seeds.dict", "-V", "5", "--", "./fuzzer"],
                             cwd=folder, env=environment, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stdout[-2000:])
        stats = (folder / "found/default/fuzzer_stats").read_text()
        self.assertGreater(int(re.search(r"execs_done\s*: (\d+)", stats).group(1)), 100)

    def test_the_other_projects_are_of_their_languages(self):
        compile((self.scaffold("atheris") / "target.py").read_text(), "target.py", "exec")
        self.assertIn('name = "npz-fuzz"', (self.scaffold("cargo-fuzz") / "fuzz/Cargo.toml").read_text())
        self.assertIn("ANECHECK_FORMAT=npz", (self.scaffold("afl") / "Makefile").read_text())


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit("usage: fuzz_mutator_test.py TOOL FUZZ_TOOL BUILD C_COMPILER [CLANG]")
    TOOL, FUZZ_TOOL, BUILD = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:4])
    CC, CLANG = sys.argv[4], sys.argv[5] if len(sys.argv) > 5 else ""
    del sys.argv[1:]
    unittest.main()
