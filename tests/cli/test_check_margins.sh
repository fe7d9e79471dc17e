#!/bin/bash
# perp check computes the papers' margins again from the recording: what was not touched holds; a
# margin, a state or a problem that was changed is found out, for every bound.
# Usage: test_check_margins.sh PERP, from the folder of the sources.
set -u
. tests/cli/expect.sh
perp=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
scenes=$PWD/scenes
cd "$folder" || exit 1

# record FILE SCENE SECONDS OPTION...
record() {
    local file=$1 scene=$2 seconds=$3
    shift 3
    expect 0 '' "$perp" run "$scenes/$scene.yaml" -t "$seconds" -o "$file" --quiet "$@"
}

# agrees FILE BOUND: every recorded margin is computed again, and is the same
agrees() {
    expect 0 "$2 +recorded: least .*, of ([0-9]+) frames; computed again: least .*, of \1 steps, off by at most [0-9].[0-9]e[-+](1[0-9]|00)$" \
        "$perp" check "$1"
}

# --- what was not touched
record ps02.h5 bouncing-ball 0.3 --scheme paoli-schatzman
record ps02-spin.h5 dzhanibekov 0.02 --scheme paoli-schatzman
record ps02-wave.h5 examples/springs 0.15 --scheme paoli-schatzman
for file in ps02 ps02-spin ps02-wave; do agrees $file.h5 PS02; done
record stiff.h5 stiff-pendulum 0.1 --scheme trapezoidal --jacobian approximate
for theorem in 8.1 9.1 9.2 9.3; do agrees stiff.h5 "PAGT06 $theorem"; done
record spin.h5 dzhanibekov 0.05 --scheme trapezoidal
record printed.h5 dzhanibekov 0.05 --scheme trapezoidal --printed-coriolis
record wave.h5 examples/springs 0.15 --scheme trapezoidal
record exact.h5 stiff-pendulum 0.1 --scheme trapezoidal --jacobian exact
for file in spin printed wave exact; do agrees $file.h5 'PAGT06 8.1'; done
record l82.h5 newtons-cradle 0.02 --scheme lotstedt --record-problems all
agrees l82.h5 'L82 \(3.7\)'
expect 0 'L82 5.2 +recorded: .*; computed again: least 1.00e-08 .* of [1-9][0-9]* problems, off by at most .*$' "$perp" check l82.h5
record l82-wave.h5 examples/springs 0.15 --scheme lotstedt
agrees l82-wave.h5 'L82 \(3.7\)'
expect 0 '"bound": "L82 \(3.7\)".*"compared": [1-9][0-9]*, "largest_difference": .*, "differ": 0, "holds": true' "$perp" check l82.h5 --json

# --- what cannot be computed says why
expect 0 'L82 5.2 .*; examined only, computing it needs stored problems' "$perp" check l82-wave.h5
record thin.h5 bouncing-ball 0.1 --scheme paoli-schatzman --every 3
expect 0 'PS02 .*frames examined only: the step before is not recorded' "$perp" check thin.h5
record few.h5 bouncing-ball 0.1 --scheme paoli-schatzman --record bounds
expect 0 'PS02 .*; examined only, computing it needs states and steps' "$perp" check few.h5
record cut.h5 rocking-block 0.06 --scheme trapezoidal
expect 0 'PAGT06 8.1 .* 1196 steps, .*; 4 frames examined only: divided at collisions' "$perp" check cut.h5
cat >short.yaml <<'YAML'
run: {t: 0.02, h: 1e-3}
gravity: [0, 0, 0]
bodies:
  a: {sphere: 0.1, mass: 1, at: [0, 0, 0], velocity: [0.01, 0.02, 0]}
springs:
  s: {between: [world, a], from: [0, 0, 1e-4], to: [0, 0, 0], stiffness: 1e6, rest: 2e-4}
