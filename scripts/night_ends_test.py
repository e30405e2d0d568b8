#!/usr/bin/env python3
"""What becomes of a night that ends early, and of failures that are hard to judge: nothing that was found is
lost, and what is told is what happened."""

import json
import os
import signal
import subprocess
import sys
import unittest
import unittest.mock
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
import fuzz_common  # noqa: E402
import night_state  # noqa: E402
import night_turns  # noqa: E402
from night_testing import BURN, QUIET, SANITISED, SHORT, NightTest, fuzzer  # noqa: E402

BROKEN = 'echo "law broken: x [toy]: y" >&2'
CRASH = f'echo bad >"${{prefix}}crash-1"; {BROKEN}; echo "Test unit written to ${{prefix}}crash-1" >&2; exit 77'
TIMEOUT = "echo 'ERROR: libFuzzer: timeout after 30 seconds' >&2"
HANG = f'echo bad >"${{prefix}}timeout-1"; {TIMEOUT}; echo "Test unit written to ${{prefix}}timeout-1" >&2; exit 70'


class NightEndsTest(NightTest):
    def test_a_night_that_is_killed_while_an_input_is_made_small_keeps_the_finding(self):
        self.add_fuzzer("toy", fuzzer(alone=f"[ ! -e {self.work}/regress/toy ] || sleep 2; {BROKEN}; exit 77",
                                      fuzzing=self.once(CRASH)))
        night = self.begin_night(*SHORT)
        self.wait_for(lambda: list(self.work.glob("regress/toy/*.txt")) and self.signatures())
        night.kill()
        night.communicate()
        self.assertEqual(self.signatures(), ["x [toy]"])
        self.wait_for(lambda: not self.is_locked())
        run = self.run_night(*SHORT)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(self.signatures(), ["x [toy]"])

    def test_what_a_killed_night_had_no_time_to_judge_is_judged_when_it_goes_on(self):
        self.add_fuzzer("toy", fuzzer(alone=f"{BROKEN}; exit 77"))
        (self.work / "toy/crashes").mkdir(parents=True)
        (self.work / "toy/crashes/crash-1").write_text("bad")
        self.assertEqual(self.run_night(*SHORT).returncode, 1)
        self.assertEqual(self.signatures(), ["x [toy]"])
        self.assertEqual(list((self.work / "toy/crashes").iterdir()), [])
        self.assertTrue((self.work / "toy/judged/crash-1").exists())

    def test_an_end_while_a_slow_input_is_judged_leaves_it_to_be_judged(self):
        self.add_fuzzer("toy", fuzzer(
            alone=f"if [ ! -e {self.root}/ended ]; then trap 'exit 72' TERM; sleep 60 & touch {self.root}/judging; "
                  f"wait; fi; {BURN}; {TIMEOUT}; exit 70", fuzzing=self.once(HANG)))
        night = self.begin_night(*SHORT)
        self.wait_for((self.root / "judging").exists)
        night.terminate()
        self.assertIn("goes on", night.communicate()[1])
        self.assertEqual((night.returncode, self.findings()), (3, []))
        # The night waits for the fuzzer, not for the sleep it started, which has the lock until it is gone.
        self.wait_for(lambda: not self.is_locked())
        (self.root / "ended").touch()
        run = self.run_night(*SHORT, impatient=True)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(self.signatures(), ["timeout"])

    def test_a_hang_later_in_a_turn_loses_no_finding(self):
        self.add_fuzzer("toy", SANITISED.replace('[ -n "$merging" ] || echo', '[ -n "$merging" ] || exec sleep 60; echo'))
        corpus = self.add_corpus(a="bad 1", b="good")
        self.addCleanup(setattr, night_turns, "GRACE", night_turns.GRACE)
        night_turns.GRACE = 1
        self.add_tool("")
        night = self.night(self.options())
        self.assertEqual(night.next_target(), "toy")
        with self.assertRaises(subprocess.TimeoutExpired):
            night_turns.turn(night, "toy")
        self.assertEqual([path.name for path in corpus.iterdir()], ["b"])
        self.assertEqual(self.signatures(), ["coverage adds up [toy]"])

    def test_a_fuzzer_that_is_ended_before_it_listens_is_no_error_of_the_night(self):
        self.add_fuzzer("toy", fuzzer(fuzzing=self.once("exec sleep 60")))
        night = self.begin_night(*SHORT)
        self.wait_for((self.root / "once").exists)
        night.terminate()
        night.communicate()
        run = self.run_night(*SHORT)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("killed by signal", (self.work / "summary.md").read_text())

    def test_a_closed_terminal_ends_a_night_with_its_steps(self):
        self.add_fuzzer("toy", fuzzer(merging=f"echo $$ >{self.root}/merge; exec sleep 60"))
        self.add_corpus(a="x")
        night = self.begin_night(*SHORT)
        self.wait_for((self.root / "merge").exists)
        night.send_signal(signal.SIGHUP)
        night.send_signal(signal.SIGHUP)
        self.assertIn("goes on", night.communicate()[1])
        self.assertEqual(night.returncode, 3)
        self.assertFalse(self.is_at_work("merge"))
        self.assertIn("not at its end: interrupted", (self.work / "summary.md").read_text())

    def test_a_closed_terminal_ends_no_night_under_nohup(self):
        self.add_fuzzer("toy", fuzzer(fuzzing=self.once("sleep 2")))
        night = self.begin_night(*SHORT, before=["nohup"])
        self.wait_for((self.root / "once").exists)
        night.send_signal(signal.SIGHUP)
        self.assertEqual(night.wait(), 0, night.communicate()[1])

    def test_what_a_killed_night_started_keeps_its_folder(self):
        hang = "echo $$ >{0}/{1}; exec sleep 60"
        self.add_fuzzer("toy", fuzzer(fuzzing=self.once(hang.format(self.root, "turn")),
                                      merging=f"[ -e {self.root}/merge ] || {{ {hang.format(self.root, 'merge')}; }}"))
        self.add_corpus(a="x")
        for name in ("turn", "merge"):
            night = self.begin_night(*SHORT)
            self.wait_for(lambda: (self.root / name).exists() and (self.root / name).read_text())
            night.kill()
            night.communicate()
            run = self.run_night(*SHORT)
            self.assertEqual((run.returncode, self.is_at_work(name)), (3, True), run.stderr)
            self.assertIn("what it started still is", run.stderr)
            os.kill(int((self.root / name).read_text()), signal.SIGKILL)
            self.wait_for(lambda: not self.is_locked())
        self.assertEqual(self.run_night(*SHORT).returncode, 0)

    def test_a_killed_night_that_makes_an_input_small_keeps_its_folder(self):
        hang = f"echo $$ >{self.root}/small; exec sleep 600"  # of the search, which has no prefix
        self.add_fuzzer("toy", fuzzer(
            alone=f'[ -n "$prefix" ] || [ -e {self.root}/small ] || {{ {hang}; }}; {BROKEN}; exit 77', fuzzing=CRASH))
        night = self.begin_night(*SHORT)
        self.wait_for(lambda: (self.root / "small").exists() and (self.root / "small").read_text())
        night.kill()
        night.communicate()
        run = self.run_night(*SHORT)
        self.assertEqual((run.returncode, self.is_at_work("small")), (3, True), run.stderr)
        os.kill(int((self.root / "small").read_text()), signal.SIGKILL)
        self.wait_for(lambda: not self.is_locked())
        self.assertEqual(self.run_night(*SHORT).returncode, 1)

    def test_two_nights_do_not_share_a_folder(self):
        self.add_fuzzer("toy", fuzzer(fuzzing=self.once("sleep 600 & wait")))
        night = self.begin_night(*SHORT)
        self.wait_for((self.root / "once").exists)
        run = self.run_night(*SHORT)
        self.assertEqual(run.returncode, 3)
        self.assertIn("another night is at work", run.stderr)
        night.terminate()
        night.communicate()

    def test_a_state_of_another_form_is_3_and_one_line(self):
        self.add_fuzzer("toy", QUIET)
        self.work.mkdir()
        for text in ("{", "{}", "[]", '{"finished": false}',
                     '{"spent": 0, "finished": false, "findings": [], "targets": {"toy": 7}}'):
            (self.work / "state.json").write_text(text)
            run = self.run_night(*SHORT)
            self.assertEqual(run.returncode, 3, text)
            self.assertEqual(run.stderr.count("\n"), 1, run.stderr)

    def test_a_disk_without_room_ends_the_night_with_a_word_and_it_goes_on(self):
        self.add_fuzzer("toy", QUIET)
        run = self.run_night(*SHORT, "--least-free", str(1 << 40))
        self.assertEqual(run.returncode, 3)
        self.assertIn("no room on the disk", run.stderr)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        self.assertIn("no room on the disk", (self.work / "summary.md").read_text())
        self.assertEqual(self.run_night(*SHORT).returncode, 0)

    def test_an_output_without_room_does_not_end_a_night(self):
        self.add_fuzzer("toy", fuzzer(alone=f"{BROKEN}; exit 77", fuzzing=CRASH))
        with open("/dev/full", "w") as full:
            run = subprocess.run(self.command(*SHORT), stdout=full, stderr=full)
        self.assertEqual(run.returncode, 1)
        self.assertEqual(self.signatures(), ["x [toy]"])
        self.assertIn("1 finding;", (self.work / "summary.md").read_text())


