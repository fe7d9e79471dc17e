#!/usr/bin/python3
"""Recordings under faults: nothing is lost, nothing is wrong.

    soak.py PERP FAULTS.so calls   [--stride N]   killed, or writes fail, at every call
    soak.py PERP FAULTS.so kills   [--rounds N]   killed at random moments, resumes of resumes
    soak.py PERP FAULTS.so full    [--rounds N]   disks that become full
    soak.py PERP FAULTS.so short                  a little of each

Run from the folder of the sources. After each fault the recording opens, holds what it held before
or more, each frame with the bits of a run without faults, and goes on to those bits.
"""
import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

try:
    import h5py
except ImportError:
    sys.exit("soak.py needs h5py: tools/setup test installs it")

# differ from run to run: wall times; how and where it was interrupted
APART = ("step/wall", "ending", "checkpoint")


class Soak:
    def __init__(self, options):
        self.perp = os.path.realpath(options.perp)
        self.faults = os.path.realpath(options.faults)
        self.scene = os.path.realpath(options.scene)
        self.options = options
        self.random = random.Random(options.seed)
        self.failures = 0

    def complain(self, text):
        self.failures += 1
        print("FAILED:", text, file=sys.stderr, flush=True)

    def run(self, *arguments, fault=None, log=None):
        environment = dict(os.environ)
        if fault or log:
            environment["LD_PRELOAD"] = self.faults
            environment["ASAN_OPTIONS"] = "verify_asan_link_order=0"
            environment["FAULT"] = fault or ""
            if log:
                environment["FAULT_LOG"] = log
        return subprocess.run([self.perp, *arguments], env=environment, capture_output=True,
                              text=True)

    def record(self, path, *more, fault=None, log=None):
        return self.run("run", self.scene, "-t", str(self.options.seconds), "-o", path, "--quiet",
                        "--flush", "1e-9", "--record-problems", "all", *more, fault=fault, log=log)

    def resume(self, path, *more, fault=None, log=None):
        return self.run("run", "--resume", path, "--quiet", "--flush", "1e-9", *more, fault=fault,
                        log=log)

    def frames(self, path):
        """How many a reader finds; None after a complaint."""
        info = self.run("info", path, "--json")
        if info.returncode != 0:
            self.complain(f"{path} cannot be read: {info.stderr.strip()}")
            return None
        return json.loads(info.stdout)["frames"]


def datasets(file):
    found = {}
    file.visititems(lambda name, thing: found.update({name: thing})
                    if isinstance(thing, h5py.Dataset) and not name.startswith(APART) else None)
    return found


def differs(path, expected, whole):
    """Where a recording parts from what it should be; its rows may be fewer unless it is whole."""
    with h5py.File(path, "r", swmr=not whole) as file:
        found = datasets(file)
        if found.keys() != expected.keys():
            return f"datasets {found.keys() ^ expected.keys()}"
        for name, values in expected.items():
            rows = found[name]
            count = rows.shape[0] if rows.shape else None
            if whole and rows.shape != values.shape:
                return f"{name}: {rows.shape[0]} rows, not {values.shape[0]}"
            if count is not None and count > values.shape[0]:
                return f"{name}: {count} rows of {values.shape[0]}"
            part = values[:count] if count is not None else values
            if rows[()].tobytes() != part.tobytes():
                if not count:
                    return name
                same = [rows[k].tobytes() == part[k].tobytes() for k in range(count)]
                return f"{name}, row {same.index(False)} of {count}"
    return None


def load(path):
    with h5py.File(path, "r") as file:
        return {name: thing[()] for name, thing in datasets(file).items()}


def count_calls(path):
    with open(path) as log:
        return [line.split()[1] for line in log]


# --- after a fault ------------------------------------------------------------------------------


def compare(path, expected, whole):
    try:
        return differs(path, expected, whole)
    except (OSError, RuntimeError) as error:
        return f"h5py: {error}"


def check_cut_off(soak, where, path, expected, least):
    """Readable, no frame lost, no bit wrong. Returns how many frames, None if it is not."""
    frames = soak.frames(path)
    if frames is None:
        return None
    if frames < least:
        soak.complain(f"{where}: {frames} frames, {least} before")
    wrong = compare(path, expected, False)
    if wrong:
        soak.complain(f"{where}: {wrong}")
    return frames


