#!/usr/bin/python3
"""Studies under faults: the table has the bits of a study that nobody disturbed.

    sweep.py PERP FAULTS.so TRAP.so short            a little of each, and cases that crash, hang and eat memory
    sweep.py PERP FAULTS.so TRAP.so kills N          N kills of workers and drivers at random moments, and full disks

Run from the folder of the sources.
"""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

STUDY = """
scene: {scenes}/bouncing-ball.yaml
vary:
  latin: {cases}
  of: {{e: {{uniform: [0.1, 0.9]}}, drop: {{uniform: [0.5, 1]}}}}
run: {{t: 2, h: 4e-4}}
measure: {{height: ball.z, first: first(contacts > 0), lost: impact}}
"""
TRAPPED = """
scene: trap.yaml
vary: {a: [0, 1301, 1302, 1303, 1304, 5]}
limits: {time: 0.1, memory: 200}
run: {t: 0.01}
measure: {z: ball.z}
"""
TRAP = """
parameters: {a: 0}
bodies: {ball: {sphere: "1 + 0*sin(a)", at: [0, 0, 2]}}
"""


def check(condition, text):
    if not condition:
        sys.exit(f"FAILED: {text}")


class Trial:
    def __init__(self, arguments, folder):
        self.perp, self.faults, self.trap = map(os.path.realpath, arguments[:3])
        self.folder = pathlib.Path(folder)
        self.random = random.Random(1)
        self.kills = 0

    def run(self, *arguments, **more):
        environment = {**os.environ, **more, "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}
        return subprocess.run([self.perp, "sweep", *map(str, arguments)], env=environment, capture_output=True,
                              text=True)

    def table(self, out):
        path = self.folder / "table.csv"
        done = self.run("collect", out, "--results", "-o", path)
        check(done.returncode == 0, f"collect: {done.stderr}")
        return path.read_bytes()

    def write(self, cases):
        study = self.folder / f"study-{cases}.yaml"
        study.write_text(STUDY.format(scenes=pathlib.Path("scenes").resolve(), cases=cases))
        return study

    # --- disturbances

    def children(self, pid):
        path = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
        try:
            return [int(child) for child in path.read_text().split()]
        except OSError:
            return []

    def kill(self, pid, number):
        try:
            os.kill(pid, number)
            self.kills += 1
        except ProcessLookupError:
            pass

    def disturb(self, command, seconds):
        """Kills some workers, then perhaps the driver, at random moments. Its exit code."""
        driver = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(self.random.randint(0, 3)):
            time.sleep(self.random.uniform(0, seconds))
            for child in self.children(driver.pid)[:1]:
                self.kill(child, signal.SIGKILL)
        time.sleep(self.random.uniform(0, seconds))
        if driver.poll() is None and self.random.random() < 0.7:
            self.kill(driver.pid, self.random.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM]))
        return driver.wait()

    def kill_at_random(self, cases, kills, seconds):
        study = self.write(cases)
        start = time.monotonic()
        check(self.run(study, "-o", self.folder / "calm", "-j", 2).returncode == 0, "undisturbed")
        print(f"{cases} cases undisturbed: {time.monotonic() - start:.1f} s")
        expected = self.table(self.folder / "calm")
        rounds = 0
        while self.kills < kills:
            out = self.folder / f"out-{rounds}"
            rounds += 1
            command = [self.perp, "sweep", study, "-o", out, "-j", "2"]
            while self.disturb(command, seconds) != 0 and self.kills < kills:
                pass
            done = self.run(study, "-o", out, "-j", 2)
            check(done.returncode == 0, f"the last run: {done.stdout} {done.stderr}")
            check(self.table(out) == expected, f"{out}: another table after {self.kills} kills")
            parts = [p for p in (out / "rows").rglob("*") if p.is_file() and p.suffix != ".rows"]
            check(not parts, f"left over: {parts[:3]}")
        print(f"{self.kills} kills in {rounds} studies of {cases} cases: the same table")
        return study, expected

    def fill_disk(self, study, expected, rounds):
        met = 0
        for k in range(rounds):
            out = self.folder / f"full-{k}"
            left = self.random.randint(1, 4000)  # of each process
            done = self.run(study, "-o", out, "-j", 2, LD_PRELOAD=self.faults, FAULT=f"full:{left}")
            check(done.returncode in (0, 3), f"full disk: exit {done.returncode}: {done.stderr}")
            met += done.returncode == 3
            check(done.returncode == 0 or "No space left" in done.stderr, f"full disk: {done.stderr}")
            done = self.run(study, "-o", out, "-j", 2)
            check(done.returncode == 0, f"after a full disk: {done.stderr}")
            check(self.table(out) == expected, "another table after a full disk")
        check(met > 0, "no disk was full")
        print(f"{met} of {rounds} disks were full: the same table")

    # --- cases that go wrong

    def run_trapped(self):
        study = self.folder / "trapped.yaml"
        study.write_text(TRAPPED)
        (self.folder / "trap.yaml").write_text(TRAP)
        out = self.folder / "trapped"
        done = self.run(study, "-o", out, "-j", 2, LD_PRELOAD=self.trap)
        check(done.returncode == 1, f"trapped: exit {done.returncode}: {done.stderr}")
        done = self.run("status", out, "--failed")
        for words in ("case 1 crashed: signal 11", "case 2 time-limit", "case 3 time-limit",
                      "case 4 ", "reproduce: perp run ", "--set a=1301", "2 finished"):
            check(words in done.stdout, f"status has no {words!r}: {done.stdout}")
        done = self.run("retry", out, "--outcome", "crashed,time-limit,memory-limit,lost", "-j", 2)
        check("6 finished" in done.stdout and done.returncode == 0, f"retry: {done.stdout} {done.stderr}")
        print("cases that crash, hang and eat memory: one row each")


def main():
    mode = sys.argv[4]
    with tempfile.TemporaryDirectory(prefix="perp-sweep-") as folder:
        trial = Trial(sys.argv[1:], folder)
        if mode == "short":
            trial.run_trapped()
            study, expected = trial.kill_at_random(60, 4, 0.15)
            trial.fill_disk(study, expected, 2)
        else:
            study, expected = trial.kill_at_random(600, int(sys.argv[5]), 1)
            trial.fill_disk(study, expected, 10)


main()
