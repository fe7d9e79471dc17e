#!/bin/bash
# Recordings that go on, and names that are taken: run --resume, --force, two writers, SIGTERM, full
# disks. Usage: test_resume.sh PERP, from the folder of the sources.
set -u
. tests/cli/expect.sh
perp=$(realpath "$1")
folder=$(mktemp -d)
trap 'umount "$folder/small" 2>/dev/null; rm -rf "$folder"' EXIT
scenes=$PWD/scenes
cd "$folder" || exit 1

workshop=workshop.yaml # in steps of 2 ms
sed "s/h: 4e-3/h: 2e-3/" "$scenes/demo/workshop.yaml" >workshop.yaml
expect 0 '' "$perp" run "$workshop" -t 0.6 -o a.h5 --record-problems 20 --quiet

# --- resume
expect 0 '' "$perp" run "$workshop" -t 0.3 -o half.h5 --record-problems 20 --quiet
expect 0 '' "$perp" run --resume half.h5 -t 0.6 --threads 3 --quiet
expect 0 'the same' "$perp" diff a.h5 half.h5
expect 0 'the same bits in 301 frames' "$perp" replay half.h5
expect 0 '' "$perp" run "$workshop" -t 0.6 -o half.h5 --resume --quiet # has come to its end
expect 3 'not the scene that was recorded' "$perp" run "$scenes/chain.yaml" -o half.h5 --resume
expect 0 '' "$perp" run "$workshop" -t 0.01 -o fresh.h5 --resume --quiet # begins what is not there

# what a resume cannot change is refused, what it was begun with may be said again
expect 3 'half.h5: was begun with -h 0.002, .*leave -h out' "$perp" run --resume half.h5 -h 1e-3
expect 3 'was begun with --scheme default' "$perp" run --resume half.h5 --scheme trapezoidal
expect 3 'was begun with --tolerance 1e-08' "$perp" run --resume half.h5 --tolerance 1e-6
expect 3 'was begun without --tolerance' "$perp" run --resume half.h5 --tolerance 1e-8
expect 3 'was begun with --facets circular' "$perp" run --resume half.h5 --facets 8
expect 3 'was begun without --exact' "$perp" run --resume half.h5 --exact
expect 3 'was begun without --set x' "$perp" run --resume half.h5 --set x=1
expect 3 'was begun with --impacts scheme' "$perp" run --resume half.h5 --impacts simultaneous
expect 3 'was begun with --overlap refuse' "$perp" run --resume half.h5 --overlap allow
expect 3 'has the step that it was begun with' "$perp" run --resume half.h5 --accuracy 1e-3
expect 3 'was begun with --every 1' "$perp" run --resume half.h5 --every 2
expect 3 'holds what was chosen' "$perp" run --resume half.h5 --record energy
expect 3 'half.h5: holds 0.6 s already: -t 0.5 lies before its end' "$perp" run --resume half.h5 -t 0.5
expect 0 'finished' "$perp" info half.h5
expect 0 'the same' "$perp" diff a.h5 half.h5
expect 0 '' "$perp" run "$workshop" -t 0.6 -h 0.002 --scheme default -o half.h5 --resume --quiet
# further than planned, cut off there, and on to the new end without being told again
expect 0 '' "$perp" run "$workshop" -t 0.1 -o far.h5 --quiet
"$perp" run --resume far.h5 -t 300 --quiet --flush 1e-9 & pid=$!
far_steps() { "$perp" info far.h5 --json | sed -n 's/.*"steps": \([0-9]*\),.*/\1/p' | head -n 1; }
until [ "$(far_steps)" -ge 100 ] || ! kill -0 $pid; do sleep 0.05; done
kill -KILL $pid
wait $pid 2>/dev/null
cut=$(far_steps)
"$perp" run --resume far.h5 --quiet --flush 1e-9 2>/dev/null & pid=$!
until [ "$(far_steps)" -gt "$cut" ] || ! kill -0 $pid; do sleep 0.05; done # however long it takes to open
kill -TERM $pid
wait $pid 2>/dev/null
expect 0 'ended early' "$perp" info far.h5

