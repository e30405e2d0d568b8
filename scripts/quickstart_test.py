#!/usr/bin/env python3
"""quickstart uses the engine that it has built, on Linux and on macOS. The programs that it calls are
substitutes: a copy of the script is in a folder in which `scripts/setup` does nothing, `cmake` makes a tool
that records its calls, and `uname` names the system.
"""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent

TOOL = """#!/bin/sh
echo "$@" >>calls
[ "$1" = run ] || { mkdir -p build/quickstart/report && touch build/quickstart/report/report.html; }
"""
CMAKE = """#!/bin/sh
[ "$1" = --build ] || exit 0
mkdir -p build/release
cp tool build/release/anecheck
touch build/release/libanecheck_espresso.{suffix}
"""


class Quickstart(unittest.TestCase):
    def calls(self, system, built):
        """Exit code and the tool's calls if the build makes an engine with the suffix `built`."""
        with tempfile.TemporaryDirectory(prefix="anecheck-quickstart-") as name:
            folder = pathlib.Path(name)
            programs = {"scripts/setup": "#!/bin/sh\n", "tool": TOOL,
                        "bin/cmake": CMAKE.replace("{suffix}", built),
                        "bin/uname": f"#!/bin/sh\necho {system}\n", "bin/brew": "#!/bin/sh\n"}
            for path, text in programs.items():
                program = folder / path
                program.parent.mkdir(exist_ok=True)
                program.write_text(text)
                program.chmod(0o755)
            for script in ("quickstart", "common.sh"):
                shutil.copy(HERE / script, folder / "scripts" / script)
            result = subprocess.run([folder / "scripts/quickstart"], capture_output=True, text=True,
                                    env={"PATH": f"{folder}/bin:/usr/bin:/bin"}, check=False)
            calls = folder / "calls"
            return result.returncode, calls.read_text().splitlines() if calls.exists() else []

    def test_the_run_names_the_engine_that_was_built(self):
        for system, suffix in (("Linux", "so"), ("Darwin", "dylib")):
            code, calls = self.calls(system, suffix)
            self.assertEqual(code, 0, system)
            self.assertEqual([call.split()[0] for call in calls], ["run", "report"])
            self.assertIn(f"--espresso-lib build/release/libanecheck_espresso.{suffix} ", calls[0])

    def test_a_build_without_an_engine_is_an_error(self):
        self.assertEqual(self.calls("Darwin", "so"), (3, []))


if __name__ == "__main__":
    unittest.main()
