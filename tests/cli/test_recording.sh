#!/bin/bash
# Recordings from outside: run -o, info, replay, check, diff, and files that are none. Usage: test_recording.sh PERP, from the folder of the sources.
set -u
. tests/cli/expect.sh
perp=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
scenes=$PWD/scenes
docs=$PWD/docs
cd "$folder" || exit 1

workshop=workshop.yaml # in steps of 2 ms
sed "s/h: 4e-3/h: 2e-3/" "$scenes/demo/workshop.yaml" >workshop.yaml

# --- recording, and what can be asked of it
for command in info replay diff; do
    expect 0 '^Examples:' "$perp" "$command" --help
    expect 2 'usage: perp' "$perp" "$command"
done
expect 0 '' "$perp" run "$workshop" -t 0.6 -o a.h5 --record-problems 20 --quiet
expect 0 'finished, format 3' "$perp" info a.h5
expect 0 '"steps": 300, "planned_steps": 300, "frames": 301' "$perp" info a.h5 --json
expect 0 '^about:' "$perp" info a.h5 --scene
expect 0 'the same bits in 301 frames, 300 steps' "$perp" replay a.h5 --verify
expect 0 '"same": true' "$perp" replay a.h5 --verify --json
expect 0 'certificates  [1-9][0-9]* problems, 0 differ' "$perp" check a.h5
expect 0 'energies      300 frames, 0 differ' "$perp" check a.h5
expect 0 'margins       AP97 2.3   computed: least .*, of [1-9][0-9]* problems' "$perp" check a.h5
expect 0 '"holds": true' "$perp" check a.h5 --json

# --- a-priori bounds: computed again from problems; from states: test_check_margins.sh
expect 0 '' "$perp" run "$scenes/examples/pile.yaml" --scheme anitescu-potra -t 0.2 -o ap97.h5 \
    --record-problems all --quiet
expect 0 'AP97 2.3   recorded: least .*; computed again: least .* problems$' "$perp" check ap97.h5
expect 0 'AP97 5.1   recorded: least .*; computed again: least .* of [1-9][0-9]* problems$' "$perp" check ap97.h5
expect 0 '' "$perp" run "$scenes/examples/pile.yaml" --scheme stewart-trinkle -t 0.15 -o st97.h5 \
    --record-problems all --quiet
expect 0 'ST97 3.5   recorded: least .*; computed again: least .* problems$' "$perp" check st97.h5
expect 0 '"bound": "ST97 3.5", "recorded": \{.*\}, "computed": \{.*"holds": true' "$perp" check st97.h5 --json
expect 0 '' "$perp" run "$scenes/bouncing-ball.yaml" --scheme lotstedt -t 0.01 -o l82.h5 --quiet
expect 0 'the same bits' "$perp" replay l82.h5

# L82's bound takes the force where events are; one that is 0 at both ends of a step breaks it
cat >wave.yaml <<'YAML'
run: {t: 0.1, h: 0.1}
gravity: [0, 0, 0]
bodies:
  ball: {sphere: 0.1, mass: 1}
forces:
  push: {body: ball, force: [0, 0, 0], wave: {force: [1, 0, 0], frequency: 5}}
YAML
expect 0 'L82 \(3.7\)  VIOLATED' "$perp" run wave.yaml --scheme lotstedt -o wave.h5
expect 0 'warning: the a-priori bound L82 \(3.7\) .* is violated by .* at t = 0.1 s' "$perp" run wave.yaml --scheme lotstedt --quiet
expect 0 '"name": "L82 \(3.7\)".*"holds": false' "$perp" run wave.yaml --scheme lotstedt --json
expect 5 'L82 \(3.7\)  recorded: least .*: VIOLATED; computed again: least .*: VIOLATED, off' "$perp" check wave.h5
expect 5 '"holds": false' "$perp" check wave.h5 --json

# springs from the states
expect 0 '' "$perp" run "$scenes/examples/springs.yaml" -t 0.1 -o springs.h5 --quiet
expect 0 'energies      [1-9][0-9]* frames, 0 differ' "$perp" check springs.h5

