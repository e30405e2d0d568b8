"""Shows that check-comments finds sentences that begin with a noun clause, and no others."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).parent / "check-comments"


def check(text, name="harness/base/a.cc"):
    """Exit code and output of check-comments over a tree of one file."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / name
        file.parent.mkdir(parents=True)
        file.write_text(text)
        run = subprocess.run(
            [sys.executable, TOOL, folder], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout


class CheckComments(unittest.TestCase):
    def test_a_sentence_that_begins_with_a_noun_clause_is_found_with_its_line(self):
        code, output = check("int a;\n  // Numbers of a case.\n  // What a thread keeps.\nint b;\n")
        self.assertEqual(code, 1)
        self.assertIn("harness/base/a.cc:2:", output)
        self.assertIn("What a thread keeps.", output)

    def test_a_sentence_may_go_over_several_lines(self):
        self.assertEqual(check("// The first one. Where the\n// second one stands.\n")[0], 1)

    def test_scripts_are_searched(self):
        self.assertEqual(check("# Which file is next.\n", "scripts/a.py")[0], 1)

    def test_questions_and_other_places_in_a_sentence_pass(self):
        code, output = check("// Which one? The place where it stands, and what it holds.\nint where;\n")
        self.assertEqual(code, 0, output)

    def test_text_in_code_passes(self):
        self.assertEqual(check('auto a = "What is this";\n')[0], 0)


if __name__ == "__main__":
    unittest.main()
