#!/usr/bin/python3
"""A study on Slurm, with jobs cancelled and a node killed: the table has the bits of one that nobody disturbed.

    test_slurm.py PERP                   a minute's worth of trouble in some seconds
    test_slurm.py PERP limit [CASES]     besides, a time limit in mid-study: Slurm looks at these every 30 s
    test_slurm.py PERP kills N           N kills of node daemons, with their jobs or without, at random moments
    test_slurm.py PERP speed [CASES]     two nodes against -j 2
    test_slurm.py PERP waits TRAP.so     likewise with cases that wait instead of computing, which other work on the
                                         machine hardly disturbs: what Slurm itself adds

Run from the folder of the sources. slurmctld, two slurmd and munged are started here and stopped again.
"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(__file__))
import cluster  # noqa: E402

STUDY = """
scene: {scenes}/bouncing-ball.yaml
vary:
  latin: {cases}
  of: {{e: {{uniform: [0.1, 0.9]}}, drop: {{uniform: [0.5, 1]}}}}
run: {{t: 4, h: 2e-4}}
measure: {{height: ball.z, first: first(contacts > 0), lost: impact}}
"""


WAITING = """
scene: waits.yaml
vary: {b: {linspace: [1, 2, 4000]}}
run: {t: 0.002}
measure: {z: ball.z}
"""
WAITS = """
parameters: {a: 1305, b: 0}
bodies: {ball: {sphere: "1 + 0*sin(a) + 0*b", at: [0, 0, 2]}}
"""


def check(condition, text):
    if not condition:
        sys.exit(f"FAILED: {text}")


class Trial:
    def __init__(self, perp, folder, cases):
        self.perp, self.folder = perp, pathlib.Path(folder)
        self.study = self.folder / "study.yaml"
        self.study.write_text(STUDY.format(scenes=pathlib.Path("scenes").resolve(), cases=cases))

    def run(self, *arguments, environment=None):
        return subprocess.run([self.perp, "sweep", *map(str, arguments)], env=environment, capture_output=True,
                              text=True)

    def table(self, out):
        path = self.folder / "table.csv"
        done = self.run("collect", out, "--results", "-o", path)
        check(done.returncode == 0, f"collect: {done.stderr}")
        return path.read_bytes()

    def start(self, slurm, out, *more):
        return subprocess.Popen([self.perp, "sweep", self.study, "-o", out, "--slurm", *more], env=slurm.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def running(slurm):
    return slurm.call("squeue", "-h", "-r", "-t", "R", "-o", "%i").split()


def wait_for_running(slurm, driver):
    while driver.poll() is None:
        jobs = running(slurm)
        if jobs:
            return jobs
        time.sleep(0.1)
    return []


def disturb(slurm, driver, limit):
    """Cancels a task, kills a node and brings it back, perhaps sets a time limit that is over."""
    jobs = wait_for_running(slurm, driver)
    check(jobs, "nothing ran")
    time.sleep(random.uniform(0.2, 0.6))
    slurm.call("scancel", jobs[0])
    time.sleep(random.uniform(0.2, 0.6))
    check(wait_for_running(slurm, driver), "nothing ran after a job was cancelled")
    slurm.kill_node("n2")
    time.sleep(1)
    slurm.start_node("n2")
    if limit:
        jobs = wait_for_running(slurm, driver)
        check(jobs, "nothing ran after a node was killed")
        slurm.call("scontrol", "update", f"JobId={jobs[0]}", "EndTime=now")


def test(perp, folder, limit, cases):
    trial = Trial(perp, folder, cases or (4000 if limit else 96))
    check(trial.run(trial.study, "-o", trial.folder / "here", "-j", 2).returncode == 0, "-j 2")
    expected = trial.table(trial.folder / "here")
    slurm = cluster.Cluster(trial.folder / "cluster")
    try:
        slurm.start()
        driver = trial.start(slurm, trial.folder / "there", "--tasks", "4")
        disturb(slurm, driver, limit)
        output = driver.communicate(timeout=600)[0]
        print(output)
        check(driver.returncode == 0, f"the driver ended with {driver.returncode}")
        check(output.count("tasks for") >= 2, "nothing was submitted again")
        check(not limit or "TIMEOUT" in output, "no time limit was met")
        check(trial.table(trial.folder / "there") == expected, "the tables differ")
    finally:
        slurm.stop()


def kill_nodes(perp, folder, kills):
    trial = Trial(perp, folder, 1000)
    check(trial.run(trial.study, "-o", trial.folder / "here", "-j", 2).returncode == 0, "-j 2")
    expected = trial.table(trial.folder / "here")
    slurm = cluster.Cluster(trial.folder / "cluster")
    killed = studies = 0
    try:
        slurm.start()
        while killed < kills:
            out = trial.folder / f"there-{studies}"
            driver = trial.start(slurm, out)
            while killed < kills and wait_for_running(slurm, driver):
                time.sleep(random.uniform(0, 2))
                node = random.choice(["n1", "n2"])
                slurm.kill_node(node, with_jobs=random.random() < 0.7)
                killed += 1
                time.sleep(random.uniform(0, 1))
                slurm.start_node(node)
            output = driver.communicate(timeout=3600)[0]
            # five submissions in a row that bring no row are given up; the same command goes on
            while driver.returncode == 1 and "brought no further row" in output:
                driver = trial.start(slurm, out)
                output = driver.communicate(timeout=3600)[0]
            check(driver.returncode == 0, f"the driver ended with {driver.returncode}: {output}")
            check(trial.table(out) == expected, f"another table after {killed} kills")
            studies += 1
            print(f"{killed} kills of node daemons in {studies} studies: the same table", flush=True)
    finally:
        slurm.stop()


def speed(perp, folder, cases, trap=None):
    trial = Trial(perp, folder, cases or 4000)
    if trap:
        trial.study.write_text(WAITING)
        (trial.folder / "waits.yaml").write_text(WAITS)
        os.environ["LD_PRELOAD"] = os.path.realpath(trap)
    slurm = cluster.Cluster(trial.folder / "cluster")
    try:
        slurm.start()
        for round in range(3):
            start = time.monotonic()
            subprocess.run([perp, "sweep", trial.study, "-o", trial.folder / f"here-{round}", "-j", "2"],
                           capture_output=True, start_new_session=True)  # a share of the machine like Slurm's jobs
            middle = time.monotonic()
            trial.start(slurm, trial.folder / f"there-{round}").communicate()
            end = time.monotonic()
            print(f"-j 2: {middle - start:.1f} s, Slurm: {end - middle:.1f} s, ratio {(end - middle)/(middle - start):.3f}",
                  flush=True)
    finally:
        slurm.stop()


def main():
    if not cluster.is_installed():
        print("SKIPPED: Slurm is not installed; tools/setup test installs it")
        sys.exit(77)
    perp = os.path.realpath(sys.argv[1])
    mode = sys.argv[2] if len(sys.argv) > 2 else ""
    cases = int(sys.argv[3]) if len(sys.argv) > 3 and mode != "waits" else 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the daemons are stopped then, too
    with tempfile.TemporaryDirectory(prefix="perp-slurm-") as folder:
        if mode in ("speed", "waits"):
            speed(perp, folder, cases, sys.argv[3] if mode == "waits" else None)
        elif mode == "kills":
            kill_nodes(perp, folder, cases)
        else:
            test(perp, folder, mode == "limit", cases)


main()
