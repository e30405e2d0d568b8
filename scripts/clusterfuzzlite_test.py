#!/usr/bin/env python3
"""The build script of ClusterFuzzLite, run without Docker in the environment that the base image
sets: its products in OUT run from there, with its seeds, options and dictionary.

usage: scripts/clusterfuzzlite_test.py WORK [C compiler] [C++ compiler]
"""

import configparser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

PROJECT = pathlib.Path(__file__).resolve().parent.parent
TARGETS = ["espresso", "stabs"]  # one with a format and its dictionary, one without
FLAGS = ("-O0 -fno-omit-frame-pointer -gline-tables-only -Wno-error=enum-constexpr-conversion "
         "-DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -fsanitize=address "
         "-fsanitize-address-use-after-scope -fsanitize=fuzzer-no-link")
WORK, CC, CXX = "", "clang-19", "clang++-19"


class ClusterFuzzLiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for program in ("zip", CC, CXX):
            if not shutil.which(program):
                raise unittest.SkipTest(f"{program} is not installed")
        cls.folder = tempfile.TemporaryDirectory()
        root = pathlib.Path(cls.folder.name)
        cls.out = root / "out"
        cls.out.mkdir()
        # WORK outlives the test, so that the next run compiles only changed files.
        source = pathlib.Path(WORK, "src")
        source.mkdir(parents=True, exist_ok=True)
        if not (source / "anecheck").exists():
            (source / "anecheck").symlink_to(PROJECT)
        environment = dict(
            os.environ, SRC=str(source), OUT=str(cls.out), WORK=WORK, CC=CC, CXX=CXX, CFLAGS=FLAGS,
            CXXFLAGS=f"{FLAGS} -stdlib=libc++", LIB_FUZZING_ENGINE="-fsanitize=fuzzer", SANITIZER="address",
            FUZZING_ENGINE="libfuzzer", ARCHITECTURE="x86_64", ANECHECK_FUZZ_ONLY=";".join(TARGETS),
            CCACHE_BASEDIR=str(source / "anecheck"), CCACHE_NOHASHDIR="1")
        build = subprocess.run([PROJECT / ".clusterfuzzlite/build.sh"], env=environment, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if build.returncode != 0:
            raise AssertionError(build.stdout[-4000:])

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_only_the_requested_fuzzers_are_built(self):
        self.assertEqual(sorted(path.name for path in self.out.glob("*_fuzzer")),
                         [f"{target}_fuzzer" for target in TARGETS])

    def test_each_fuzzer_runs_over_its_seeds(self):
        for target in TARGETS:
            with self.subTest(target), tempfile.TemporaryDirectory() as corpus:
                with zipfile.ZipFile(self.out / f"{target}_fuzzer_seed_corpus.zip") as archive:
                    seeds = archive.namelist()
                    archive.extractall(corpus)
                self.assertEqual(len(seeds), len(list((PROJECT / "corpus/seeds" / target).iterdir())))
                run = subprocess.run([self.out / f"{target}_fuzzer", "-runs=0", "-print_final_stats=1", corpus], text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.assertEqual(run.returncode, 0, run.stdout[-2000:])
                self.assertIn("INITED", run.stdout)
                self.assertRegex(run.stdout, r"Loaded \d+ modules")
                met = dict(re.findall(r"(?m)^stat::law_(\w+): +(\d+)$", run.stdout))
                self.assertEqual(sorted(met), ["as_text", "read_again", "vacuous"])
                self.assertLess(int(met["vacuous"]), len(seeds))

    def test_options_name_the_dictionary_if_there_is_one(self):
        for target in TARGETS:
            options = configparser.ConfigParser()
            options.read(self.out / f"{target}_fuzzer.options")
            section = options["libfuzzer"]
            self.assertGreater(section.getint("timeout"), 0)
            dictionary = self.out / f"{target}_fuzzer.dict"
            self.assertEqual(section.get("dict"), dictionary.name if dictionary.exists() else None)
        self.assertTrue((self.out / "espresso_fuzzer.dict").exists())

    def test_the_libraries_are_copied(self):
        for target in TARGETS:
            libraries = subprocess.run(["ldd", self.out / f"{target}_fuzzer"], check=True, capture_output=True,
                                       text=True).stdout
            outside = [line for line in libraries.splitlines() if " => /" in line and str(self.out) not in line
                       and not re.search(r"/(libc|libm|libdl|librt|libpthread)\.so", line)]
            self.assertEqual(outside, [])

    def test_the_build_contains_no_planted_bugs(self):
        for target in TARGETS:
            self.assertNotIn(b"ANECHECK_PLANTED_BUG", (self.out / f"{target}_fuzzer").read_bytes())


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: clusterfuzzlite_test.py WORK [C compiler] [C++ compiler]")
    WORK = str(pathlib.Path(sys.argv[1]).resolve())
    if len(sys.argv) > 3:
        CC, CXX = sys.argv[2:4]
    del sys.argv[1:]
    unittest.main()
