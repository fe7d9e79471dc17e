#!/bin/bash
# A run is killed with SIGKILL at 100 random moments, 20 for a program with sanitizers. Each
# recording opens, and a few are gone on with, to the same bits.
# Usage: test_kill.sh PERP [SEED], from the folder of the sources.
set -u
. tests/cli/expect.sh
perp=$(realpath "$1")
seed=${2:-1}
kills=100
grep -qa __asan_init "$perp" && kills=20
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
scene=$PWD/scenes/examples/pile.yaml
absent=0
resumed=0
cd "$folder" || exit 1

# Flushed every 10 ms, so that kills come amid flushes too.
run() { exec "$perp" run "$scene" -t 1000 -o run.h5 --flush 0.01 --quiet; }

frames() { "$perp" info run.h5 2>&1 | tee info.txt | sed -n 's/^frames *\([0-9]*\),.*/\1/p'; }

# Until the file has its name, and until there is enough to go on with, however slow the machine.
wait_for_file() {
    for _ in $(seq 6000); do
        [ -e run.h5 ] && return
        sleep 0.1
    done
}
wait_for_frames() {
    for _ in $(seq 6000); do
        written=$([ -e run.h5 ] && frames)
        [ "${written:-0}" -gt 20 ] && return
        sleep 0.1
    done
}

RANDOM=$seed
for k in $(seq $kills); do
    rm -f run.h5 run.h5.new
    run & pid=$!
    [ $((k % 9)) = 0 ] && wait_for_frames
    [ $((k % 3)) = 1 ] && wait_for_file # the others may be killed before
    sleep "0.$(printf %03d $((RANDOM % 250)))"
    kill -KILL $pid
    wait $pid 2>/dev/null
    if [ ! -e run.h5 ]; then # killed before it had a name
        absent=$((absent + 1))
        continue
    fi
    frames=$(frames) && [ "$frames" ] || complain "kill $k: $(cat info.txt)"
    if [ $((k % 9)) = 0 ]; then
        [ "${frames:-0}" -gt 20 ] || complain "kill $k: only ${frames:-0} frames"
        resumed=$((resumed + 1))
        "$perp" replay run.h5 --verify --quiet >out.txt 2>&1 || complain "kill $k: $(cat out.txt)"
        "$perp" run --resume run.h5 -t 0.3 --quiet 2>out.txt >&2 || complain "kill $k, resume: $(cat out.txt)"
        "$perp" replay run.h5 --verify --quiet >out.txt 2>&1 || complain "kill $k, after: $(cat out.txt)"
    fi
done 2>noise.txt # of the shell, about kills
grep FAILED noise.txt >&2
echo "$kills kills: $absent before the file had its name, $resumed gone on with, $failures failures"
[ $absent -le $((kills * 2 / 3)) ] || complain "$absent runs left no file, though a third was waited for"
[ $resumed = $((kills / 9)) ] || complain "only $resumed runs were gone on with"
[ $failures = 0 ] || exit 1
