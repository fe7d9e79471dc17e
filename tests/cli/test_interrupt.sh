#!/bin/bash
# perp run interrupted by signals, and what it shows on a terminal. Each waits for the state that it
# needs, however slow the machine.
# Usage: test_interrupt.sh PERP, from the folder of the sources.
set -u
. tests/cli/expect.sh
perp=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
cat >fall.yaml <<'YAML'
about: a ball in free fall
run: {t: 0.5, h: 0.01}
bodies:
  ball: {sphere: 0.1, at: [0, 0, 1]}
YAML

# interrupted: the step is finished, the time series is whole
for signal in INT TERM HUP; do
    # exec by python, because shells start background jobs with SIGINT ignored
    python3 - "$perp" $signal <<'PYTHON' || complain "interrupted by SIG$signal"
import csv, json, os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL) # ignored below nohup, and then by perp, too
run = subprocess.Popen([sys.argv[1], "run", "fall.yaml", "-t", "1e6", "-h", "1e-3", "--json",
                        "--csv", "long.csv", "--every", "100"],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
# rows are flushed while it runs
end = time.monotonic() + 600
while not (os.path.exists("long.csv") and os.path.getsize("long.csv") > 1000):
    assert run.poll() is None and time.monotonic() < end, "nothing was flushed"
    time.sleep(0.05)
run.send_signal(getattr(signal, "SIG" + sys.argv[2]))
output, messages = run.communicate(timeout=600)
result = json.loads(output)
rows = list(csv.reader(open("long.csv")))
os.remove("long.csv")
assert run.returncode == 130, run.returncode
assert result["status"] == "interrupted" and "interrupted after" in messages
assert len(rows) == 2 + result["steps"] // 100 and len({len(row) for row in rows}) == 1
PYTHON
done

# progress: only on a terminal, colours only if they are wanted
"$perp" run fall.yaml -t 1 -h 1e-3 >/dev/null 2>messages
[ -s messages ] && complain "progress without a terminal"
# on a terminal until it has shown its progress
show() {
    : >shown
    TERM=xterm script -qefc "exec \"$perp\" run fall.yaml -t 1e6 -h 1e-3 >/dev/null" shown >/dev/null 2>&1 </dev/null & pid=$!
    for _ in $(seq 6000); do
        grep -q 'steps/s' shown && break
        sleep 0.1
    done
    kill -TERM $pid 2>/dev/null
    wait $pid 2>/dev/null
    grep -q 'steps/s' shown || complain "no progress on a terminal"
}
if command -v script >/dev/null; then
    show
    grep -q $'\033\[32m' shown || complain "no colours on a terminal"
    NO_COLOR=1 show
    grep -q $'\033' shown && complain "colours in spite of NO_COLOR"
fi

[ "$failures" = 0 ]