# a scene with parameters and other files needs none of them later
mkdir elsewhere
cp -r "$scenes/examples" elsewhere/examples
expect 0 '' "$perp" run elsewhere/examples/wall.yaml --set rows=2 -t 0.05 -o wall.h5 --quiet
expect 0 '' "$perp" run elsewhere/examples/shapes.yaml -t 0.02 -o shapes.h5 --quiet
rm -r elsewhere
expect 0 'the same bits' "$perp" replay wall.h5 --verify
expect 0 'the same bits' "$perp" replay shapes.h5 --verify

# --- choices
expect 0 '' "$perp" run "$workshop" -t 0.2 -o thin.h5 --record energy,events --every 7 --quiet
expect 0 'frames        16, every 7' "$perp" info thin.h5
expect 3 'neither state nor poses' "$perp" replay thin.h5
expect 0 '' "$perp" run "$workshop" -t 0.2 -o single.h5 --record poses,velocities --single --quiet
expect 0 'the same bits' "$perp" replay single.h5
expect 2 'did you mean contacts' "$perp" run "$workshop" -o x.h5 --record contact
expect 2 'record-problems must be' "$perp" run "$workshop" -o x.h5 --record-problems some
expect 3 'cannot be written' "$perp" run "$workshop" -o /nowhere/x.h5

# --- the cone: the scheme's own is told, one that was given is kept
stop=$scenes/sliding-stop.yaml
expect 0 '' "$perp" run "$stop" -t 0.1 -o round.h5 --quiet
expect 0 'scheme default, a circular cone' "$perp" info round.h5
expect 0 '' "$perp" run "$stop" -t 0.1 -o papers.h5 --scheme anitescu-potra --quiet
expect 0 'scheme anitescu-potra, 8 facets' "$perp" info papers.h5
expect 0 '' "$perp" run "$stop" -t 0.1 -o eight.h5 --facets 8 --quiet
expect 0 'scheme default, 8 facets' "$perp" run --resume eight.h5 -t 0.2
expect 0 'the same bits' "$perp" replay eight.h5 --verify

# --- friction with slip held, and rungs left out: remembered, replayed, gone on with
pile=$scenes/pile.yaml
rungs=newton-local,proximal,polygon
expect 0 '' "$perp" run "$pile" --without $rungs -o held.h5 --record-problems all --quiet
expect 0 'exact law of friction \(1e-08\), [1-9][0-9]* with slip held \(0.001\)' "$perp" run "$pile"
expect 0 'exact law of friction \(1e-08\), [1-9][0-9]* with slip held \(1e-08\)' "$perp" run "$pile" --tolerance 1e-8
expect 0 'the same bits in 161 frames' "$perp" replay held.h5 --verify
expect 0 '^steps +[0-9]+ on the exact law, [1-9][0-9]* with slip held \(gaps off by' "$perp" info held.h5
expect 0 '"held_steps": [1-9][0-9]*, "missed_steps": 0, "gap_error": [1-9]' "$perp" info held.h5 --json
expect 0 '"methods": "free, joints, warm-start, nsgs' "$perp" info held.h5 --json
expect 0 'problems, 0 differ from what was recorded' "$perp" check held.h5
expect 0 '^  laws +[1-9][0-9]* exact, [1-9][0-9]* with slip held, 0 missed; worst' "$perp" check held.h5
expect 0 '"held_problems": [1-9][0-9]*, "missed_problems": 0, "held_residual": [0-9]' "$perp" check held.h5 --json
expect 0 '' "$perp" run "$pile" --without $rungs -t 0.4 -o cut.h5 --record-problems all --quiet
expect 0 '' "$perp" run --resume cut.h5 -t 0.8 --quiet
expect 0 'the same' "$perp" diff held.h5 cut.h5
expect 0 '' "$perp" run "$pile" --exact -o exact.h5 --quiet
expect 0 'the same bits in 161 frames' "$perp" replay exact.h5 --verify
expect 0 '^steps +160 on the exact law, 0 with slip held, 0 missed' "$perp" info exact.h5
expect 0 '' "$perp" run "$pile" --without apgd -o other.h5 --quiet
expect 0 'the same bits in 161 frames' "$perp" replay other.h5 --verify
expect 0 '' "$perp" run "$pile" --without $rungs -o worst.h5 --record-problems worst --quiet
expect 0 '[1-9][0-9]* exact, [1-9][0-9]* with slip held' "$perp" check worst.h5

