#!/usr/bin/env python3
"""The command of the guide, as it stands there: every case is judged and none is a finding.

usage: numpy_runner_test.py ANECHECK
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parent
CASES = 1000


def command_of_guide():
    """The first block of the guide."""
    return re.search(r"```\n(.*?)\n```", (EXAMPLES / "README.md").read_text(), re.DOTALL).group(1)


def add_program(folder, name, path):
    """Makes `name` in `folder` run the program at `path`."""
    program = folder / name
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(str(path))} "$@"\n')
    program.chmod(0o755)


def run(command, tool):
    """Runs a command line as from the project's folder, with the tool and this Python in the path."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "scripts").symlink_to(EXAMPLES.parent)
        (folder / "bin").mkdir()
        add_program(folder / "bin", "anecheck", tool)
        add_program(folder / "bin", "python3", sys.executable)
        path = f"{folder / 'bin'}:{os.environ.get('PATH', '/usr/bin:/bin')}"
        return subprocess.run(["/bin/sh", "-c", command], cwd=folder, env=os.environ | {"PATH": path},
                              capture_output=True, text=True)


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    done = run(command_of_guide() + " --seed 5 --targets h13,h17s --json", tool)
    if done.returncode != 0:
        print(done.stdout, done.stderr)
        return 1
    summary = json.loads(done.stdout)["summary"]
    print(summary)
    all_decided = summary["cases"] == CASES == summary["judged"] + summary["inconclusive"]
    return 0 if all_decided and summary["inconclusive"] < CASES // 20 else 1


if __name__ == "__main__":
    sys.exit(main())
