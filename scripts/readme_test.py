#!/usr/bin/env python3
"""What README.md says can be done, done.

usage: scripts/readme_test.py BUILD_FOLDER

Runs every command block of README.md in one shell, in order, with BUILD_FOLDER in place of
build/release, a temporary folder in place of /tmp and of the home, and small numbers of cases and
files. Exit code 0 is right, and 1 of a command that says so of findings or differences. Also holds that the scripts, folders and
subcommands that the text names exist.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent
README = (PROJECT / "README.md").read_text()
BUILD = PROJECT / "build" / "dev"

# Commands that are not run, each with the reason.
EXCEPTIONS = {
    "scripts/quickstart": "installs packages and builds everything",
    "scripts/test": "installs packages, builds everything and runs this test",
}
# Whose exit code 1 means findings or differences.
FINDERS = re.compile(r"anecheck (run|replay|diff|judge|check|report|trend|baseline|power|probe|fuzz)\b|check_output")
# At most this many where the text says more.
SMALL = {"--cases": 100, "--count": 4}
# What is added to a subcommand that takes minutes as it stands.
LESS = {"power": "--fault conv-bias-dropped --no-magnitudes --clean-cases 60 --targets h13"}


def blocks():
    """The lines of each fenced block."""
    return [match.group(1).splitlines() for match in re.finditer(r"^```\w*\n(.*?)^```$", README,
                                                                 re.MULTILINE | re.DOTALL)]


def command(line):
    """The command of a line: without the remark, with small numbers; None for an exception."""
    line = re.sub(r"\s+# .*$", "", line).strip()
    if line.split(" ")[0] in EXCEPTIONS or not line:
        return None
    for option, limit in SMALL.items():
        line = re.sub(rf"({option} )(\d+)", lambda match: match.group(1) + str(
            min(int(match.group(2)), limit)), line)
    for subcommand, arguments in LESS.items():
        line = line.replace(f"anecheck {subcommand} ", f"anecheck {subcommand} {arguments} ")
    return line


class ReadmeTest(unittest.TestCase):
    def test_every_command_block_runs(self):
        commands = [c for lines in blocks() for c in map(command, lines) if c is not None]
        self.assertGreaterEqual(len(commands), 20)
        with tempfile.TemporaryDirectory(prefix="anecheck-readme-") as folder, \
                open(pathlib.Path(folder) / "done", "w+") as log:
            script = [f"cd '{PROJECT}'", f"export HOME='{folder}'"]
            for text in commands:
                allowed = 1 if FINDERS.search(text) else 0
                script += [text.replace("/tmp/", folder + "/").replace("build/release", str(BUILD)),
                           f"code=$?; [ $code -le {allowed} ]" + ' || { echo "exit code $code" >&2; exit 9; }',
                           f"echo done >&{log.fileno()}"]
            result = subprocess.run(["bash", "-c", "\n".join(script)], pass_fds=[log.fileno()],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self.assertNotIn("Traceback", result.stderr)
            log.seek(0)
            done = len(log.readlines())
            self.assertEqual(done, len(commands),
                             f"{commands[min(done, len(commands) - 1)]}\n{result.stderr[-2000:]}")

    def test_exceptions_are_still_there(self):
        lines = [line.split("#")[0].strip() for block in blocks() for line in block]
        for name, reason in EXCEPTIONS.items():
            self.assertTrue(reason)
            self.assertIn(name, lines)

    def test_named_scripts_and_folders_exist(self):
        named = set(re.findall(r"(?<![\w/.-])((?:scripts|harness|generators|oracles|corpus|fuzz|reports)"
                               r"/[\w./-]*\w)", README))
        self.assertIn("scripts/quickstart", named)
        for path in sorted(named):
            self.assertTrue((PROJECT / path).exists(), f"{path} does not exist")

    def test_what_a_night_tells_is_explained(self):
        self.assertIn("ANECHECK_FUZZ_THOROUGH=1", README)

    def test_named_subcommands_exist(self):
        text = subprocess.run([BUILD / "anecheck", "--help"], capture_output=True, text=True).stdout
        known = set(re.findall(r"^  ([a-z]+)  ", text, re.MULTILINE))
        self.assertIn("run", known)
        for name in set(re.findall(r"`anecheck ([a-z]+)", README)):
            self.assertIn(name, known)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    BUILD = pathlib.Path(sys.argv.pop()).resolve()
    unittest.main()