# --- differences
expect 0 'the same, contacts too' "$perp" diff a.h5 a.h5
expect 0 '' "$perp" run "$workshop" -t 0.6 -o facets.h5 --facets 16 --quiet
expect 5 'they part in step [0-9]+, t = .*, at ' "$perp" diff a.h5 facets.h5
expect 5 '"same": false' "$perp" diff a.h5 facets.h5 --json
expect 0 'the same' "$perp" diff a.h5 facets.h5 --tolerance 10
expect 3 'not of the same bodies' "$perp" diff a.h5 wall.h5

# --- what is not recorded is not told to differ; noise of signals that are held between samples
cat >noisy.yaml <<'YAML'
run: {t: 0.1, h: 0.01, control-every: 4}
world:
  - plane: [0, 0, 1]
bodies:
  box: {box: [1, 1, 1], at: [0, 0, 0.5], mass: 3}
signals: {wave: sin(40*t)}
sensors:
  weight: {contact-force: box}
  heard: {signal: wave, noise: 0.1}
YAML
for groups in state,sensors state,step,sensors state,contacts,sensors; do
    expect 0 '' "$perp" run noisy.yaml -o bare.h5 --force --quiet --record $groups
    expect 0 '0 differ; [0-9]+ are not told' "$perp" check bare.h5
done
expect 0 '' "$perp" run noisy.yaml -o noisy.h5 --quiet
expect 0 'sensors       43 numbers in 11 frames, 0 differ; 1 are not' "$perp" check noisy.h5

# --- python
python=/usr/bin/python3
if $python -c 'import h5py' 2>/dev/null; then
    # a bit of a pose, a certificate and an energy changed: each is found
    cp a.h5 pose.h5
    cp a.h5 push.h5
    cp a.h5 problem.h5
    cp a.h5 energy.h5
    cp springs.h5 spring.h5
    "$perp" run "$scenes/arm.yaml" -t 0.2 -o arm.h5 --quiet
    expect 0 'sensors       1808 numbers in 201 frames, 0 differ; 1 ' "$perp" check arm.h5
    cp noisy.h5 noise.h5
    for what in torque grip signal load; do cp arm.h5 "arm_$what.h5"; done
    cp ap97.h5 margin.h5
    cp ap97.h5 impact.h5
    for what in slip impulse residual; do cp held.h5 "held_$what.h5"; done
    $python - <<'PYTHON' || complain "h5py cannot change the recordings"
import h5py
import numpy
f = h5py.File("pose.h5", "r+")
q = f["pose"][123]
q[4, 2] = numpy.nextafter(q[4, 2], 1e9)
f["pose"][123] = q
h5py.File("noise.h5", "r+")["sensors/value"][6, 3] += 1e-9
f = h5py.File("problem.h5", "r+")
end = f["problems/doubles_end"][0]
f["problems/doubles"][:end] = f["problems/doubles"][:end] * 1.0001
f = h5py.File("energy.h5", "r+")
f["energy/gravity"][77] += 1e-9
for name, number in ("torque", 4), ("grip", 7), ("signal", 8): # of a motor, a joint, an expression
    h5py.File("arm_%s.h5" % name, "r+")["sensors/value"][77, number] += 1e-9
h5py.File("arm_load.h5", "r+")["loads/actuator"][77, 1] += 1e-9
f = h5py.File("spring.h5", "r+")
f["energy/spring"][20] *= 1 + 1e-15
f = h5py.File("margin.h5", "r+")
f["bound/AP97 2.3"][33] = -1e-6
f = h5py.File("push.h5", "r+")
f["contacts/impulse"][f["contacts/start"][123], 2] += 1e-3
# three times the velocities after decompressions, which friction with cohesion tells: energy from
# nowhere
f = h5py.File("impact.h5", "r+")
ints, doubles = f["problems/ints"][:], f["problems/doubles"][:]
first = 0
for first_next, end in zip(f["problems/ints_end"][:], f["problems/doubles_end"][:]):
    bodies, *rows, groups = ints[first:first + 6]
    velocities = ints[first + 6 + bodies]
    v = end - groups - sum(rows) - velocities
    if doubles[v - groups:v].any():
        doubles[v:v + velocities] *= 3
    first = first_next
