#!/usr/bin/env python3
"""Checks the project's documents and runs the commands of the documents in RUN.

usage: scripts/readme_test.py BUILD_FOLDER [TEST...]

The fenced blocks of each document in RUN are run in one shell, in order, with BUILD_FOLDER in place of
build/release, a temporary folder in place of /tmp and of the home, and small numbers of cases and files.
The expected exit code is 0, or 1 for a command that reports findings or differences by it. A block with `mac`
in its fence (```sh mac) runs on a Mac only; a block with `text` in its fence contains no command.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent
BUILD = PROJECT / "build" / "dev"
RUN = ("README.md", "harness/cli/README.md")

# Commands that are not run, with the reason of each.
EXCEPTIONS = {
    "scripts/quickstart": "installs packages and builds everything",
    "scripts/test": "installs packages, builds everything and runs this test",
}
# Commands whose exit code 1 means findings or differences.
FINDERS = re.compile(r"anecheck (run|replay|diff|judge|check|report|trend|baseline|power|probe|fuzz)\b|check_output")
# The largest numbers that are run.
SMALL = {"--cases": 100, "--count": 4}
# Options that shorten a subcommand of several minutes.
LESS = {"power": "--fault conv-bias-dropped --no-magnitudes --clean-cases 60 --targets h13"}

# Turns of phrase that have to be read twice.
PUZZLES = re.compile(r"somebody|one's own|\bis told\b|^What .*|[;,] what .*|\b[Hh]old .* against\b", re.MULTILINE)

MOST_LINES = 150
MOST_LIMITS = 20
LARGEST_PICTURE = 150 * 1024
# Folders that are not rooms but have a README.
ALSO_ROOMS = ("harness", "harness/cli", "oracles/legality", "corpus", "scripts")
# Documents that are part of the tool's output.
TEMPLATES = ("harness/findings/export/", "harness/parserfuzz/scaffold/", "reports/testdata/")


def documents():
    """Path and text of every document of the project."""
    listed = subprocess.run(["git", "-C", PROJECT, "ls-files", "-co", "--exclude-standard", "*.md"],
                            capture_output=True, text=True).stdout.split()
    if not listed:  # not a clone
        listed = [path.relative_to(PROJECT).as_posix() for path in PROJECT.rglob("*.md")
                  if path.relative_to(PROJECT).parts[0] != "build"]
    return {path: (PROJECT / path).read_text() for path in sorted(set(listed))
            if not path.startswith(TEMPLATES) and (PROJECT / path).exists()}


DOCUMENTS = documents()


def blocks(text, also_mac=False):
    """The lines of each fenced block of commands."""
    for info, body in re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        words = info.split()
        if "text" not in words and (also_mac or "mac" not in words):
            yield body.splitlines()


def without_blocks(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def command(line):
    """The command of a line, without its comment and with small numbers; None for a command that is not run."""
    line = re.sub(r"\s+# .*$", "", line).strip()
    if line.split(" ")[0] in EXCEPTIONS or not line:
        return None
    for option, limit in SMALL.items():
        line = re.sub(rf"({option} )(\d+)", lambda match: match.group(1) + str(
            min(int(match.group(2)), limit)), line)
    for subcommand, arguments in LESS.items():
        line = line.replace(f"anecheck {subcommand} ", f"anecheck {subcommand} {arguments} ")
    return line


def anchor(heading):
    """The name that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


