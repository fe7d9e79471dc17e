#!/bin/bash
# Verdicts of runs, on the command line: the outcome line, the exit code under --strict, JSON, in
# recordings; the accuracy that is asked for; random scenes.
# Usage: test_verdict.sh PERP
set -u
. tests/cli/expect.sh
perp=$(realpath "$1")
root=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

cat >stiff.yaml <<'Y'
gravity: [0, 0, 0]
bodies:
  a: {sphere: 0.1, mass: 1, at: [0.1, 0, 0]}
springs:
  s: {between: [world, a], from: [0, 0, 0], to: [0.1, 0, 0], stiffness: 1e6}
run: {t: 0.2, h: 1e-2, scheme: anitescu-potra}
Y
expect 0 '^outcome +certified steps, but not the run' "$perp" run stiff.yaml
expect 0 '^  but +the step is too long for the stiffest spring, damper or taut joint: h omega = 10 ' "$perp" run stiff.yaml
expect 0 'not certified: the energy rose by .* try steps of 1e-05 s$' "$perp" run stiff.yaml --quiet
expect 4 'not certified' "$perp" run stiff.yaml --strict
expect 0 '"certified": false' "$perp" run stiff.yaml --json
expect 0 '^outcome +certified: ' "$perp" run stiff.yaml --strict -h 1e-6 -t 1e-3
"$perp" run stiff.yaml -o stiff.h5 --quiet 2>/dev/null
expect 0 '^verdict +not certified: energy-gain.*fastest-mode' "$perp" info stiff.h5

cat >low.yaml <<'Y'
bodies:
  low: {box: [0.2, 0.2, 0.2], at: [0, 0, 0.05]}
world:
  - plane: [0, 0, 1]
Y
expect 3 'low.yaml:2:3: "low" and "world" overlap by 0.05 m at the start; move them' "$perp" run low.yaml
expect 3 'low.yaml:2:3: "low" and "world" overlap' "$perp" run low.yaml --accuracy 1e-3
expect 0 'moved apart by at most 0.05 m' "$perp" run low.yaml --overlap separate
expect 0 'outcome' "$perp" run low.yaml --overlap allow

# a run at a tenth of the accuracy confirms the estimate; of the boxes, whose impact and stops fall
# anywhere in a step, runs with h and h/2 agree on what both are off by
cat >boxes.yaml <<'Y'
run: {t: 1.2, h: 0.05}
materials: {default: {mu: 0.25, restitution: 0.4}}
world: [{plane: [0, 0, 1]}]
bodies:
  a: {box: [0.2, 0.2, 0.2], at: [0, 0, 0.1], velocity: [3, 0, 0]}
  b: {box: [0.2, 0.2, 0.2], mass: 3, at: [0.8, 0.02, 0.1]}
Y
end_of() {
    "$perp" run "${@:2}" --json --accuracy "$1" |
        python3 -c 'import json,sys; r = json.load(sys.stdin); print(r["accuracy"], *sum((b["position"] for b in r["bodies"].values()), []))'
}
confirm() { # ACCURACY A TENTH
    python3 - "$@" <<'P'
import sys
asked, tenth = (float(x) for x in sys.argv[1:3])
coarse, fine = ([float(x) for x in word.split()] for word in sys.argv[3:])
error = max(abs(a - b) for a, b in zip(coarse[1:], fine[1:]))
sys.exit(not (coarse[0] <= asked and fine[0] <= tenth and error <= coarse[0] + fine[0]))
P
}
bar=("$root/scenes/four-bar.yaml" -t 0.25)
confirm 1e-3 1e-4 "$(end_of 1e-3 "${bar[@]}")" "$(end_of 1e-4 "${bar[@]}")" || complain "the estimate of --accuracy is not confirmed"
confirm 1e-3 1e-4 "$(end_of 1e-3 boxes.yaml)" "$(end_of 1e-4 boxes.yaml)" || complain "that of the boxes is not"

# the laws of impact differ: whichever is in use is compared with the other; two balls have but one
cat >row.yaml <<'Y'
run: {t: 0.1, h: 1e-3}
gravity: [0, 0, 0]
parameters: {n: 3}
materials: {default: {mu: 0, restitution: 1}}
bodies: {cue: {sphere: 0.1, at: [-0.3, 0, 0], velocity: [5, 0, 0]}}
repeat: {for: {i: 1..n}, bodies: {"ball-{i}": {sphere: 0.1, at: [0.2*(i - 1), 0, 0]}}}
Y
expect 0 'differ by .* %; impacts: chooses' "$perp" run row.yaml
expect 0 'differ by .* %; impacts: chooses' "$perp" run row.yaml --impacts simultaneous
expect 0 'differ by .* %; impacts: chooses' "$perp" run row.yaml --set n=20 # made together
"$perp" run row.yaml --set n=1 2>&1 | grep -q 'impacts: chooses' && complain "two balls have one law"

# joints take nothing from a start at rest, whatever a motor does in the first step
cat >motor.yaml <<'Y'
run: {t: 0.01, h: 1e-3}
bodies: {a: {box: [0.5, 0.1, 0.1], at: [0.25, 0, 1]}}
joints: {h: {hinge: [world, a], at: [0, 0, 1], axis: [0, 1, 0], motor: {speed: 1e5, force: 1e8}}}
Y
expect 0 'not certified' "$perp" run motor.yaml
"$perp" run motor.yaml 2>&1 | grep -q 'do not allow' && complain "a start at rest is not closed"

expect 0 '^broken +0 verdicts' "$perp" soak --cases 8 --seed 5
expect 0 '"broken": 0' "$perp" soak --cases 2 --json
expect 0 '^case 722 of' "$perp" soak --first 722 --cases 1 --seed 7 --verbose # joints eliminated, polygons
expect 0 '^remedies +1 of 1 certified with the step advised, 0 told none' "$perp" soak --case 37 --seed 5 --remedies
# what joints take from the velocities of the start is not at play: 8.9 % of what is left, not 0.4
expect 0 'not certified' "$perp" soak --seed 4211 --case 1631
expect 2 'usage' "$perp" soak --cases x
[ "$failures" = 0 ]