f["problems/doubles"][:] = doubles
# of the first problem answered with slip held: its slip, a velocity's impulse, its certificate
def change(name, place, factor):
    f = h5py.File(name, "r+")
    k = list(f["problems/outcome"][:]).index(5)
    ints, first = f["problems/ints"], f["problems/ints_end"][k - 1] if k else 0
    bodies, *rows, groups = ints[first:first + 6]
    end = f["problems/doubles_end"][k]
    span = {"slip": (end - 3 - groups, end - 3), "residual": (end - 3, end - 2),
            "impulse": (end - 3 - 2 * groups - sum(rows), end - 3 - 2 * groups)}[place]
    f["problems/doubles"][span[0]:span[1]] = f["problems/doubles"][span[0]:span[1]] * factor
for place in "slip", "impulse", "residual":
    change("held_%s.h5" % place, place, 1 + 1e-6)
PYTHON
    for what in slip impulse residual; do
        expect 5 ' 1 differ from what was recorded' "$perp" check "held_$what.h5"
    done
    name=$("$perp" info a.h5 --json >/dev/null; $python -c 'import h5py; print(h5py.File("a.h5")["bodies/name"][4].decode())')
    expect 5 "differs in step 123, t = 0.246 s: position of $name" "$perp" replay pose.h5
    expect 5 "they part in step 123, .* at $name" "$perp" diff a.h5 pose.h5
    expect 5 'the same motion, other contacts' "$perp" diff a.h5 push.h5
    expect 5 'differ from step 123 on, t = 0.246 s, between ' "$perp" diff a.h5 push.h5
    expect 5 'impulses by up to 1.000e-03 N s' "$perp" diff a.h5 push.h5
    expect 5 '"same": false, "same_contacts": false' "$perp" diff a.h5 push.h5 --json
    expect 0 'result +the same$' "$perp" diff a.h5 push.h5 --tolerance 1e-12
    expect 5 '1 differ from what was recorded' "$perp" check problem.h5
    expect 5 'energies      300 frames, 1 differ' "$perp" check energy.h5
    expect 5 'frames, 1 differ' "$perp" check spring.h5
    expect 5 'frames, [12] differ, first in frame 6' "$perp" check noise.h5
    for what in torque grip signal load; do
        expect 5 'frames, 1 differ, first in frame 77' "$perp" check "arm_$what.h5"
    done
    expect 5 'AP97 2.3   recorded: least -1.00e-06 in step 33, .*: VIOLATED' "$perp" check margin.h5
    expect 5 'AP97 5.1 .*; computed again: least -.* problems: VIOLATED' "$perp" check impact.h5
    expect 5 'differs in step 33, .*bound/AP97 2.3' "$perp" replay margin.h5
    # the example of the documentation
    sed -n '/^```python$/,/^```$/p' "$docs/recording.md" | grep -v '^```' >example.py
    [ "$(wc -l <example.py)" -ge 3 ] || complain "docs/recording.md has no example"
    cp a.h5 run.h5
    $python example.py >example.out || complain "the example of docs/recording.md fails"
    grep -q '(301, 22, 7)' example.out || complain "the example prints $(cat example.out)"
else
    echo "python3-h5py is not installed; its tests are left out"
fi

# --- files that are no recordings, or damaged
head -c 30000 a.h5 >cut.h5
for command in info replay check; do
    expect 3 'truncated or damaged' "$perp" "$command" cut.h5
    expect 3 'not a recording of perp' "$perp" "$command" "$scenes/problems/block_local.hdf5"
done
expect 3 'not a recording' "$perp" info "$workshop"
expect 3 'not a recording' "$perp" diff a.h5 "$workshop"
expect 3 'cannot be read' "$perp" info missing.h5
mkfifo pipe.h5
for command in 'info' 'replay' 'plot' 'run --resume' 'diff a.h5'; do
    expect 3 'not a recording, but a folder, pipe or device' timeout 60 "$perp" $command pipe.h5
done
printf 'bodies:\n  a: {sphere: 0.1}\n' >a.yaml
expect 3 'not a recording, but' timeout 60 "$perp" convert pipe.h5 x.csv
(cat a.yaml >pipe.h5 &)
expect 0 '^bodies +1 with 6' timeout 60 "$perp" check pipe.h5 # a scene may come through one
rm pipe.h5
if $python -c 'import h5py' 2>/dev/null; then
    cp a.h5 newer.h5
    $python -c 'import h5py; h5py.File("newer.h5", "r+").attrs.modify("version", 4)'
    expect 3 'format version 4; this perp reads up to 3' "$perp" info newer.h5
fi

[ $failures = 0 ] || exit 1