def finish(soak, where, path, expected):
    """Goes on to the end and compares."""
    done = soak.resume(path)
    wrong = (f"exit {done.returncode}: {done.stderr.strip()}" if done.returncode != 0 else
             compare(path, expected, True))
    if wrong:
        soak.complain(f"{where}, resumed: {wrong}")
    return done.returncode == 0


def remove(*paths):
    for path in paths:
        if os.path.exists(path):
            os.remove(path)


def check_left_over(soak, where):
    left = [name for name in os.listdir(".") if name.endswith(".partial")]
    if left:
        soak.complain(f"{where}: {left} is left")
        remove(*left)


# --- at every call ------------------------------------------------------------------------------


def record_reference(soak):
    """The recording of a run without faults, verified, and the calls that made it."""
    remove("log")
    made = soak.record("reference.h5", "--force", log="log")
    verified = soak.run("replay", "reference.h5", "--verify")
    if made.returncode != 0 or verified.returncode != 0:
        raise SystemExit(f"no reference: {made.stderr}{verified.stdout}{verified.stderr}")
    return load("reference.h5"), count_calls("log")


def strides(options, count):
    return range(1 + options.seed % options.stride, count + 1, options.stride)


def cut_off_runs(soak, kind, expected, calls):
    """The process is killed, or its calls fail, from each call on."""
    named = max(k for k, call in enumerate(calls) if call in ("rename", "link")) + 2
    least = 0
    for at in strides(soak.options, len(calls)):
        remove("run.h5", "run.h5.partial")
        where = f"{kind} at call {at} ({calls[at - 1]})"
        ended = soak.record("run.h5", fault=f"{kind}:{at}")
        if kind == "fail":
            check_refusal(soak, where, ended)
        if not os.path.exists("run.h5"):
            if at >= named:
                soak.complain(f"{where}: no file")
            continue
        frames = check_cut_off(soak, where, "run.h5", expected, least)
        least = max(least, frames or 0)
        finish(soak, where, "run.h5", expected)
    print(f"{kind}: {len(calls)} calls, {soak.failures} failures", flush=True)


def check_refusal(soak, where, ended):
    """After a write that failed: an exit code and a message, no crash."""
    if ended.returncode not in (0, 3) or (ended.returncode == 3 and not ended.stderr):
        soak.complain(f"{where}: exit {ended.returncode}: {ended.stderr.strip()}")


def cut_off_resumes(soak, kind, expected, base, begun):
    subprocess.run(["cp", base, "run.h5"], check=True)
    remove("log")
    if soak.resume("run.h5", log="log").returncode != 0:
        soak.complain(f"{base} cannot be gone on with")
        return
    calls, least = count_calls("log"), begun
    for at in strides(soak.options, len(calls)):
        subprocess.run(["cp", base, "run.h5"], check=True)
        where = f"{base}, {kind} at call {at} of resume ({calls[at - 1]})"
        ended = soak.resume("run.h5", fault=f"{kind}:{at}")
        if kind == "fail":
            check_refusal(soak, where, ended)
        frames = check_cut_off(soak, where, "run.h5", expected, least)
        least = max(least, frames or 0)
        finish(soak, where, "run.h5", expected)
    print(f"{base}, {kind}: {len(calls)} calls, {soak.failures} failures", flush=True)


KINDS = "kill", "torn", "fail"


def soak_calls(soak, parts=(0.3, 0.5, 0.75, 0.98)):
    expected, calls = record_reference(soak)
    for kind in KINDS:
        cut_off_runs(soak, kind, expected, calls)
    for part in parts:
        remove("run.h5", "run.h5.partial")
        at = int(part * len(calls))
        soak.record("run.h5", fault=f"kill:{at}")
        base = f"killed-at-{at}.h5"
        os.replace("run.h5", base)
        begun = soak.frames(base)
        for kind in KINDS:
            cut_off_resumes(soak, kind, expected, base, begun or 0)


# --- at random moments --------------------------------------------------------------------------