class JudgementTest(NightTest):
    def test_an_input_that_was_slow_in_a_merge_alone_is_nothing(self):
        self.add_fuzzer("toy", fuzzer(merging='echo x >"${prefix}timeout-1"'))
        self.add_corpus(a="x")
        run = self.run_night(*SHORT)
        self.assertEqual((run.returncode, self.findings()), (0, []), run.stderr)
        self.assertNotIn("<failure", (self.work / "junit.xml").read_text())
        self.assertIn("| prune | 1 |", (self.work / "summary.md").read_text())

    def test_what_fails_in_a_merge_and_not_alone_is_told_with_its_report(self):
        self.add_fuzzer("toy", fuzzer(merging="""cat >&2 <<END
MERGE-OUTER: attempt 1
INFO: Seed: 11
law broken: first [toy]: x
Test unit written to ${prefix}crash-1
MERGE-OUTER: attempt 2
INFO: Seed: 12
==1== ERROR: libFuzzer: out-of-memory (used: 2100Mb; limit: 2048Mb)
    #0 0x1 in anecheck::CrossFiles(int) /w/generators/formats/cross.cc:7:1
Test unit written to ${prefix}oom-2
MERGE-OUTER: attempt 3
END
for each in crash-1 oom-2 crash-3; do echo x >"${prefix}$each"; done"""))
        self.add_corpus(a="x")
        run = self.run_night(*SHORT)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual([(row["signature"], row["seed"]) for row in self.findings()],
                         [("first [toy]", "11"), ("crash of crash-3", ""), ("out-of-memory in CrossFiles", "12")])
        self.assertFalse(any(row["reproduced"] for row in self.findings()))
        with open(self.findings()[2]["report"]) as report:
            self.assertIn("cross.cc:7", report.read())
        self.assertFalse((self.work / "toy/failed.log").exists())

    def test_what_failed_in_a_merge_that_was_ended_is_judged_with_its_report(self):
        self.add_fuzzer("toy", QUIET)
        self.set_state(targets={"toy": {"turns": 1}}, begun="prune",
                       steps=[{"name": "prune", "code": 3, "seconds": 1.0, "log": "prune.log"}])
        (self.work / "toy/failed.merging").mkdir(parents=True)
        (self.work / "toy/failed.merging/oom-1").write_text("x")
        (self.work / "toy/failed.merging.log").write_text("law broken: x [toy]: y\nTest unit written to /w/oom-1\n")
        self.assertEqual(self.run_night(*SHORT).returncode, 3)
        self.assertEqual(self.signatures(), ["x [toy]"])
        self.assertEqual((self.work / "toy/judged/oom-1").read_text(), "x")
        self.assertFalse((self.work / "toy/failed.merging.log").exists())

    def test_leftovers_without_a_report_are_each_told_by_their_kind(self):
        self.add_fuzzer("toy", QUIET)
        (self.work / "toy/crashes").mkdir(parents=True)
        for name in ("oom-1", "oom-2", "leak-1", "timeout-1", "slow-unit-1"):
            (self.work / "toy/crashes" / name).write_text(name)
        (self.work / "toy/log").write_text("of a later turn")
        run = self.run_night(*SHORT)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(self.signatures(), ["detected memory leaks of leak-1", "out-of-memory of oom-1",
                                             "out-of-memory of oom-2"])
        for finding, name in zip(self.findings(), ("leak-1", "oom-1", "oom-2")):
            with open(finding["file"]) as file:
                self.assertEqual(file.read(), name)
        self.assertEqual(list((self.work / "toy/crashes").iterdir()), [])

    def test_a_timeout_under_all_laws_counts(self):
        self.add_fuzzer("toy", fuzzer(merging='echo x >"${prefix}timeout-1"',
                                      alone=f'[ -z "$ANECHECK_FUZZ_THOROUGH" ] || {{ {BURN}; {TIMEOUT}; exit 70; }}'))
        self.add_corpus(a="x")
        self.assertEqual(self.run_night(*SHORT, impatient=True).returncode, 1)
        self.assertEqual(self.signatures(), ["timeout"])

    def test_a_timeout_counts_only_with_the_time_of_a_processor(self):
        for burn, code, signatures in (("", 0, []), (BURN, 1, ["timeout"])):
            self.work = self.root / f"work-{code}"
            self.add_fuzzer("toy", fuzzer(alone=f"{burn}\n{TIMEOUT}; exit 70", fuzzing=HANG))
            run = self.run_night(*SHORT, impatient=True)
            self.assertEqual((run.returncode, self.signatures()), (code, signatures), run.stderr)

    def test_an_input_that_is_cut_off_counts_only_with_the_time_of_a_processor(self):
        night = self.night(self.options())
        process = subprocess.Popen(["true"])
        process.wait()
        for used, signature in ((fuzz_common.INPUT_SECONDS - 1, None), (fuzz_common.INPUT_SECONDS, "timeout")):
            with unittest.mock.patch.object(night, "execute", side_effect=night_state.CutOff(process, 9, used)):
                found = night_turns.fails_alone(night, "toy", "toy_fuzzer", self.root / "input", False)
            self.assertEqual(found, (signature, ""))

    def test_what_is_cut_off_is_told_with_its_time_of_a_processor(self):
        process = subprocess.Popen(["sh", "-c", f"(ulimit -t 1; while :; do :; done); touch {self.root}/spent; sleep 600"],
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        self.wait_for((self.root / "spent").exists)
        with self.assertRaises(night_state.CutOff) as cut:
            night_state.wait(process, 0)
        self.assertGreater(cut.exception.used, 0.9)
        self.assertEqual(process.returncode, -signal.SIGKILL)

    def test_a_failure_that_no_input_shows_is_told_as_such_with_its_seed_and_base(self):
        self.add_fuzzer("toy", fuzzer(fuzzing="""echo 'INFO: Seed: 4711' >&2
: >"${prefix}oom-1"
echo '==1== ERROR: libFuzzer: out-of-memory (malloc(8589934590))
    #0 0x1 in anecheck::CrossFiles(int) /w/generators/formats/cross.cc:7:1

MS: 1 Custom-; base unit: a9993e364706816aba3e25717850c26c9cd0d89d' >&2
echo "Test unit written to ${prefix}oom-1" >&2
exit 71"""))
        self.add_corpus(a="abc", b="abcd")
        self.assertEqual(self.run_night(*SHORT).returncode, 1)
        finding, = self.findings()
        self.assertEqual(finding["signature"], "out-of-memory in CrossFiles")
        self.assertEqual((finding["reproduced"], finding["seed"]), (False, "4711"))
        with open(finding["base"]) as base:
            self.assertEqual(base.read(), "abc")
        self.assertIn("not reproduced", (self.work / "summary.md").read_text())
        self.assertIn("not reproduced", (self.work / "junit.xml").read_text())

    def test_a_failure_without_an_input_is_told_with_the_file_of_its_report(self):
        self.add_fuzzer("toy", fuzzer(fuzzing=f"{BROKEN}; exit 77"))
        run = self.run_night(*SHORT)
        self.assertEqual(run.returncode, 1, run.stderr)
        finding, = self.findings()
        with open(finding["report"]) as report:
            self.assertIn("law broken: x", report.read())
        for text in (run.stdout, (self.work / "summary.md").read_text()):
            self.assertIn(f"not reproduced, no input fails so alone: report `{finding['report']}`", text)

    def test_what_the_fast_build_cannot_name_the_sanitised_one_does(self):
        self.add_fuzzer("toy", fuzzer(alone="""echo 'ERROR: AddressSanitizer: SEGV on unknown address
    #0 0x1 in anecheck::hwx::Load(int) /w/harness/formats/hwx/load.cc:3:1' >&2; exit 77"""))
        (self.root / "fast").mkdir()
        fast = self.root / "fast/toy_fuzzer"
        fast.write_text(fuzzer(fuzzing='echo x >"${prefix}crash-1"; echo "ERROR: libFuzzer: deadly signal\n'
                                       'Test unit written to ${prefix}crash-1" >&2; exit 77'))
        fast.chmod(0o755)
        self.work.mkdir()
        self.set_state(targets={"toy": {"turns": 1}})
        self.assertEqual(self.run_night("--turns", "2").returncode, 1)
        self.assertEqual(self.signatures(), ["SEGV in hwx::Load"])

    def test_a_leak_is_named_by_the_longer_stack_of_a_run_alone(self):
        leak = """ERROR: LeakSanitizer: detected memory leaks
    #0 0x1 in malloc (/w/f+0x1)
    #1 0x2 in operator new x.cc:1"""
        self.add_fuzzer("toy", fuzzer(
            alone=f"""echo '{leak}' >&2
case $ASAN_OPTIONS in *malloc_context_size=30*) echo '    #2 0x3 in anecheck::hal::Read(int) a.cc:3' >&2 ;; esac
exit 77""", fuzzing=f"""echo x >"${{prefix}}leak-1"; echo '{leak}' >&2; exit 77"""))
        self.assertEqual(self.run_night(*SHORT).returncode, 1)
        self.assertEqual(self.signatures(), ["detected memory leaks in hal::Read"])

    def test_what_cannot_be_judged_is_an_error_in_every_report(self):
        self.add_fuzzer("toy", fuzzer(merging='echo x >"${prefix}crash-1"', alone="kill -9 $$"))
        self.add_corpus(a="x")
        self.assertEqual(self.run_night(*SHORT).returncode, 3)
        suite = ElementTree.parse(self.work / "junit.xml").getroot()
        self.assertEqual(suite.get("errors"), "1")
        self.assertIn("ended from outside", suite.find("testcase/error").text)
        self.assertIn("ended from outside", (self.work / "summary.md").read_text())

    def test_words_of_a_fuzzer_do_not_break_the_reports(self):
        self.add_fuzzer("toy", "#!/bin/sh\nprintf 'bad \\033[31m \\001 word\\n' >&2\nexit 5\n")
        self.assertEqual(self.run_night(*SHORT).returncode, 3)
        error = ElementTree.parse(self.work / "junit.xml").getroot().find("testcase/error").text
        self.assertIn("bad \\x1b[31m \\x01 word", error)
        self.assertNotIn("\x1b", (self.work / "summary.md").read_text())

    def test_a_candidate_of_another_night_does_not_stand_in_for_this_one(self):
        self.add_fuzzer("toy", fuzzer(alone=f"{BROKEN}; exit 77", fuzzing=CRASH))
        files = []
        for _ in range(2):
            self.assertEqual(self.run_night(*SHORT).returncode, 1)
            files.append(self.findings()[0]["file"])
            with open(files[-1]) as file:
                self.assertEqual(file.read(), "bad\n")
        self.assertNotEqual(*files)

    def test_of_many_findings_the_first_are_made_small(self):
        self.add_fuzzer("toy", fuzzer(alone=f'echo "$last" >>{self.root}/calls; {BROKEN}; exit 77'))
        self.addCleanup(setattr, night_turns, "MOST_SMALL", night_turns.MOST_SMALL)
        night_turns.MOST_SMALL = 1
        night = self.night(self.options())
        (self.work / "toy").mkdir()
        fuzzer_path = self.root / "fuzzers/toy_fuzzer"
        (self.root / "input").write_text("bad")
        for signature, small in (("first", True), ("second", False)):
            (self.root / "calls").write_text("")
            night_turns.keep(night, "toy", signature, "report", self.root / "input", fuzzer_path, True)
            self.assertEqual(bool(self.calls()), small, signature)
        self.assertEqual([(row["signature"], row["thorough"]) for row in self.findings()],
                         [("first", True), ("second", True)])

    def test_a_turn_counts_as_fuzzing_without_its_judgement(self):
        self.add_fuzzer("toy", fuzzer(alone=f"sleep 2; {BROKEN}; exit 77", fuzzing=CRASH))
        self.add_tool("")
        night = self.night(self.options())
        self.assertEqual(night.next_target(), "toy")
        night_turns.turn(night, "toy")
        self.assertGreater(night.state["spent"], night.state["targets"]["toy"]["seconds"] + 2)


class StepsTest(NightTest):
    def test_a_campaign_with_findings_is_in_the_headline_with_its_figures(self):
        self.add_fuzzer("toy", QUIET)
        self.add_tool('[ "$1" != run ] || { echo "9 cases, 8 judged, 1 inconclusive, 3 new findings, 0 known '
                      'defects met"; exit 1; }\n')
        run = self.run_night(*SHORT, campaign=True)
        self.assertEqual(run.returncode, 1, run.stderr)
        told = "0 findings of fuzzing; campaign: 9 cases, 8 judged, 1 inconclusive, 3 new findings"
        self.assertIn(told, run.stdout)
        self.assertIn(told, (self.work / "summary.md").read_text())
        self.assertIn("3 new findings", (self.work / "junit.xml").read_text())

    def test_the_figures_of_power_and_of_the_baseline_are_told(self):
        self.add_fuzzer("toy", QUIET)
        report = {"summary": {"planted": 5, "planted_found": 3, "known": 2, "known_found": 1},
                  "false_findings": 0, "lost": ["conv-bias-dropped"], "undecided": 1}
        (self.root / "report.json").write_text(json.dumps(report))
        self.add_tool(f"""case $1 in
  power) for out; do :; done; mkdir -p "$out"; cp {self.root}/report.json "$out/power.json"; exit 1 ;;
  baseline) printf '7 identical\\n2 improved\\n' ;;
esac
""")
        run = self.run_night(*SHORT, campaign=True)
        self.assertEqual(run.returncode, 1, run.stderr)
        text = (self.work / "summary.md").read_text()
        self.assertIn("power: 3 of 5 planted faults and 1 of 2 known defects found; 1 ended by the clock; lost: conv-bias-dropped; "
                      "0 false findings", text.splitlines()[2])
        self.assertIn("| 7 identical, 2 improved |", text)

    def test_each_night_begins_its_campaign_anew(self):
        self.add_fuzzer("toy", QUIET)
        self.add_tool('[ "$1" != run ] || { for last; do :; done; echo night >>"$last"; }\n')
        for _ in range(2):
            self.assertEqual(self.run_night(*SHORT, campaign=True).returncode, 0)
        self.assertEqual((self.work / "campaign.sqlite").read_text(), "night\n")


if __name__ == "__main__":
    unittest.main()
