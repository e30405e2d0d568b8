#!/usr/bin/env python3
"""The example of an external runner: an engine that is not an ANE, and the same engine with faults.

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
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parent
TOOL = pathlib.Path(sys.argv.pop(1)).resolve()
CASES = 1000


def command_of_guide():
    """The first block of the guide."""
    return re.search(r"```\n(.*?)\n```", (EXAMPLES / "README.md").read_text(), re.DOTALL).group(1)


def add_program(folder, name, path):
    """Makes `name` in `folder` run the program at `path`."""
    program = folder / name
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(str(path))} "$@"\n')
    program.chmod(0o755)


def run(command, fault=""):
    """Runs a command line in a copy of the project's folder, with the tool and this Python in the path. `fault`
    is Python that changes the runner's operations."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        examples = folder / "scripts/examples"
        examples.mkdir(parents=True)
        text = (EXAMPLES / "numpy_runner.py").read_text()
        (examples / "numpy_runner.py").write_text(
            text.replace('if __name__ == "__main__":', f'{fault}\nif __name__ == "__main__":'))
        (folder / "bin").mkdir()
        add_program(folder / "bin", "anecheck", TOOL)
        add_program(folder / "bin", "python3", sys.executable)
        path = f"{folder / 'bin'}:{os.environ.get('PATH', '/usr/bin:/bin')}"
        return subprocess.run(["/bin/sh", "-c", command], cwd=folder, env=os.environ | {"PATH": path},
                              capture_output=True, text=True)


# Values stay in double precision from one operation to the next, as in an engine that fuses whole graphs.
FUSION = """
_store, _evaluate = store, evaluate
def store(value, described):
    if described["dtype"] != "fp16":
        return _store(value, described)
    value = np.asarray(value).astype(np.float64).reshape(described["shape"])
    return np.where(np.isinf(value.astype(np.float16)), np.copysign(np.inf, value), value)
def evaluate(graph, inputs):
    described = {result["name"]: result for node in graph["ops"] for result in node["outputs"]}
    return {name: _store(value, described[name]) if name in described else value
            for name, value in _evaluate(graph, inputs).items()}
"""


def summary(done):
    return json.loads(done.stdout)["summary"]