YAML
expect 0 '' "$perp" run short.yaml --scheme trapezoidal -o short.h5 --quiet
expect 0 'PAGT06 8.1 .*frames examined only: springs are too short' "$perp" check short.h5

# --- what was changed
python=/usr/bin/python3
if ! $python -c 'import h5py' 2>/dev/null; then
    echo "python3-h5py is not installed; its tests are left out"
    [ $failures = 0 ]
    exit
fi

# change FROM TO CODE: f is the copy, opened to be written
change() {
    cp "$1" "$2"
    $python -c "import h5py, numpy
f = h5py.File('$2', 'r+')
$3" || complain "h5py cannot change $2"
}

# a margin, to one that would hold as well: step and both numbers are told
forged() {
    local file=$1 bound=$2 step=$3 by=$4 shown=$5
    change "$file" forged.h5 "f['bound/$bound'][$step] += $by"
    expect 5 "$shown .*DIFFERS in 1 steps, in step $step [-+.0-9e]+ recorded, [-+.0-9e]+ computed$" "$perp" check forged.h5
    expect 5 "\"bound\": \"$shown\".*\"differ\": 1, \"first\": \{\"step\": $step,.*\"holds\": false" "$perp" check forged.h5 --json
}
forged ps02.h5 PS02 30 1e-6 PS02
forged spin.h5 'PAGT06 8.1' 30 1e-6 'PAGT06 8.1'
forged stiff.h5 'PAGT06 8.1' 7 -1e-6 'PAGT06 8.1'
forged stiff.h5 'PAGT06 9.1' 7 1e-6 'PAGT06 9.1'
forged stiff.h5 'PAGT06 9.2' 1 1e-6 'PAGT06 9.2'
forged stiff.h5 'PAGT06 9.3' 1 1e-6 'PAGT06 9.3'
forged l82.h5 'L82 (3.7)' 30 1e-6 'L82 \(3.7\)'
forged l82.h5 'L82 5.2' 30 -5e-9 'L82 5.2'

# a velocity, and the kinetic energy with it left alone: the margin before and after is another one
moved() {
    local file=$1 step=$2 shown=$3
    change "$file" moved.h5 "v = f['v'][$step]
f['v'][$step] = v * 1.001"
    expect 5 "$shown .*DIFFERS in [12] steps, in step $step " "$perp" check moved.h5
}
moved ps02.h5 30 PS02
moved spin.h5 30 'PAGT06 8.1'
for theorem in 9.1 9.2 9.3; do moved stiff.h5 1 "PAGT06 $theorem"; done
moved l82.h5 30 'L82 \(3.7\)'

# accelerations that are not those of the constraints that push
change l82.h5 problem.h5 "ints, end = f['problems/ints'][:], f['problems/doubles_end'][0]
bodies, *rows, groups = ints[:6]
velocities = ints[6 + bodies]
v = end - groups - sum(rows) - velocities
f['problems/doubles'][v:v + velocities] = f['problems/doubles'][v:v + velocities] + 1e-3"
expect 5 'L82 5.2 .*; computed again: least -.* problems: VIOLATED, .*; DIFFERS in 1 steps' "$perp" check problem.h5

change l82.h5 mass.h5 "f['problems/doubles'][0] = -1"
expect 5 'L82 5.2 .*; computed again: least -inf .* problems: VIOLATED' "$perp" check mass.h5

# a state that is none
change ps02.h5 none.h5 "v = f['v'][30]
v[0] = numpy.nan
f['v'][30] = v"
expect 5 'frames, 1 differ' "$perp" check none.h5
expect 5 'PS02 .*: VIOLATED, .*; DIFFERS in 2 steps, in step 30 ' "$perp" check none.h5

# a recording of before steps told whether they were cut
change ps02.h5 old.h5 "del f['step/substeps']"
expect 0 'PS02 .*; examined only, computing it needs states and steps' "$perp" check old.h5

[ $failures = 0 ]
