#!/usr/bin/env python3
"""scripts/nightly with fuzzers and a tool that are shell scripts: its steps, files, messages and exit codes.

Also the names of failures."""

import fcntl
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
import fuzz_common  # noqa: E402

SCRIPTS = pathlib.Path(__file__).resolve().parent
# The kind of a fuzzer call: fuzz, merge, minimise, or run one input.
FUZZER = """for word; do
  case $word in
    -artifact_prefix=*) failed=${word#*=} ;;
    -exact_artifact_path=*) small=${word#*=} ;;
  esac
done
last=$word
echo "$THOROUGH $*" >>@ROOT@/calls
case "$*" in
  *-fork=1*) FUZZ
    echo '#9: cov: 1 ft: 5 corp: 2' >&2; echo '#12: cov: 1 ft: 7 corp: 3' >&2; echo 'INFO: exiting: 0 time: 1s' >&2 ;;
  *-merge=1*) MERGE ;;
  *-minimize_crash=1*) SMALL ;;
  *) [ -z "$ANECHECK_FUZZ_THOROUGH" ] || case $(cat "$last") in
       *bad*) echo "law broken: $(cat "$last" | cut -c1-5) [toy]: x" >&2; exit 77 ;;
     esac ;;
esac
"""
PARTS = {"FUZZ": "true", "MERGE": 'shift $(($# - 2)); cp "$2"/* "$1" 2>/dev/null || true', "SMALL": "true"}
TOOL = 'echo "$@" >>@ROOT@/tool-calls\n'


class ScriptTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        self.work = self.root / "work"
        self.add("fuzz-tool", 'echo "\\"word\\""\n')
        self.add("tool", TOOL)

    def add(self, path, script):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n" + script.replace("@ROOT@", str(self.root)))
        path.chmod(0o755)