class NumpyRunner(unittest.TestCase):
    def test_the_command_of_the_guide_judges_every_case_and_finds_nothing(self):
        done = run(command_of_guide() + " --seed 5 --json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        counts = summary(done)
        self.assertEqual(counts["cases"], CASES)
        self.assertEqual(counts["judged"] + counts["inconclusive"], CASES)
        self.assertLess(counts["inconclusive"], CASES // 20)

    def test_it_also_rounds_once_as_ieee_asks(self):
        done = run(command_of_guide().replace("float", "ieee") + " --seed 6 --ops add,mul,relu,conv,matmul")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_contract_of_a_chip_is_refused(self):
        done = run(command_of_guide().replace("--contract float", "--targets h13"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("give --contract float", done.stderr)

    def test_a_documented_defect_of_a_chip_is_a_finding(self):
        """Infinities from 32768 on are the defect D01 of A13."""
        done = run(command_of_guide() + " --seed 5 --ops matmul --json", fault="""
_matmul = OPS["matmul"]
def port(a, attrs, out):
    y = np.asarray(_matmul(a, attrs, out), np.float64)
    return np.where(np.abs(y) >= 32768, np.copysign(np.inf, y), y)
OPS["matmul"] = port
""")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(summary(done)["known_defects"], 0)

    def test_on_an_engine_that_fuses_a_finding_names_the_operation_that_is_wrong(self):
        faults = {"": "",
                  "maximum": "_right = OPS['maximum']\n"
                             "OPS['maximum'] = lambda a, attrs, out: np.nan_to_num(_right(a, attrs, out), "
                             "posinf=np.inf, neginf=-np.inf)",
                  "matmul": "_right = OPS['matmul']\n"
                            "OPS['matmul'] = lambda a, attrs, out: 1.004 * np.asarray(_right(a, attrs, out), "
                            "np.float64)"}
        for wrong, fault in faults.items():
            done = run(command_of_guide() + " --seed 5 --json", fault=FUSION + fault)
            named = {finding["op"] for finding in json.loads(done.stdout)["findings"]}
            self.assertEqual(named, {wrong} - {""}, done.stdout + done.stderr)

    def test_a_second_runner_that_differs_is_a_finding(self):
        """The contract admits both runners: one rounds after each operation, the other fuses."""
        command = command_of_guide().replace(str(CASES), "128") + " --seed 5 --json"
        done = run(f"""
python3 - <<'END'
text = open("scripts/examples/numpy_runner.py").read()
main = 'if __name__ == "__main__":'
open("fused.py", "w").write(text.replace(main, {FUSION!r} + main))
END
{command} --against "exec:python3 scripts/examples/numpy_runner.py" --db same.sqlite > same.json; echo exit $? >&2
{command} --against "exec:python3 fused.py"; echo exit $? >&2
""")
        self.assertEqual(re.findall(r"^exit (\d)$", done.stderr, re.MULTILINE), ["0", "1"], done.stderr)
        verdicts = {finding["verdict"] for finding in json.loads(done.stdout)["findings"]}
        self.assertEqual(verdicts, {"differs"}, done.stdout)

    def test_a_function_two_ulp_too_large_is_a_finding(self):
        done = run(command_of_guide() + " --seed 5 --ops sigmoid --json", fault="""
_sigmoid = OPS["sigmoid"]
def two_up(a, attrs, out):
    y = np.asarray(_sigmoid(a, attrs, out)).astype(np.float16)
    return np.nextafter(np.nextafter(y, np.float16(2)), np.float16(2))
OPS["sigmoid"] = two_up
""")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)

    def test_a_contract_in_a_file_binds_every_command(self):
        """A sigmoid that is three ulp too large is wrong under `float` and right under a file that grants
        four."""
        command = (command_of_guide() + " --seed 5 --ops sigmoid --mode float,special").replace("1000", "40")
        fault = """
_sigmoid = OPS["sigmoid"]
def up(a, attrs, out):
    y = np.asarray(_sigmoid(a, attrs, out)).astype(np.float16)
    up = y
    for _ in range(3):
        up = np.nextafter(up, np.float16(np.inf))
    return np.where(y > 0.0625, up, y)
OPS["sigmoid"] = up
"""
        wide = '{"contract": {"base": "float", "terms": {"function_ulp": 4}}}'
        script = f"""
printf '%s' '{wide}' > wide.json
{command} > found.txt; echo run $?
{command.replace("--contract float", "--contract ./wide.json")} --db wide.sqlite > /dev/null; echo wide $?
id=$(anecheck query "SELECT id FROM findings WHERE verdict = 'wrong' LIMIT 1" | tail -n 1)
anecheck replay "$id" > /dev/null; echo replay $?
anecheck replay "$id" --contract ./wide.json > /dev/null; echo replay-wide $?
anecheck shrink "$id" --contract ieee --out small.json > /dev/null; echo shrink $?
anecheck replay small.json > /dev/null; echo replay-small $?
python3 -c 'import json; json.dump(json.load(open("small.json"))["graph"], open("graph.json", "w"))'
anecheck check graph.json --runner "exec:python3 scripts/examples/numpy_runner.py" --contract float > /dev/null
echo check $?
anecheck check graph.json --runner "exec:python3 scripts/examples/numpy_runner.py" --contract ./wide.json > /dev/null
echo check-wide $?
anecheck baseline record --runner "exec:python3 scripts/examples/numpy_runner.py" --contract float --ops sigmoid \
    --mode float --out b.json > /dev/null; echo baseline $?
anecheck baseline compare b.json --runner "exec:python3 scripts/examples/numpy_runner.py" > /dev/null; echo compare $?
anecheck baseline record --runner "exec:python3 scripts/examples/numpy_runner.py" --contract ./wide.json \\
    --ops sigmoid --mode float --out w.json > /dev/null; echo baseline-wide $?
anecheck baseline compare w.json --runner "exec:python3 scripts/examples/numpy_runner.py" > /dev/null; echo lacks $?
anecheck baseline compare w.json --runner "exec:python3 scripts/examples/numpy_runner.py" --contract ./wide.json \\
    > /dev/null; echo compare-wide $?
anecheck run --resume --db wide.sqlite > /dev/null; echo resume $?
"""
        done = run(script, fault=fault)
        codes = dict(line.split() for line in done.stdout.splitlines())
        self.assertEqual(codes, {"run": "1", "wide": "0", "replay": "1", "replay-wide": "0", "shrink": "0",
                                 "replay-small": "1", "check": "1", "check-wide": "0", "baseline": "0",
                                 "compare": "0", "baseline-wide": "0", "lacks": "2", "compare-wide": "0",
                                 "resume": "0"}, done.stderr)

    def test_a_malformed_contract_file_is_refused(self):
        done = run("printf '{}' > c.json; " + command_of_guide().replace("float", "./c.json"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("--contract ./c.json: ", done.stderr)

    def test_an_unsupported_operation_is_no_finding(self):
        done = run(command_of_guide() + " --seed 5 --ops add,relu --json", fault="""
def answer(request, _answer=answer):
    if request.get("hello"):
        return _answer(request)
    return {"v": 1, "id": request["id"], "status": "unsupported", "op": "relu"}
""")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(summary(done)["inconclusive"], CASES)


if __name__ == "__main__":
    unittest.main()
