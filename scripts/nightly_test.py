#!/usr/bin/env python3
"""The night with fuzzers that are shell scripts: what fails is found once, time is shared, an
interrupted night goes on."""

import argparse
import json
import pathlib
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
import fuzz_common  # noqa: E402
import night_report  # noqa: E402
import night_state  # noqa: E402
import night_turns  # noqa: E402
from night_testing import FAILING, QUIET, REPORTING, SANITISED, SHORT, NightTest  # noqa: E402


class NightlyTest(NightTest):
    def test_a_quiet_night_is_clean_and_every_target_has_a_turn(self):
        self.add_fuzzer("toy_a", QUIET)
        self.add_fuzzer("toy_b", QUIET)
        run = self.run_night("--turns", "2")
        self.assertEqual(run.returncode, 0, run.stderr)
        state = json.loads((self.work / "state.json").read_text())
        self.assertTrue(state["finished"])
        for row in state["targets"].values():
            self.assertEqual((row["turns"], row["features"]), (1, 20))
            self.assertEqual((row["read_again"], row["as_text"], row["vacuous"]), (7, 2, 1))
        self.assertIn("| read again | as text | vacuous |", (self.work / "summary.md").read_text())
        self.assertIn('failures="0"', (self.work / "junit.xml").read_text())

    def test_a_failure_is_one_finding_however_often_it_comes(self):
        self.add_fuzzer("toy", FAILING)
        run = self.run_night("--turns", "3")
        self.assertEqual(run.returncode, 1, run.stderr)
        state = json.loads((self.work / "state.json").read_text())
        self.assertEqual(state["targets"]["toy"]["failures"], 3)
        self.assertEqual([row["signature"] for row in state["findings"]], ["write(parse(x)) is x"])
        self.assertEqual(pathlib.Path(state["findings"][0]["file"]).read_text(), "bad\n")
        self.assertIn("write(parse(x)) is x", (self.work / "summary.md").read_text())

    def test_fuzzing_leaves_a_third_of_the_night_to_the_other_steps(self):
        for name in ("toy_a", "toy_b", "toy_c"):
            self.add_fuzzer(name, QUIET)
        options = self.options()
        self.assertEqual((self.night(options).most_clock, self.night(options).seconds), (400, 800))
        options.skip_campaign = True
        self.assertEqual((self.night(options).most_clock, self.night(options).seconds), (600, 1200))
        options.jobs = 100  # of which three find a target
        self.assertEqual((self.night(options).most_clock, self.night(options).seconds), (600, 1800))

    def test_jobs_without_a_target_take_no_turn_and_the_clock_of_fuzzing_is_kept(self):
        self.add_fuzzer("toy", QUIET.replace("#!/bin/sh\n", "#!/bin/sh\nsleep 0.2\n"))
        run = self.run_night(*SHORT, "--jobs", "100")
        self.assertEqual(run.returncode, 0, run.stderr)
        state = json.loads((self.work / "state.json").read_text())
        self.assertEqual(state["targets"]["toy"]["turns"], 1)
        self.assertLess(0.2, state["clock"])

    def test_a_night_without_time_has_one_turn(self):
        for name in ("toy_a", "toy_b"):
            self.add_fuzzer(name, QUIET)
        self.set_state(clock=1e9, spent=1e9)
        night = self.night(self.options())
        self.assertEqual([night.next_target(), night.next_target()], ["toy_a", None])
        night.record("toy_a", 1, 1, "", False)
        self.assertEqual(night.next_target(), None)

    def test_a_night_ends_after_its_turns(self):
        for name in ("toy_a", "toy_b", "toy_c"):
            self.add_fuzzer(name, QUIET)
        self.set_state(targets={"toy_a": {"turns": 3, "fast_errors": 1}})
        options = self.options()
        options.turns = 6
        night = self.night(options)
        self.assertEqual([night.next_target() for _ in range(3)], ["toy_a", "toy_b", None])

    def test_the_clock_ends_fuzzing_where_few_targets_are_at_work(self):
        self.add_fuzzer("toy_a", QUIET)
        self.add_fuzzer("toy_b", QUIET)
        self.set_state(clock=1.0, targets={"toy_a": {"turns": 1}})
        options = self.options()
        for minutes, target in ((1.0, "toy_a"), (1 / 60, None)):
            options.minutes, options.skip_campaign = minutes, True
            self.assertEqual(self.night(options).next_target(), target)

    def test_an_interrupted_night_goes_on(self):
        self.add_fuzzer("toy", QUIET)
        self.work.mkdir()
        row = {"rate": 0, "waited": 0, "turns": 7, "seconds": 1.0, "executed": 5, "features": 20,
               "failures": 0}
        state = {"spent": 1.0, "finished": False, "findings": [], "targets": {"toy": row}}
        (self.work / "state.json").write_text(json.dumps(state))
        self.assertEqual(self.run_night(*SHORT).returncode, 0)
        # One second was spent before the interruption; the time of this night is used up.
        self.assertEqual(json.loads((self.work / "state.json").read_text())["targets"]["toy"]["turns"], 7)

    def test_the_build_without_sanitizers_has_every_other_turn(self):
        self.assertEqual([self.fuzzer_of_turn(turn).parent.name for turn in range(2)], ["fuzzers", "fuzzers"])
        self.add_fuzzer("toy", QUIET, "fast")
        self.assertEqual([self.fuzzer_of_turn(turn).parent.name for turn in range(4)],
                         ["fuzzers", "fast", "fuzzers", "fast"])

    def test_a_fast_build_that_cannot_run_takes_no_turn_from_the_sanitised_one(self):
        self.add_fuzzer("toy", QUIET)
        self.add_fuzzer("toy", "#!/bin/sh\necho 'libfoo.so is missing' >&2\nexit 127\n", "fast")
        run = self.run_night("--turns", "8")
        self.assertEqual(run.returncode, 3, run.stderr)
        state = json.loads((self.work / "state.json").read_text())
        row = state["targets"]["toy"]
        self.assertEqual((row["fast_errors"], row["sanitised_errors"], row["turns"]), (3, 0, 5))
        self.assertEqual(len(state["errors"]), 1, state["errors"])

    def fuzzer_of_turn(self, turn):
        row = {"turns": turn, "sanitised_errors": 0, "fast_errors": 0}
        return night_state.build_of_turn(self.options(), "toy", row)[0]

    def test_what_fails_without_sanitizers_counts(self):
        self.add_fuzzer("toy", QUIET)
        self.set_state(targets={"toy": {"turns": 1}})
        self.add_fuzzer("toy", FAILING, "fast")
        self.assertEqual(self.run_night("--turns", "2").returncode, 1)
        self.assertEqual([row["signature"] for row in self.findings()], ["write(parse(x)) is x"])

    def test_an_input_that_took_long_on_a_busy_machine_alone_is_no_finding(self):
        self.add_fuzzer("toy", """#!/bin/sh
for argument; do
  case $argument in
    -merge=1) exit 0 ;;
    */again-*) exit 0 ;;
    -artifact_prefix=*) artifact=${argument#-artifact_prefix=}timeout-1 ;;
  esac
done
echo slow >$artifact
echo "ERROR: libFuzzer: timeout after 30 seconds
Test unit written to $artifact" >&2
exit 70
""")
        run = self.run_night(*SHORT)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("0 findings", run.stdout)

    def test_a_slow_input_is_not_taken_for_the_failing_one(self):
        self.add_fuzzer("toy", FAILING.replace("crash-$$\" ;;", "slow-unit-1\" ;;").replace(
            "exit 77", "prefix=$(ls -d %s/work/toy/crashes); echo bad > $prefix/timeout-1\n"
                       "echo \"Test unit written to $prefix/timeout-1\" >&2\nexit 77" % self.root))
        self.assertEqual(self.run_night(*SHORT).returncode, 1)
        self.assertEqual(self.findings()[0]["signature"], "write(parse(x)) is x")
        self.assertEqual(pathlib.Path(self.findings()[0]["file"]).read_text(), "bad\n")

    def test_a_leak_and_an_undefined_value_are_named_without_their_numbers(self):
        for report, signature in (
                ("ERROR: LeakSanitizer: detected memory leaks\n"
                 "    #0 0x1 in operator new x.cc\n    #1 0x2 in anecheck::Leak() y.cc:3\n"
                 "SUMMARY: AddressSanitizer: $$ byte(s) leaked in 1 allocation(s).",
                 "detected memory leaks in Leak"),
                ("/a/b/c.cc:7:3: runtime error: index $$ out of bounds", "c.cc:7:3: runtime error: index")):
            self.add_fuzzer("toy", REPORTING % report)
            self.assertEqual(self.run_night(*SHORT).returncode, 1)
            self.assertEqual([row["signature"] for row in self.findings()], [signature])

    def test_a_fuzzer_that_cannot_run_does_not_end_the_night_and_is_3(self):
        self.add_fuzzer("broken", "#!/bin/sh\necho 'libfoo.so is missing' >&2\nexit 127\n")
        self.add_fuzzer("killed", "#!/bin/sh\nkill -9 $$\n")
        self.add_fuzzer("toy", QUIET)
        run = self.run_night("--turns", "6")
        self.assertEqual(run.returncode, 3, run.stderr)
        state = json.loads((self.work / "state.json").read_text())
        self.assertEqual(state["findings"], [])
        self.assertLessEqual(state["targets"]["broken"]["sanitised_errors"], 3)
        self.assertGreater(state["targets"]["toy"]["turns"], 1)
        text = (self.work / "summary.md").read_text()
        self.assertIn("libfoo.so is missing", text)
        self.assertIn("killed by signal 9", text)
        self.assertIn("<error", (self.work / "junit.xml").read_text())

    def test_a_night_that_is_ended_goes_on_with_the_step_that_it_was_at(self):
        self.add_fuzzer("toy", QUIET)
        self.add_tool(f'echo "$@" >>{self.root}/calls\n[ "$1" != power ] || [ -e {self.root}/again ] || sleep 60\n')
        command = self.command(*SHORT, "--seed", "5", campaign=True)
        night = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while night.poll() is None and "power" not in self.calls():
            time.sleep(0.05)
        night.terminate()
        self.assertIn("goes on", night.communicate()[1])
        self.assertEqual(night.returncode, 3)
        self.assertIn("| report | 0 |", (self.work / "summary.md").read_text())
        # The night waits for the step, not for the sleep it started, which has the lock until it is gone.
        self.wait_for(lambda: not self.is_locked())
        (self.root / "again").touch()
        run = self.run_night(*SHORT, campaign=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual([call.split()[0] for call in self.calls().splitlines() if "dictionary" not in call],
                         ["run", "report", "power", "power", "baseline"])
        self.assertIn("seed 5", (self.work / "summary.md").read_text())

    def test_the_other_steps_have_the_seed_of_the_night(self):
        self.add_fuzzer("toy", QUIET)
        self.add_tool(f'echo "$@" >>{self.root}/calls\n')
        run = self.run_night(*SHORT, "--seed", "7", campaign=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        calls = (self.root / "calls").read_text()
        self.assertRegex(calls, r"(?m)^run --targets all --time 10 --seed 7 ")
        self.assertRegex(calls, r"(?m)^power .*--max-seconds 0.01 .*corpus/baselines/power_not_found.tsv --seed 7 ")
        self.assertRegex(calls, r"(?m)^baseline compare .*corpus/baselines/simulated.json ")
        self.assertIn("seed 7", (self.work / "summary.md").read_text())

    def test_a_step_that_fails_is_told(self):
        self.add_fuzzer("toy", QUIET)
        self.add_tool('[ "$1" != baseline ]\n')
        run = self.run_night(*SHORT, campaign=True)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("| baseline | 1 |", (self.work / "summary.md").read_text())

    def test_bad_usage_is_2(self):
        self.assertEqual(self.run_night("--minutes", "0").returncode, 2)
        self.assertEqual(self.run_night("--turns", "0").returncode, 2)
        self.add_fuzzer("toy", QUIET)
        run = self.run_night("--tool", "/nonexistent/anecheck", "--minutes", "1", campaign=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("/nonexistent/anecheck is missing", run.stderr)

    def test_what_fails_while_a_corpus_is_loaded_is_found_and_leaves_it(self):
        self.add_fuzzer("toy", SANITISED)
        corpus = self.add_corpus(a="bad 1", b="good", c="bad 2")
        self.assertEqual(self.run_night(*SHORT, "--slice", "300").returncode, 1)
        state = json.loads((self.work / "state.json").read_text())
        self.assertEqual([row["signature"] for row in state["findings"]], ["coverage adds up [toy]"])
        self.assertEqual([path.name for path in corpus.iterdir()], ["b"])
        # The same turn went on with what was left.
        self.assertEqual((state["targets"]["toy"]["turns"], state["targets"]["toy"]["features"]), (1, 20))

    def test_what_fails_while_corpora_are_merged_is_a_finding(self):
        self.add_fuzzer("toy", SANITISED)
        self.add_corpus(a="bad 1")
        self.set_state(targets={"toy": {"turns": 1}})  # all that the night has
        run = self.run_night(*SHORT)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual([row["signature"] for row in self.findings()], ["coverage adds up [toy]"])
        self.assertEqual(pathlib.Path(self.findings()[0]["file"]).read_text(), "bad")
        self.assertEqual(list((self.work / "toy/failed").iterdir()), [])

    def test_a_law_that_is_asserted_of_few_inputs_is_asserted_of_all_that_are_kept(self):
        self.add_fuzzer("toy", SANITISED.replace("if ! grep -q bad",
                                                 'if [ -z "$ANECHECK_FUZZ_THOROUGH" ] || ! grep -q bad'))
        self.add_corpus(a="bad 1", b="good")
        run = self.run_night(*SHORT, "--slice", "300")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual([row["signature"] for row in self.findings()], ["coverage adds up [toy]"])

    def test_a_finding_that_comes_again_is_not_kept_again(self):
        self.add_fuzzer("toy", QUIET)
        night = self.night(self.options())
        for file in ("a", "b"):
            night.add({"target": "toy", "signature": "s", "file": file})
        self.assertEqual([row["file"] for row in night.state["findings"]], ["a"])
        self.assertEqual([row["file"] for row in self.findings()], ["a"])

    def test_an_input_takes_the_place_of_what_was_only_told(self):
        self.add_fuzzer("toy", SANITISED)
        self.add_tool("")
        night = self.night(self.options())
        (self.work / "toy").mkdir()
        fuzzer = self.root / "fuzzers/toy_fuzzer"
        for name, text, failing_in in (("first", "good", None), ("second", "so bad", fuzzer), ("third", "x", None)):
            (self.root / name).write_text(text)
            night_turns.keep(night, "toy", "coverage adds up [toy]", f"report of the {name}", self.root / name,
                             failing_in)
        finding, = self.findings()
        self.assertEqual((finding["reproduced"], pathlib.Path(finding["file"]).read_text()), (True, "bad"))
        self.assertEqual(pathlib.Path(finding["report"]).read_text(), "report of the second")
        self.assertEqual(len(list((self.work / "regress/toy").iterdir())), 2)
        self.assertNotIn("not reproduced", night_report.summary(night.state, night.options))

    def test_a_finding_is_told_with_the_command_that_shows_it(self):
        plain, all_laws = "grep -q bad", '[ -n "$ANECHECK_FUZZ_THOROUGH" ] && grep -q bad'
        small_alone = """grep -q "$([ -n "$ANECHECK_FUZZ_THOROUGH" ] && echo bad || echo 'bad 1')" """
        for number, (fails, thorough) in enumerate(((plain, False), (all_laws, True), (small_alone, True))):
            self.work = self.root / f"work-{number}"
            self.add_fuzzer("toy", SANITISED.replace('if ! grep -q bad "$file"', f'if ! {{ {fails} "$file"; }}'))
            self.add_corpus(a="bad 1")
            run = self.run_night(*SHORT, "--slice", "300")
            self.assertEqual(run.returncode, 1, run.stderr)
            finding, = self.findings()
            self.assertEqual(pathlib.Path(finding["file"]).read_text(), "bad", fails)
            self.assertEqual(finding["thorough"], thorough, fails)
            line = next(line for line in (self.work / "summary.md").read_text().splitlines() if "adds up" in line)
            command = line.split("`")[1]
            self.assertEqual(command.startswith("ANECHECK_FUZZ_THOROUGH=1 "), thorough)
            self.assertIn(command, run.stdout)
            self.assertEqual(subprocess.run(["sh", "-c", command], capture_output=True).returncode, 77, command)

    def test_comparisons_are_profiled_in_the_sanitised_build_and_words_are_given(self):
        self.add_tool("echo '\"word\"'\n")
        self.work.mkdir()
        options = self.options()
        for turn, profiled in ((0, True), (1, False), (2, True)):
            self.add_fuzzer("toy", QUIET, "fast")
            fuzzer = self.fuzzer_of_turn(turn)
            command = [str(word) for word in night_turns.command_of(options, "toy", fuzzer, 5)]
            self.assertEqual("-use_value_profile=1" in command, profiled)
            self.assertIn(f"-dict={self.work}/toy.dict", command)
            self.assertIn("-max_total_time=5", command)

    def test_each_night_makes_its_dictionaries_anew(self):
        self.add_tool("[ \"$1\" != dictionary ] || echo '\"new\"'\n")
        self.add_fuzzer("toy", QUIET)
        self.work.mkdir()
        (self.work / "toy.dict").write_text('"old"\n"tru')
        self.assertEqual(self.run_night(*SHORT).returncode, 0)
        self.assertEqual((self.work / "toy.dict").read_text(), '"new"\n')

    def test_a_dictionary_that_cannot_be_made_whole_is_not_there(self):
        self.add_tool("echo '\"wo'; exit 1\n")
        with self.assertRaises(subprocess.CalledProcessError):
            fuzz_common.write_dictionary(self.root / "tool", "toy", self.root / "toy.dict")
        self.assertFalse((self.root / "toy.dict").exists())

    def test_the_reason_why_a_fuzzer_does_not_begin_is_told_and_the_headline_names_it(self):
        self.add_fuzzer("toy_a", """#!/bin/sh
[ "$1" != -merge=1 ] || exit 0
echo 'INFO: Seed: 7
ParseDictionaryFile: error in line 2
stat::law_read_again:              0
stat::law_vacuous:                 0' >&2
exit 1
""")
        self.add_fuzzer("toy_b", QUIET)
        run = self.run_night("--turns", "4")
        self.assertEqual(run.returncode, 3, run.stderr)
        headline = "0 findings of fuzzing; 1 target could not be run: toy_a"
        self.assertEqual(run.stdout.partition("; " + str(self.work))[0], headline)
        text = (self.work / "summary.md").read_text()
        self.assertEqual(text.splitlines()[2].partition("; seed")[0], headline)
        self.assertIn("toy_a_fuzzer failed with exit code 1: ParseDictionaryFile: error in line 2", text)
        self.assertIn("Targets without a turn: toy_a.", text)

    def test_the_headline_tells_targets_that_ran_in_part_and_names_few(self):
        rows = {f"t{i}": {"turns": int(i > 6)} for i in range(8)}
        state = {"errors": [f"{name}: no: such file" for name in rows], "findings": [], "steps": [], "targets": rows}
        self.assertEqual(night_report.headline(state),
                         "0 findings of fuzzing; 7 targets could not be run: t0, t1, t2, t3, t4 and 2 more; "
                         "1 target could not be run in some turns: t7")

    def test_the_last_words_of_a_fuzzer_are_no_figures(self):
        figures = "#9\tDONE   cov: 1 ft: 1\nDone 9 runs in 1 second(s)\nstat::peak_rss_mb: 3\n\n"
        self.assertEqual(fuzz_common.last_line("INFO: Seed: 1\nno room\n" + figures), "no room")
        self.assertEqual(fuzz_common.last_line(figures), "stat::peak_rss_mb: 3")
        self.assertEqual(fuzz_common.last_line(""), "no word")

    def test_the_summary_tells_of_which_commits_the_night_is(self):
        self.add_fuzzer("toy", QUIET)
        self.set_state(sources=["commit 0123456789ab, fuzzers last built 2026-01-01 00:00"])
        night = self.night(self.options())
        self.assertRegex(night_report.summary(night.state, self.options()),
                         r"(?m)^Of commit 0123456789ab, fuzzers last built 2026-01-01 00:00, then "
                         r"(commit [0-9a-f]{12}(-dirty)?, )?fuzzers last built \d{4}-\d\d-\d\d \d\d:\d\d\.$")
        self.assertEqual(self.night(self.options()).state["sources"][1:], night.state["sources"][1:])

    def test_a_commit_is_that_of_the_folder_itself(self):
        tree = self.root / "tree"
        tree.mkdir()
        self.assertEqual(fuzz_common.commit_of(tree), "")
        git = ["git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@b"]
        for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first"]):
            subprocess.run([*git, *command], check=True)
        commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(fuzz_common.commit_of(tree), commit[:12])
        (tree / "inside").mkdir()
        self.assertEqual(fuzz_common.commit_of(tree / "inside"), "")
        (tree / "file").write_text("x")
        subprocess.run([*git, "add", "file"], check=True)
        self.assertEqual(fuzz_common.commit_of(tree), f"{commit[:12]}-dirty")

    def test_coverage_below_its_mark_is_told_and_no_finding(self):
        for name, code, expected in (("coverage", 1, 0), ("baseline", 1, 1), ("coverage", 3, 3), ("power", 2, 3)):
            row = {"name": name, "code": code, "seconds": 1.0, "log": "x.log"}
            state = {"errors": [], "findings": [], "steps": [row], "targets": {}, "seed": 1}
            self.assertEqual(night_report.exit_code(state), expected, row)
            self.assertEqual("<failure" in night_report.junit(state), expected == 1, row)
            options = argparse.Namespace(minutes=1.0, jobs=1)
            self.assertEqual("below their mark" in night_report.summary(state, options), (name, code) == ("coverage", 1))

    def test_a_damaged_state_is_3_and_one_line(self):
        self.add_fuzzer("toy", QUIET)
        self.work.mkdir()
        (self.work / "state.json").write_text("{")
        run = self.run_night(*SHORT)
        self.assertEqual(run.returncode, 3)
        self.assertEqual(run.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
