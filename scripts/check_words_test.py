"""Shows that check-words passes code that takes its words from the room and finds words spelt as literals."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).parent / "check-words"
TABLE = """#pragma once
template <> struct Words<Verdict> {
  static constexpr auto kTexts = std::to_array<std::string_view>(
      {"pass", "known-defect", "wrong"});
};
"""


def check(files):
    """Exit code and output of check-words over a tree of {path: text} with the room's table."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in {"harness/verdict/verdict.h": TABLE, **files}.items():
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        run = subprocess.run(
            [sys.executable, TOOL, folder], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout


class CheckWords(unittest.TestCase):
    def test_a_word_as_a_value_is_found(self):
        for line in ('if (verdict == "wrong") return;', 'if ("wrong" != verdict) return;', 'record.verdict = "wrong";',
                     'return "known-defect";', 'take(right ? "pass" : verdict);', 'take(right ? verdict : "wrong");',
                     'Take("wrong");', 'verdict =\n      "wrong";'):
            code, output = check({"harness/campaign/judge.cc": f"void F() {{\n  {line}\n}}\n"})
            self.assertEqual(code, 1, line)
            self.assertIn("harness/campaign/judge.cc:", output)
            self.assertIn("1 words spelt as literals", output)

    def test_the_line_of_the_literal_is_named(self):
        _, output = check({"reports/a.cc": '\n\nbool f = v == "wrong";\n'})
        self.assertIn('reports/a.cc:3: "wrong"', output)

    def test_members_sentences_comments_and_other_words_pass(self):
        code, output = check({
            "reports/json.cc": 'json = {{"wrong", counts.wrong}, {"pass", 1}};\nif (json.contains("wrong")) {}\n',
            "reports/text.cc": 'text = "wrong values";\nname = "conv";\n',
            "reports/note.cc": '// verdict == "wrong"\nint x = 1;  // "wrong" == y\n',
        })
        self.assertEqual(code, 0, output)

    def test_tests_and_edges_may_spell_words(self):
        code, output = check({
            "harness/campaign/judge_test.cc": 'EXPECT_TRUE(verdict == "wrong");\n',
            "harness/device/quirk.cc": 'symptom = "wrong";\n',
        })
        self.assertEqual(code, 0, output)

    def test_a_tree_without_the_room_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run(
                [sys.executable, TOOL, folder], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 2)


if __name__ == "__main__":
    unittest.main()
