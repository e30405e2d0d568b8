#!/usr/bin/env python3
"""A campaign through numpy_runner.py: every case is judged and none is a finding.

usage: numpy_runner_test.py ANECHECK
"""

import json
import pathlib
import subprocess
import sys
import tempfile

CASES = 1000


def main():
    tool = sys.argv[1]
    runner = pathlib.Path(__file__).with_name("numpy_runner.py")
    ops = subprocess.run([sys.executable, runner, "--list-ops"], check=True, capture_output=True,
                         text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [tool, "run", "--runner", f"exec:'{sys.executable}' '{runner}'", "--ops", ops,
             "--cases", str(CASES), "--seed", "5", "--targets", "h13,h17s", "--json",
             "--db", f"{folder}/results.sqlite"], capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout, done.stderr)
        return 1
    summary = json.loads(done.stdout)["summary"]
    print(summary)
    all_decided = summary["cases"] == CASES == summary["judged"] + summary["inconclusive"]
    return 0 if all_decided and summary["inconclusive"] < CASES // 20 else 1


if __name__ == "__main__":
    sys.exit(main())