# --- what has the name already
cp "$workshop" mine.yaml
mkfifo pipe
ln -s nothing dangling.h5
ln -s a.h5 link.h5
touch empty.h5
sum=$(sha256sum a.h5)
for more in '' --force; do
    expect 3 'mine.yaml: is there already, and not a recording' "$perp" run mine.yaml -o mine.yaml $more
    expect 3 'pipe: is a pipe' "$perp" run "$workshop" -o pipe $more
    expect 3 '/dev/full: is a device' "$perp" run "$workshop" -o /dev/full $more
    expect 3 'is a folder' "$perp" run "$workshop" -o . $more
    expect 3 'dangling.h5: is a link to nothing' "$perp" run "$workshop" -o dangling.h5 $more
    expect 3 'not a recording' "$perp" run "$workshop" -o "$scenes/problems/block_local.hdf5" $more
done
cmp -s "$workshop" mine.yaml || complain "a scene was written over"
expect 3 'a.h5: there is a recording of that name already' "$perp" run "$workshop" -o a.h5
expect 3 'force replaces a recording, --resume goes on' "$perp" run "$workshop" -o link.h5
[ "$sum" = "$(sha256sum a.h5)" ] || complain "a recording was changed without --force"
expect 3 'mine.yaml: is there already, and not a time series' "$perp" run mine.yaml --csv mine.yaml
cp a.h5 b.h5
ln -s b.h5 to_b.h5
expect 0 '' "$perp" run "$workshop" -t 0.01 -o to_b.h5 --force --quiet
expect 0 'frames        6,' "$perp" info b.h5
[ -L to_b.h5 ] || complain "a link was replaced"
expect 0 '' "$perp" run "$workshop" -t 0.01 -o empty.h5 --quiet
expect 3 'mine.yaml: is there already, and not a drawing' "$perp" plot b.h5 energy --svg mine.yaml
cmp -s "$workshop" mine.yaml || complain "a scene was written over"

# two writers: the second is told who the first is, whatever it asks for
"$perp" run "$workshop" -t 300 -o two.h5 --quiet 2>/dev/null & pid=$!
while [ ! -e two.h5 ] && kill -0 $pid; do sleep 0.01; done
for more in '' --force; do
    expect 3 "two.h5: is being recorded by another perp, process $pid" "$perp" run "$workshop" -o two.h5 $more
done
expect 3 "two.h5: is being recorded by another perp, process $pid" "$perp" run --resume two.h5
kill -KILL $pid
wait $pid 2>/dev/null
expect 0 '' "$perp" run "$workshop" -t 0.01 -o two.h5 --force --quiet

# --- SIGTERM, as soon as there is a file: complete up to the last step, and it goes on from there.
# (Shells start background jobs with SIGINT ignored; tests/cli/test_interrupt.sh has both.)
"$perp" run "$workshop" -t 1 -o int.h5 --quiet --json >int.json 2>/dev/null &
pid=$!
while [ ! -e int.h5 ] && kill -0 $pid; do sleep 0.01; done
kill -TERM $pid
wait $pid
code=$?
[ $code = 130 ] || complain "SIGTERM: exit $code"
steps=$(sed -n 's/.*"steps": \([0-9]*\).*/\1/p' int.json | head -1)
expect 0 "ended early" "$perp" info int.h5
expect 0 "\"steps\": $steps," "$perp" info int.h5 --json
expect 0 '' "$perp" run --resume int.h5 --quiet
expect 0 'the same bits in 501 frames' "$perp" replay int.h5

# --- no room: a limit on the size of files, and a small disk if mounting is allowed
full() {
    local file=$1
    shift
    expect 3 'no room left' "$@"
    expect 0 'ended early' "$perp" info "$file"
    expect 0 'the same bits' "$perp" replay "$file"
}
limited() { (
    ulimit -f 24576 # KiB
    exec "$@"
); }
full limit.h5 limited "$perp" run "$workshop" -t 300 -o limit.h5 --record-problems all --quiet
mkdir small
if mount -t tmpfs -o size=24m none small 2>/dev/null; then
    full small/run.h5 "$perp" run "$workshop" -t 300 -o small/run.h5 --record-problems all --quiet
    umount small
else
    echo "mounting is not allowed; the small disk is left out"
fi

[ $failures = 0 ] || exit 1
