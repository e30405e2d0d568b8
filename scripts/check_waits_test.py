"""Shows that check-waits finds tests that sleep without a reason, and nothing else."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).parent / "check-waits"


def check(text, name="harness/base/a_test.cc"):
    """Exit code and output of check-waits over a tree of one file."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / name
        file.parent.mkdir(parents=True)
        file.write_text(text)
        run = subprocess.run(
            [sys.executable, TOOL, folder], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout


SLEEP = "  std::this_thread::sleep_for(std::chrono::milliseconds(50));\n"


class CheckWaits(unittest.TestCase):
    def test_a_sleep_in_a_test_is_found_with_its_line(self):
        code, output = check("int a;\n" + SLEEP)
        self.assertEqual(code, 1)
        self.assertIn("harness/base/a_test.cc:2:", output)

    def test_each_spelling_is_found(self):
        for text in ("usleep(10);", "nanosleep(&a, &b);", "sleep(1);",
                     "EXPECT_EQ(f.wait_for(k), std::future_status::timeout);"):
            self.assertEqual(check(text)[0], 1, text)
        self.assertEqual(check("time.sleep(1)", "scripts/a_test.py")[0], 1)

    def test_helpers_of_tests_are_searched_and_sources_are_not(self):
        self.assertEqual(check(SLEEP, "harness/base/testing/a.h")[0], 1)
        self.assertEqual(check(SLEEP, "harness/base/a.cc")[0], 0)

    def test_a_reason_passes_on_its_line_and_shortly_before(self):
        self.assertEqual(check("// Waits by the clock: nothing tells.\n" + SLEEP)[0], 0)
        self.assertEqual(check(SLEEP.rstrip() + "  // Waits by the clock: nothing tells.\n")[0], 0)
        self.assertEqual(check("// Waits by the clock: nothing tells.\n\n\n" + SLEEP)[0], 1)

    def test_waits_for_events_and_commands_that_hang_pass(self):
        code, output = check('''EXPECT_TRUE(testing::WaitUntil(done));\nauto a = Options("sleep 100");\n''')
        self.assertEqual(code, 0, output)


if __name__ == "__main__":
    unittest.main()