def kill_after(soak, seconds, *arguments):
    run = subprocess.Popen([soak.perp, *arguments], stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True)
    try:
        _, messages = run.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGKILL)
        _, messages = run.communicate()
    return run.returncode, messages.strip()


def soak_kills(soak):
    """Runs killed, resumed and killed again, until as many kills as asked for were made."""
    options = soak.options
    seconds = time.monotonic()
    expected, _ = record_reference(soak)
    seconds = min(time.monotonic() - seconds, 2)
    kills = runs = 0
    while kills < options.rounds:
        remove("run.h5", "run.h5.partial")
        least, resumes = 0, soak.random.randrange(5)
        flush = ["--flush", str(soak.random.choice((1e-9, 1e-3, 0.01, 0.05)))]
        runs += 1
        for k in range(1 + resumes):
            where = f"run {runs}, kill {k + 1}"
            command = (["run", "--resume", "run.h5"] if os.path.exists("run.h5") else
                       ["run", soak.scene, "-t", str(options.seconds), "-o", "run.h5",
                        "--record-problems", "all"])
            code, messages = kill_after(soak, soak.random.uniform(0, 0.7 * seconds), *command,
                                        "--quiet", *flush)
            kills += code == -signal.SIGKILL
            if code not in (0, -signal.SIGKILL):
                soak.complain(f"{where}: exit {code}: {messages}")
            if os.path.exists("run.h5"):
                frames = check_cut_off(soak, where, "run.h5", expected, least)
                least = max(least, frames or 0)
        if os.path.exists("run.h5"):
            finish(soak, f"run {runs}", "run.h5", expected)
            check = soak.run("check", "run.h5")
            verified = soak.run("replay", "run.h5", "--verify")
            if check.returncode or verified.returncode:
                soak.complain(f"run {runs}: {check.stdout}{verified.stdout}{verified.stderr}")
    print(f"{kills} kills of {runs} runs and their resumes: {soak.failures} failures")


# --- full disks ---------------------------------------------------------------------------------


def soak_full(soak):
    """Disks with little room, at the start or for a resume; with and without reservations."""
    expected, _ = record_reference(soak)
    largest = 4 * os.path.getsize("reference.h5") + (16 << 20)
    counts = {"finished": 0, "ended early": 0, "not begun": 0}
    for k in range(soak.options.rounds):
        remove("run.h5")
        kind = ("full", "thin")[k % 2]
        room = int(4096 * (largest / 4096) ** soak.random.random())
        where = f"{kind} disk of {room} bytes"
        ended = soak.record("run.h5", fault=f"{kind}:{room}")
        check_refusal(soak, where, ended)
        check_left_over(soak, where)
        if not os.path.exists("run.h5"):
            counts["not begun"] += 1
            if ended.returncode != 3:
                soak.complain(f"{where}: no file, exit {ended.returncode}")
            continue
        counts["finished" if ended.returncode == 0 else "ended early"] += 1
        frames = check_cut_off(soak, where, "run.h5", expected, 0)
        again = soak.resume("run.h5", fault=f"{kind}:{int(room * soak.random.random())}")
        check_refusal(soak, where + ", again", again)
        check_cut_off(soak, where + ", again", "run.h5", expected, frames or 0)
        finish(soak, where, "run.h5", expected)
    print(f"{soak.options.rounds} full disks: {counts}, {soak.failures} failures")


def soak_short(soak):
    soak.options.stride = 97
    soak_calls(soak, (0.5,))
    soak.options.rounds = 6
    soak_kills(soak)
    soak_full(soak)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("perp")
    parser.add_argument("faults")
    parser.add_argument("what", choices=("calls", "kills", "full", "short"))
    parser.add_argument("--scene", default="scenes/examples/pile.yaml")
    parser.add_argument("--seconds", type=float, default=0.01)
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    soak = Soak(options)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        {"calls": soak_calls, "kills": soak_kills, "full": soak_full,
         "short": soak_short}[options.what](soak)
        os.chdir("/")
    print(f"{options.what}: {soak.failures} failures")
    return soak.failures != 0


if __name__ == "__main__":
    sys.exit(main())
