#!/usr/bin/env python3
"""A campaign that is split into shards, by GNU parallel or by Slurm, records the same cases as the whole. The
test starts a Slurm of one node on the loopback interface. Schedulers that are not installed are skipped.

usage: scripts/cluster/cluster_test.py TOOL
"""

import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent.parent
CAMPAIGN = ["--cases", "192", "--seed", "5", "--targets", "h13", "--jobs", "1"]
SHARDS = 3
SLURM = ("slurmctld", "slurmd", "sbatch", "scontrol", "sinfo", "munged")
TOOL = ""

CONFIG = """\
ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={root}/munge.socket
CredType=cred/munge
StateSaveLocation={root}/state
SlurmdSpoolDir={root}/spool
SlurmctldPidFile={root}/slurmctld.pid
SlurmdPidFile={root}/slurmd.pid
SlurmctldLogFile={root}/slurmctld.log
SlurmdLogFile={root}/slurmd.log
SlurmctldPort={controller_port}
SlurmdPort={node_port}
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def find(program):
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def cases_of(results):
    """Every case by its index, without the members that differ from run to run."""
    with sqlite3.connect(results) as database:
        return sorted(database.execute(
            "SELECT case_index, seed, target, fingerprint, status, verdict, message FROM cases"))


def has_cases(results):
    try:
        with sqlite3.connect(f"file:{results}?mode=ro", uri=True) as database:
            return database.execute("SELECT count(*) FROM cases").fetchone()[0] > 0
    except sqlite3.OperationalError:  # there is no file yet, or no table in it
        return False


def wait_for(what, done, seconds=120):
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise AssertionError(f"{what} took more than {seconds} s")
        time.sleep(0.2)  # Waits by the clock: between two polls.


class Slurm:
    """A separate controller, node and authentication, in `root`; needs the user root."""

    def __init__(self, root):
        self.root = root
        self.host = socket.gethostname().split(".")[0]
        self.daemons = []
        self.environment = dict(os.environ, SLURM_CONF=str(root / "slurm.conf"))

    def start(self):
        for folder in ("state", "spool"):
            (self.root / folder).mkdir()
        (self.root / "slurm.conf").write_text(CONFIG.format(
            root=self.root, host=self.host, controller_port=free_port(), node_port=free_port(),
            processors=os.cpu_count()))
        key = self.root / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.spawn("munged", "--foreground", "--force", f"--socket={self.root}/munge.socket",
                   f"--key-file={key}", f"--log-file={self.root}/munge.log",
                   f"--pid-file={self.root}/munge.pid", f"--seed-file={self.root}/munge.seed")
        wait_for("munged", (self.root / "munge.socket").exists)
        self.spawn("slurmctld", "-D")
        self.spawn("slurmd", "-D", "-N", self.host)
        wait_for("the node", lambda: self.ask("sinfo", "-h", "-o", "%T") == "idle")

    def spawn(self, program, *arguments):
        log = (self.root / f"{program}.out").open("w")
        self.daemons.append(subprocess.Popen([find(program), *arguments], env=self.environment,
                                             stdout=log, stderr=log))
        log.close()

    def ask(self, program, *arguments, **options):
        return subprocess.run([find(program), *arguments], env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options).stdout.strip()

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            daemon.wait(timeout=30)

    def logs(self):
        return "\n".join(f"== {path}\n{path.read_text(errors='replace')[-1500:]}"
                         for path in sorted(self.root.glob("*.out")) + sorted(self.root.glob("*.log")))


class ClusterTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="anecheck-cluster-", dir="/tmp")
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        whole = f"{cls.folder.name}/whole.sqlite"
        run = subprocess.run([TOOL, "run", *CAMPAIGN, "--db", whole], capture_output=True, text=True)
        if run.returncode not in (0, 1):
            raise AssertionError(run.stderr)
        cls.whole = cases_of(whole)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def merged(self, folder):
        joined = self.root / "joined.sqlite"
        subprocess.run([TOOL, "merge", *sorted(folder.glob("shard-*.sqlite")), "--out", joined], check=True,
                       stdout=subprocess.DEVNULL)
        return cases_of(joined)

    def test_gnu_parallel(self):
        if not find("parallel"):
            self.skipTest("GNU parallel is not installed")
        shards = self.root / "shards"
        environment = dict(os.environ, ANECHECK=TOOL, PARALLEL_OPTIONS="--jobs 2", HOME=str(self.root))
        run = subprocess.run([HERE / "gnu-parallel", str(SHARDS), shards, *CAMPAIGN], env=environment,
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(cases_of(shards / "all.sqlite"), self.whole)

    def test_a_shard_that_is_started_again_is_continued(self):
        shards = self.root / "shards"
        for shard in range(1, SHARDS + 1):
            command = [HERE / "run-shard", TOOL, shards, str(shard), str(SHARDS), *CAMPAIGN]
            for _ in range(2):
                run = subprocess.run(command, capture_output=True, text=True)
                self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(self.merged(shards), self.whole)

    def test_a_shard_that_is_stopped_is_not_done(self):
        tool, number, shards = self.root / "tool", self.root / "number", self.root / "shards"
        tool.write_text(f'#!/bin/sh\necho $$ >"{number}"\nexec "{TOOL}" "$@"\n')
        tool.chmod(0o755)
        run = subprocess.Popen([HERE / "run-shard", tool, shards, "1", "2", "--cases", "4000000", *CAMPAIGN[2:]],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wait_for("the first case", lambda: has_cases(shards / "shard-1.sqlite"))
        os.kill(int(number.read_text()), signal.SIGTERM)
        told = run.communicate()[1]
        self.assertEqual(run.returncode, 3, told)
        self.assertIn("interrupted", told)

    def test_a_shard_that_reached_its_time_limit_is_not_done(self):
        shards = self.root / "shards"
        command = [HERE / "run-shard", TOOL, shards, "1", "1", "--cases", "4000000", "--time", "1", *CAMPAIGN[2:]]
        run = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertIn("shard-1.sqlite: shard 1/1 is not done", run.stderr)
        unlimited = [*command[:2], self.root / "unlimited", "1", "1", "--time", "1", *CAMPAIGN[2:]]
        self.assertEqual(subprocess.run(unlimited, capture_output=True).returncode, 0)

    def test_gnu_parallel_joins_no_shards_that_are_not_done(self):
        if not find("parallel"):
            self.skipTest("GNU parallel is not installed")
        shards = self.root / "shards"
        run = subprocess.run([HERE / "gnu-parallel", "1", shards, "--cases", "4000000", "--time", "1", *CAMPAIGN[2:]],
                             env=dict(os.environ, ANECHECK=TOOL, HOME=str(self.root)), capture_output=True, text=True)
        self.assertEqual(run.returncode, 3, run.stderr)
        self.assertFalse((shards / "all.sqlite").exists())

    def test_a_shard_of_another_campaign_or_cut_is_not_continued(self):
        shards = self.root / "shards"
        few = ["--cases", "2", *CAMPAIGN[2:]]
        self.assertEqual(subprocess.run([HERE / "run-shard", TOOL, shards, "1", "2", *few],
                                        capture_output=True).returncode, 0)
        for number, arguments in (("3", few), ("2", [*few, "--strict"])):
            run = subprocess.run([HERE / "run-shard", TOOL, shards, "1", number, *arguments], capture_output=True,
                                 text=True)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertIn("another campaign or cut", run.stderr)

    def test_shards_of_a_former_cut_are_not_merged(self):
        if not find("parallel"):
            self.skipTest("GNU parallel is not installed")
        shards = self.root / "shards"
        shards.mkdir()
        (shards / f"shard-{SHARDS + 1}.sqlite").write_text("of an older cut")
        environment = dict(os.environ, ANECHECK=TOOL, HOME=str(self.root))
        run = subprocess.run([HERE / "gnu-parallel", str(SHARDS), shards, *CAMPAIGN], env=environment,
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(cases_of(shards / "all.sqlite"), self.whole)

    def test_bad_usage_gives_2(self):
        for command in ([HERE / "run-shard", TOOL], [HERE / "gnu-parallel", "none", self.root],
                        [HERE / "slurm-array", self.root]):
            self.assertEqual(subprocess.run(command, capture_output=True).returncode, 2, command)

    def test_slurm(self):
        missing = [program for program in SLURM if not find(program)]
        if missing:
            self.skipTest(f"Slurm is not installed (apt-get install slurm-wlm munge): no {missing[0]}")
        if os.getuid() != 0:
            self.skipTest("a private Slurm needs root")
        slurm = Slurm(self.root)
        self.addCleanup(slurm.stop)
        shards = self.root / "shards"
        try:
            slurm.start()
            submitted = slurm.ask("sbatch", "--wait", "--parsable", f"--array=1-{SHARDS}", "--chdir", PROJECT,
                                  f"--output={self.root}/task-%a.out", f"--export=ALL,ANECHECK={TOOL}",
                                  HERE / "slurm-array", shards, *CAMPAIGN, cwd=PROJECT, timeout=240)
            self.assertRegex(submitted, r"^\d+$")
            self.assertEqual(self.merged(shards), self.whole)
            incomplete = slurm.ask("sbatch", "--wait", "--parsable", "--array=2-3", "--chdir", PROJECT,
                                   f"--output={self.root}/incomplete-%a.out", HERE / "slurm-array", shards,
                                   cwd=PROJECT, timeout=240)
            self.assertRegex(incomplete, r"^\d+$")
            self.assertIn("--array must be 1-N", (self.root / "incomplete-2.out").read_text())
        except Exception:
            print(slurm.logs(), file=sys.stderr)
            raise


class ArgumentsTest(unittest.TestCase):
    """The arguments of the tool, recorded by a substitute."""

    def test_arguments_reach_the_tool_as_they_were_given(self):
        if not find("parallel"):
            self.skipTest("GNU parallel is not installed")
        with tempfile.TemporaryDirectory(prefix="anecheck-cluster-", dir="/tmp") as temporary:
            root = pathlib.Path(temporary)
            tool = root / "a tool"
            tool.write_text('#!/bin/sh\n[ "$1" != query ] || { echo finished; exit 0; }\nfor last; do :; done\n'
                            'printf "%s\\n" "$@" >"$last"\n')
            tool.chmod(0o755)
            shards = root / "the {#} shards"
            given = ["--runner", "exec:python3 my runner.py {}", "--ops", "add;mul", "--label", "$HOME 'x' \"y\" *", "",
                     "{#} {.} {/} {%} {1} {= $_=7 =} x{//}y ,,shard,, \\n `id` !!"]
            run = subprocess.run([HERE / "gnu-parallel", "2", shards, *given], capture_output=True, text=True,
                                 env=dict(os.environ, ANECHECK=str(tool), HOME=str(root)))
            self.assertEqual(run.returncode, 0, run.stderr)
            for shard in (1, 2):
                results = shards / f"shard-{shard}.sqlite"
                self.assertEqual(results.read_text().splitlines(),
                                 ["run", *given, "--shard", f"{shard}/2", "--db", str(results)])
            self.assertEqual(sorted(path.name for path in root.iterdir() if not path.name.startswith(".")),
                             ["a tool", "the {#} shards"])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: cluster_test.py TOOL")
    TOOL = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