class NightlyTest(ScriptTest):
    def add_fuzzer(self, name="toy", build="fuzzers", **parts):
        script = FUZZER
        for part, text in {**PARTS, **parts}.items():
            script = script.replace(part, text)
        self.add(f"{build}/{name}_fuzzer", script)

    def command(self, *arguments):
        return [sys.executable, SCRIPTS / "nightly", "--work", self.work, "--fuzzers", self.root / "fuzzers",
                "--fast-fuzzers", self.root / "fast", "--tool", self.root / "tool", "--fuzz-tool",
                self.root / "fuzz-tool", "--minutes", "0.01", "--jobs", "2", "--least-free", "0", *arguments]

    def night(self, *arguments, expect=0, campaign=False):
        run = subprocess.run([*self.command(*arguments), *([] if campaign else ["--skip-campaign"])],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, expect, run.stdout + run.stderr)
        return run

    def wait_for_lock(self):
        with (self.work / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)

    def calls(self, name="calls"):
        return (self.root / name).read_text().splitlines() if (self.root / name).exists() else []

    def summary(self):
        return (self.work / "summary.md").read_text()

    def state(self):
        return json.loads((self.work / "state.json").read_text())

    def test_both_builds_fuzz_with_the_dictionary_and_the_corpus_is_merged_with_every_law(self):
        self.add_fuzzer(FUZZ='for w in "$@"; do case $w in */corpus) echo x >$w/new ;; esac; done')
        self.add_fuzzer(build="fast")
        self.night()
        fuzzing = [call for call in self.calls() if "-fork=1" in call]
        self.assertEqual(["-use_value_profile=1" in call for call in fuzzing], [True, False])
        self.assertTrue(all(f"-dict={self.work}/toy/dictionary" in call for call in fuzzing), fuzzing)
        self.assertEqual([path.name for path in (self.work / "toy/corpus").iterdir()], ["new"])
        self.assertRegex(self.summary(), r"(?m)^0 findings of fuzzing; seed \d{8}, 0.01 minutes, 2 jobs\.$")
        self.assertRegex(self.summary(), r"(?m)^\| toy \| \d+ \| 24 \| \d+ \| 7 \| 1 \|$")

    def test_each_failure_is_one_finding_with_a_minimised_input_and_a_command(self):
        self.add_fuzzer(FUZZ='echo bad-1 is long >${failed}crash-1; echo bad-1 too >${failed}crash-2; '
                             'echo bad-2 >${failed}oom-3; echo x >${failed}slow-unit-4',
                        SMALL='case $(cat "$last") in bad-1*) echo bad-1 >$small ;; *) echo bad-3 >$small ;; esac')
        run = self.night(expect=1)
        self.assertIn("2 findings of fuzzing", run.stdout)
        self.assertEqual([finding["signature"] for finding in self.state()["findings"]],
                         ["bad-1 [toy]", "bad-2 [toy]"])
        kept = sorted(path.read_text() for path in (self.work / "regress/toy").iterdir())
        # An input that fails in another way does not count as smaller.
        self.assertEqual(kept, ["bad-1\n", "bad-2\n"])
        lines = [line for line in self.summary().splitlines() if line.startswith("- toy: ")]
        for line in lines:
            self.assertEqual(subprocess.run(["sh", "-c", line.split("`")[1]], capture_output=True).returncode, 77)
        self.assertEqual((self.work / "junit.xml").read_text().count("<failure"), 2)
        self.assertEqual(list((self.work / "toy/failed").iterdir()), [])

    def test_a_crash_that_is_not_reproduced_is_listed_and_a_timeout_is_a_finding(self):
        self.add_fuzzer(FUZZ="echo once >${failed}crash-1; echo slow >${failed}timeout-2")
        self.night(expect=1)
        self.assertRegex(self.summary(), r"(?m)^- toy: crash that failed once, not reproduced: `.*/regress/toy/\w+`$")
        self.assertEqual(len(self.state()["findings"]), 1)

    def test_a_failure_during_a_merge_is_a_finding_and_leaves_the_corpus(self):
        (self.work / "toy/corpus").mkdir(parents=True)
        (self.work / "toy/corpus/old").write_text("old")
        self.add_fuzzer(MERGE="echo bad-7 >${failed}crash-7; exit 1")
        run = self.night(expect=3)
        self.assertIn("1 finding of fuzzing; targets that could not be run to their end: toy", run.stdout)
        self.assertEqual((self.work / "toy/corpus/old").read_text(), "old")

    def test_a_fuzzer_that_cannot_run_gives_3_and_its_message(self):
        self.add("fuzzers/ill_fuzzer", "echo no such luck >&2; exit 1\n")
        self.add_fuzzer()
        self.night(expect=3)
        self.assertIn("no such luck", self.summary())
        self.assertEqual(sorted(self.state()["targets"]), ["ill", "toy"])

    def test_an_ended_night_leaves_no_process_and_can_be_continued(self):
        self.add_fuzzer("a")
        self.add_fuzzer("b", FUZZ="sleep 600 & echo $! >@ROOT@/pid; wait".replace("@ROOT@", str(self.root)))
        night = subprocess.Popen([*self.command("--skip-campaign", "--seed", "5"), "--jobs", "1"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while not ((self.root / "pid").exists() and (self.root / "pid").read_text()):
            time.sleep(0.02)  # Waits by the clock: between two polls.
        self.night(expect=3)  # a second night beside it is refused
        night.send_signal(signal.SIGTERM)
        self.assertIn("to continue the night", night.communicate()[1])
        self.assertEqual(night.returncode, 3)
        state = subprocess.run(["ps", "-o", "stat=", "-p", (self.root / "pid").read_text().strip()],
                               capture_output=True, text=True).stdout.strip()
        self.assertIn(state[:1], ("", "Z"))
        self.assertIn("This night is not at its end: interrupted.", self.summary())
        self.add_fuzzer("b")
        before = len(self.calls())
        self.night()
        self.assertTrue(all("/b/" in call for call in self.calls()[before:]))
        self.assertIn("seed 5", self.summary())
        self.night()  # a finished night begins anew
        self.assertIn("/a/", "".join(self.calls()[-8:]))

    def test_the_other_steps_are_listed_and_decide_the_exit_code(self):
        self.add_fuzzer()
        self.add("tool", TOOL + 'case $1 in run) echo "9 cases, 8 judged, 1 known" ;; esac\n')
        self.night(campaign=True)
        self.assertEqual([call.split()[0] for call in self.calls("tool-calls")], ["run", "report", "power", "baseline"])
        self.assertIn("| campaign | 0 | 0 | 9 cases, 8 judged, 1 known |", self.summary())
        for code, expect, kind in ((1, 1, "failure"), (2, 3, "error")):
            self.add("tool", TOOL + f"[ $1 != baseline ] || exit {code}\n")
            run = self.night(campaign=True, expect=expect)
            self.assertIn(f"baseline: exit code {code}", run.stdout)
            self.assertIn(f"<{kind}", (self.work / "junit.xml").read_text())

    def test_a_campaign_that_was_interrupted_is_resumed(self):
        self.add_fuzzer()
        self.add("tool", TOOL + f"touch {self.work}/campaign.sqlite; [ $1 != run ] || kill $PPID; sleep 1\n")
        self.night(campaign=True, expect=3)
        self.wait_for_lock()  # the killed night's tool holds it to its end
        self.add("tool", TOOL)
        self.night(campaign=True)
        self.assertIn("--resume", [call for call in self.calls("tool-calls") if call.startswith("run")][-1])
        self.assertEqual(sum("-fork=1" in call for call in self.calls()), 1)

    def test_wrong_usage_gives_2(self):
        self.night(expect=2)  # no fuzzers
        self.add_fuzzer()
        self.night("--minutes", "0", expect=2)
        self.night("--tool", self.root / "none", campaign=True, expect=2)

    def test_a_full_disk_and_a_damaged_state_give_3_and_one_line(self):
        self.add_fuzzer()
        self.assertIn("MB are free", self.night("--least-free", str(1 << 40), expect=3).stderr)
        self.assertIn("not at its end", self.summary())
        (self.work / "state.json").write_text("{")
        self.assertEqual(self.night(expect=3).stderr.count("\n"), 1)


class PlantedBugsTest(ScriptTest):
    """scripts/check-planted-bugs: 0 found, 1 not found, 2 wrong usage, 3 for a fuzzer that cannot run."""

    def hunt(self, bug, expect, script=None):
        if script:
            self.add("fuzzers/hwx_fuzzer", script)
        run = subprocess.run([sys.executable, SCRIPTS / "check-planted-bugs", "--fuzzers", self.root / "fuzzers",
                              "--fuzz-tool", self.root / "fuzz-tool", bug], capture_output=True, text=True)
        self.assertEqual(run.returncode, expect, run.stdout + run.stderr)
        return run.stdout + run.stderr

    def test_each_bug_is_searched_for_and_reported(self):
        buggy = '[ -n "$ANECHECK_PLANTED_BUG" ] || exit 0\n%secho "%s" >&2; exit 77\n'
        found_by_fuzzing = 'case "$*" in *-runs=0*) exit 0 ;; esac\n'
        self.assertIn("is missing", self.hunt("ReaderSubrange", 3))
        self.hunt("NoSuchBug", 2)
        for before, report, bug, expect, told in (
                ("", "law broken: coverage adds up [hwx]: x", "ReaderSubrange", 0, "a seed: coverage adds up"),
                (found_by_fuzzing, "ERROR: libFuzzer: deadly signal", "ReaderSubrange", 0, "1 of 1 found"),
                (found_by_fuzzing, "ERROR: libFuzzer: timeout after 20 seconds", "HwxThreadWords", 0, "timeout"),
                (found_by_fuzzing, "ERROR: libFuzzer: timeout after 20 seconds", "ReaderSubrange", 1, "NOT FOUND"),
                (found_by_fuzzing, "cannot open a file", "HwxThreadWords", 1, "NOT FOUND cannot open")):
            with self.subTest(report=report, bug=bug):
                self.assertIn(told, self.hunt(bug, expect, buggy % (before, report)))
        self.assertIn("without the bug: no such luck", self.hunt("ReaderSubrange", 3, "echo no such luck >&2; exit 1\n"))


FRAMES = """==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000014 at pc 0x55
    #0 0x55c1 in __asan_memcpy (/w/build/fuzz/fuzzers/hwx_fuzzer+0xc93fd) (BuildId: f4ff)
    #1 0x55c2 in U32 %s/build/fuzz/../../harness/base/byte_reader.h:84:5
    #2 0x55c3 in ReadHeader %s/build/fuzz/../../harness/formats/hwx/load.cc:30:9
    #3 0x55c4 in anecheck::hwx::(anonymous namespace)::FUNCTION(std::span<unsigned char const, 18446744073709551615ul>) %s/harness/formats/hwx/load.cc:50:7
    #4 0x55c5 in std::optional<anecheck::hwx::File> anecheck::hwx::Read<anecheck::hwx::File>(int) %s/harness/formats/hwx/load.cc:9:1
    #5 0x55c6 in anecheck::fuzz::$_2::__invoke(int) %s/fuzz/targets/hwx_target.cc:9:1

allocated by thread T0 here:
    #0 0x55c7 in anecheck::Other() %s/harness/formats/hwx/other.cc:1:1

SUMMARY: AddressSanitizer: heap-buffer-overflow %s/build/fuzz/../../harness/base/byte_reader.h:84:5 in U32
"""
TIMEOUT = """ERROR: libFuzzer: timeout after 30 seconds
    #0 0x1 in anecheck::mil::INNER() /w/harness/formats/mil/a.cc:9:2
    #1 0x2 in anecheck::mil::Items() /w/harness/formats/mil/a.cc:1:2
    #2 0x2 in anecheck::mil::Block() /w/harness/formats/mil/a.cc:2:2
    #3 0x2 in anecheck::mil::Parse() /w/harness/formats/mil/a.cc:3:2
    #4 0x2 in anecheck::fuzz::Check() /w/fuzz/targets/mil_target.cc:3:2
"""


class SignatureTest(unittest.TestCase):
    def test_the_name_of_a_failure_depends_on_the_bug_and_not_on_the_checkout(self):
        for report, signature in (
                (FRAMES.replace("%s", "/w").replace("FUNCTION", "Load"),
                 "heap-buffer-overflow in ReadHeader < hwx::Load < hwx::Read"),
                (FRAMES.replace("%s", "/home/me/x").replace("FUNCTION", "Move"),
                 "heap-buffer-overflow in ReadHeader < hwx::Move < hwx::Read"),
                (TIMEOUT.replace("INNER", "Skip"), "timeout in mil::Items < mil::Block < mil::Parse"),
                ("/w/harness/base/byte_reader.h:7:3: runtime error: shift exponent 99 is too large\n"
                 "    #0 0x1 in anecheck::td::Read(int) /w/harness/formats/td/a.cc:1:1\n",
                 "byte_reader.h:7:3: runtime error: shift exponent in td::Read"),
                ("law broken: write(parse(x)) is x [hwx]: at 7", "write(parse(x)) is x [hwx]"),
                ("ERROR: libFuzzer: deadly signal", "deadly signal"), ("", fuzz_common.UNKNOWN)):
            with self.subTest(signature):
                self.assertEqual(fuzz_common.signature_of(report), signature)

    def test_the_last_line_of_a_fuzzer_is_its_last_message_before_the_figures(self):
        figures = "#9\tDONE   cov: 1 ft: 1\nDone 9 runs in 1 second(s)\nstat::peak_rss_mb: 3\n\n"
        self.assertEqual(fuzz_common.last_line("INFO: Seed: 1\nno room\n" + figures), "no room")
        self.assertEqual(fuzz_common.last_line(""), "no word")


if __name__ == "__main__":
    unittest.main()