class CommandsTest(unittest.TestCase):
    def test_every_command_block_runs(self):
        on_mac = sys.platform == "darwin"
        for path in RUN:
            commands = [c for lines in blocks(DOCUMENTS[path], on_mac) for c in map(command, lines)
                        if c is not None]
            self.assertGreaterEqual(len(commands), 20, path)
            self.run_commands(path, commands)

    def run_commands(self, path, commands):
        with tempfile.TemporaryDirectory(prefix="anecheck-readme-") as folder, \
                open(pathlib.Path(folder) / "done", "w+") as log:
            script = [f"cd '{PROJECT}'", f"export HOME='{folder}'"]
            for text in commands:
                allowed = 1 if FINDERS.search(text) else 0
                text = text.replace("$PWD/build/release", "build/release")
                script += [text.replace("/tmp/", folder + "/").replace("build/release", str(BUILD)),
                           f"code=$?; [ $code -le {allowed} ]" + ' || { echo "exit code $code" >&2; exit 9; }',
                           f"echo done >&{log.fileno()}"]
            result = subprocess.run(["bash", "-c", "\n".join(script)], pass_fds=[log.fileno()],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            self.assertNotIn("Traceback", result.stderr)
            log.seek(0)
            done = len(log.readlines())
            self.assertEqual(done, len(commands),
                             f"{path}: {commands[min(done, len(commands) - 1)]}\n{result.stderr[-2000:]}")

    def test_exceptions_are_still_there(self):
        lines = [line.split("#")[0].strip() for block in blocks(DOCUMENTS["README.md"]) for line in block]
        for name, reason in EXCEPTIONS.items():
            self.assertTrue(reason)
            self.assertIn(name, lines)

    def test_named_subcommands_exist(self):
        text = subprocess.run([BUILD / "anecheck", "--help"], capture_output=True, text=True).stdout
        known = set(re.findall(r"^  ([a-z]+)  ", text, re.MULTILINE))
        self.assertIn("run", known)
        for path, document in DOCUMENTS.items():
            for name in set(re.findall(r"`anecheck ([a-z]+)", document)):
                self.assertIn(name, known, path)


    def test_help_uses_plain_words(self):
        page = subprocess.run([BUILD / "anecheck", "help", "--man"], capture_output=True, text=True,
                              check=True).stdout
        self.assertIn("Fuzz an external parser", page)
        self.assertEqual(PUZZLES.findall(page), [])


class DocumentsTest(unittest.TestCase):
    def test_every_room_has_a_readme(self):
        layers = (PROJECT / "scripts/check-layers").read_text()
        table = layers[layers.index("ALLOWED = {"):layers.index("NEVER_TOGETHER")]
        rooms = re.findall(r'^    "([\w/]+)":', table, re.MULTILINE)
        self.assertIn("harness/graph", rooms)
        for room in [*rooms, *ALSO_ROOMS]:
            self.assertIn(f"{room}/README.md", DOCUMENTS)

    def test_every_format_has_a_row(self):
        rows = (PROJECT / "harness/formats/formats.def").read_text()
        formats = re.findall(r"^ANECHECK_FORMAT\((\w+)\)", rows, re.MULTILINE)
        self.assertIn("hwx", formats)
        table = DOCUMENTS["harness/formats/README.md"].split("## Ideas")[0]
        named = [name for row in re.findall(r"^\| ([\w, ]+) \|", table, re.MULTILINE) for name in row.split(", ")]
        self.assertEqual(sorted(named), sorted(["format", *formats]))
        self.assertIn(f"{len(formats)} formats", DOCUMENTS["README.md"])

    def test_readmes_are_short(self):
        for path, text in DOCUMENTS.items():
            if path.endswith("README.md"):
                self.assertLessEqual(len(text.splitlines()), MOST_LINES, path)

    def test_tables_of_limits_are_short(self):
        tables = 0
        for path, text in DOCUMENTS.items():
            for section in re.findall(r"^## Limits\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL):
                rows = [line for line in section.splitlines() if line.startswith("|")]
                tables += bool(rows)
                self.assertLessEqual(len(rows) - 2, MOST_LIMITS, path)
        self.assertGreater(tables, 10)

    def test_links_lead_somewhere(self):
        links = 0
        for path, text in DOCUMENTS.items():
            for target in re.findall(r"\]\(([^)\s]+)\)", without_blocks(text)):
                if re.match(r"[a-z]+:", target):
                    continue
                links += 1
                name, _, heading = target.partition("#")
                file = (PROJECT / path).parent / name if name else PROJECT / path
                self.assertTrue(file.exists(), f"{path}: {target}")
                if heading:
                    known = {anchor(line.lstrip("#")) for line in file.read_text().splitlines()
                             if line.startswith("#")}
                    self.assertIn(heading, known, f"{path}: {target}")
        self.assertGreater(links, 20)

    def test_named_scripts_and_folders_exist(self):
        for path, text in DOCUMENTS.items():
            named = set(re.findall(r"(?<![\w/.-])((?:scripts|harness|generators|oracles|corpus|fuzz|reports)"
                                   r"/[\w./-]*\w)(?![\w*])", without_blocks(text)))
            for name in sorted(named):
                found = any((base / name).exists() for base in (PROJECT, (PROJECT / path).parent))
                self.assertTrue(found, f"{path}: {name} does not exist")
        self.assertIn("scripts/quickstart", DOCUMENTS["README.md"])

    def test_pictures_are_small(self):
        pictures = [*(PROJECT / "reports").glob("*.png"), *(PROJECT / "reports").glob("*.svg")]
        self.assertTrue(pictures)
        for picture in pictures:
            self.assertLessEqual(picture.stat().st_size, LARGEST_PICTURE, picture.name)

    def test_measured_figures_come_from_the_script(self):
        listed = subprocess.run([PROJECT / "scripts/measure", "--list"], capture_output=True,
                                text=True, check=True).stdout.splitlines()
        rows = [line.strip("| ").split(" | ") for line in DOCUMENTS["reports/MEASUREMENTS.md"].splitlines()
                if line.startswith("| ") and not line.startswith("| figure")]
        self.assertGreater(len(rows), 5)
        for row in rows:
            self.assertEqual(len(row), 6, row)
            self.assertIn(row[0], listed)
            self.assertTrue(all(cell.strip() for cell in row), row)

    def test_measured_figures_name_benchmarks_that_exist(self):
        script = (PROJECT / "scripts/measure").read_text()
        measure = types.ModuleType("measure")
        measure.__file__ = str(PROJECT / "scripts/measure")
        exec(compile(script, measure.__file__, "exec"), measure.__dict__)
        commands = [command.split() for _, command, *_ in measure.FIGURES if "_bench " in command]
        self.assertGreater(len(commands), 5)
        for program, *options in commands:
            source = next(PROJECT.glob(f"*/**/{program}.cc")).read_text()
            wanted = options[-1].partition("filter=")[2].split("/")
            case = rf", {wanted[1].rstrip('$')}," if len(wanted) > 1 and wanted[1][:1].isalpha() else r"\b"
            found = re.search(rf"BENCHMARK(_CAPTURE)?\({wanted[0]}{case}", source)
            self.assertTrue(found, f"{program}.cc has no benchmark {'/'.join(wanted)}")

    def test_the_costly_laws_of_a_night_are_explained(self):
        self.assertIn("ANECHECK_FUZZ_THOROUGH=1", DOCUMENTS["fuzz/README.md"])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
