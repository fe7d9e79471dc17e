#!/bin/bash
# perp run from outside: exit codes, messages, the summary, JSON, the time series.
# Usage: test_run.sh PERP, from the folder of the sources.
set -u
. tests/cli/expect.sh
perp=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
scenes=$PWD/scenes/examples
cd "$folder" || exit 1

cat >fall.yaml <<'YAML'
about: a ball in free fall
parameters: {z: 1, v: 0}
run: {t: 0.5, h: 0.01}
bodies:
  ball: {sphere: 0.1, at: [0, 0, z], velocity: [v, 0, 0]}
YAML
cat >wrong.yaml <<'YAML'
run: {t: 0.1}
bodies:
  ball: {sphere: 0.1, at: [0, 0, 1], velocity: [1, 0, 0]}
expect:
  - {name: it stands still, body: ball, velocity: [0, 0, 0], within: 1e-3}
  - {body: ball, position: [0.05, 0, 1 - 9.81*0.05^2/2], within: 1e-9, t: 0.05}
  - penetration: 1e-9
YAML
# a ball between two walls meets them more often in a step than anitescu-potra allows
cat >rattle.yaml <<'YAML'
gravity: [0, 0, 0]
run: {t: 60, h: 20, scheme: anitescu-potra}
materials: {default: {mu: 0, restitution: 1}}
world:
  - {plane: [1, 0, 0], at: [-0.2, 0, 0]}
  - {plane: [-1, 0, 0], at: [0.2, 0, 0]}
bodies:
  ball: {sphere: 0.1, velocity: [20, 0, 0]}
YAML

# usage
expect 0 '^Examples:' "$perp" run --help
expect 0 '^  run ' "$perp" --help
expect 2 'run needs a scene' "$perp" run
expect 2 'did you mean --json' "$perp" run fall.yaml --jsn
expect 2 '-t must be a number above 0, not -1' "$perp" run fall.yaml -t -1
expect 2 '-h must be a number above 0, not nan' "$perp" run fall.yaml -h nan
expect 2 '--tolerance must be' "$perp" run fall.yaml --tolerance 0
expect 2 '--facets must be an even number from 4 to 64 or circular, not 7' "$perp" run fall.yaml --facets 7
expect 2 '--every must be a whole number' "$perp" run fall.yaml --every 0.5
expect 2 'unknown scheme defalt; did you mean default' "$perp" run fall.yaml --scheme defalt
expect 2 'There are default, anitescu-potra' "$perp" run fall.yaml --scheme defalt
expect 2 '--stabilise: unknown word projct; did you mean project' \
    "$perp" run fall.yaml --stabilise projct
expect 2 '--jacobian: unknown word exat; did you mean exact' "$perp" run fall.yaml --jacobian exat
expect 0 'stabilise W' "$perp" run --help
expect 2 '--set needs NAME=VALUE, not z' "$perp" run fall.yaml --set z
expect 2 '--set needs a value' "$perp" run fall.yaml --set
expect 2 'unexpected argument b' "$perp" run a b

expect 2 '--without: unknown method nsg; did you mean nsgs\? There are free, ' \
    "$perp" run fall.yaml --without nsg
expect 2 'leave no method' "$perp" run fall.yaml --methods free --without free

# bad input, with its place
printf 'bodies:\n  ball: {sphere: -1}\n' >radius.yaml
printf 'bodies:\n  ball: {sphere: 1, mass: 1, inertia: [1, 1, 3]}\n' >inertia.yaml
expect 3 'none.yaml.*No such file' "$perp" run none.yaml
expect 3 '^perp: radius.yaml:2:[0-9]+: ' "$perp" run radius.yaml
expect 3 '^perp: inertia.yaml:2:3: body "ball": ' "$perp" run inertia.yaml
expect 3 'unknown parameter "y"' "$perp" run fall.yaml --set y=1
expect 3 'fall.yaml: 1e\+30 s in steps of .* are too many' "$perp" run fall.yaml -t 1e30
expect 3 'none/x.csv: cannot be written' "$perp" run fall.yaml --csv none/x.csv
expect 3 'full: cannot be written' "$perp" run fall.yaml --csv /dev/full

# the summary
expect 0 'scene +fall.yaml: a ball in free fall' "$perp" run fall.yaml
expect 0 'run +0.5 s, 50 steps of 0.01 s, scheme default, a circular cone' "$perp" run fall.yaml
expect 0 'scheme default, 8 facets' "$perp" run fall.yaml --facets 8
expect 0 'scheme stewart-trinkle, 8 facets' "$perp" run fall.yaml --scheme stewart-trinkle
expect 0 'outcome +certified: every step within the tolerance' "$perp" run fall.yaml
expect 0 '^  ball +0 +0 +-0.22625 ' "$perp" run fall.yaml
expect 0 '^  ball +1 +0 +0.77375 ' "$perp" run fall.yaml --set v=2 --set z=2
expect 0 '20 steps of 0.005 s, scheme anitescu-potra, 16 facets' \
    "$perp" run fall.yaml -t 0.1 -h 0.005 --scheme anitescu-potra --facets=16
# methods of the ladder: free flight needs but one, which finds nothing where things touch
expect 0 'outcome +certified' "$perp" run fall.yaml --methods free
expect 0 'outcome +certified' "$perp" run "$scenes/wall.yaml" -t 0.02 --without nsgs,proximal
expect 4 'step after t = 0 s failed' "$perp" run "$scenes/wall.yaml" -t 0.02 --methods free --strict
expect 4 '^reproduce: .* --exact --strict --methods free,apgd$' \
    "$perp" run "$scenes/wall.yaml" -t 0.02 --methods apgd,free --exact --strict --tolerance 1e-14
[ -z "$("$perp" run fall.yaml --quiet 2>&1)" ] || complain "--quiet is not quiet"
"$perp" run - <fall.yaml | grep -q '^scene' || complain "perp run - does not read standard input"

# options of schemes: the same in the scene and on the command line, which takes precedence
sed 's/h: 0.01/h: 0.01, stabilise: none, jacobian: exact, one-phase: true/' fall.yaml >options.yaml
expect 0 'certified' "$perp" run options.yaml
expect 0 'certified' "$perp" run fall.yaml --stabilise rows --jacobian approximate --linear \
    --printed-coriolis --one-phase --printed-decompression --printed-collisions --data middle \
    --first-step 0.5
expect 2 'data: unknown word midle; did you mean middle' "$perp" run fall.yaml --data midle
expect 2 'first-step must be a number, 0 or above' "$perp" run fall.yaml --first-step -1
sed 's/h: 0.01/h: 0.01, stabilise: projct/' fall.yaml >options.yaml
expect 3 'options.yaml:3:.*nearest known word is "project"' "$perp" run options.yaml
sed 's/h: 0.01/h: 0.01, linear: perhaps/' fall.yaml >options.yaml
expect 3 'options.yaml:3:.*linear' "$perp" run options.yaml
pendulum() {
    "$perp" run "$scenes/../four-bar.yaml" -t 0.2 --scheme anitescu-potra --json "$@" 2>/dev/null |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["joint_gap"] > 1e-9)'
}
[ "$(pendulum)$(pendulum --stabilise project)" = TrueFalse ] || complain "--stabilise project"

# a-priori bounds of the papers, and warnings
expect 0 'bounds +AP97 2.3 +holds, least margin' "$perp" run "$scenes/ball.yaml" -t 0.1 \
    --scheme anitescu-potra
expect 0 '"name": "AP97 2.3".*"holds": true' "$perp" run "$scenes/ball.yaml" -t 0.1 --json \
    --scheme anitescu-potra
cat >grow.yaml <<'YAML'
gravity: [0, 0, 0]
run: {t: 0.2, scheme: anitescu-potra, printed-decompression: true}
materials: {default: {mu: 0.9, restitution: 1}}
world: [{plane: [0, 0, 1]}]
bodies:
  box: {box: [1, 0.2, 0.2], at: [0, 0, 0.5], turn: {axis: [0, 1, 0], angle: 35 deg}, velocity: [3, 0, -3]}
YAML
expect 0 'warning in .* steps; the first: .*raised the kinetic energy' "$perp" run grow.yaml
expect 0 '"warned_steps": [1-9]' "$perp" run grow.yaml --json

# what the scene expects
expect 5 'MISSED +velocity of ball at t = 0.1 s: 1 0 -0.981, expected 0 0 0 within 0.001' \
    "$perp" run wrong.yaml
expect 5 'it stands still, wrong.yaml:5' "$perp" run wrong.yaml
expect 5 '^  met +position of ball at t = 0.05 s' "$perp" run wrong.yaml
expect 5 '1 of 3 expectations not met' "$perp" run wrong.yaml --quiet
expect 0 'not reached velocity of ball' "$perp" run wrong.yaml -t 0.06
expect 5 'MISSED +velocity of ball at t = 0.1 s: 1 0 -0.981' "$perp" run wrong.yaml -t 0.2

# JSON that a script can trust
"$perp" run wrong.yaml --json >result.json 2>messages
python3 - result.json <<'PYTHON' || complain "JSON of wrong.yaml"
import json, sys


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


result = json.load(open(sys.argv[1]), parse_constant=refuse_constant)
assert result["status"] == "finished" and result["scheme"] == "default"
assert result["steps"] == result["planned_steps"] == 100 and abs(result["t"] - 0.1) < 1e-12
assert result["missed_steps"] == 0 and result["certificate"]["worst"] <= result["tolerance"]
assert result["energy"]["balance"] < 1e-12
ball = result["bodies"]["ball"]
assert ball["rotation"] == [1, 0, 0, 0] and ball["spin"] == [0, 0, 0]
assert abs(ball["velocity"][2] + 0.981) < 1e-12
assert [e["verdict"] for e in result["expectations"]] == ["missed", "met", "met"]
assert result["expectations"][0]["line"] == 5 and result["expectations"][1]["t"] == 0.05
PYTHON

# the time series
"$perp" run fall.yaml --csv fall.csv --every 5 --quiet || complain "--csv"
python3 - fall.csv <<'PYTHON' || complain "time series of fall.yaml"
import csv, sys
rows = [{k: float(x) for k, x in row.items()} for row in csv.DictReader(open(sys.argv[1]))]
assert len(rows) == 11
for k, row in enumerate(rows):
    t = row["t"]
    assert abs(t - 0.05 * k) < 1e-12
    assert abs(row["ball.z"] - 1 + 9.81 * t * t / 2) < 1e-12 and abs(row["ball.vz"] + 9.81 * t) < 1e-12
    assert row["ball.qw"] == 1 and row["contacts"] == 0
    assert abs(row["kinetic"] + row["gravity"] - rows[0]["gravity"]) < 1e-9 * abs(rows[0]["gravity"])
PYTHON
sed 's/ball/"ball, red"/' fall.yaml >comma.yaml
"$perp" run comma.yaml --csv comma.csv --quiet || complain "a name with a comma"
head -1 comma.csv | grep -q ',"ball, red.x",' || complain "a comma in a name is not quoted"

# missed certificates: counted, or under --strict the end
expect 0 'substeps      1 of 1 steps divided, into at most 2' \
    "$perp" run "$scenes/../stack.yaml" --set n=7 -t 0.004 --tolerance 1e-30 --exact
expect 0 '"divided_steps": 0, "most_substeps": 1' "$perp" run "$scenes/ball.yaml" --json
expect 0 'warning: [0-9]+ of 50 steps missed the tolerance 1e-30' \
    "$perp" run "$scenes/incline.yaml" -t 0.05 --tolerance 1e-30
expect 4 'step after t = .* failed: ' "$perp" run "$scenes/incline.yaml" --tolerance 1e-30 --strict
expect 4 '^last good state: incline.failed.json' \
    "$perp" run "$scenes/incline.yaml" --tolerance 1e-30 --strict
expect 0 'outcome +certified' "$perp" run "$scenes/ball.yaml" --strict

# what is wrong with a model, and with a signal at load and at run time, has its place
controlled() { printf 'run: {t: 1, h: 0.01}\nbodies:\n  a: {sphere: 0.1}\njoints:\n  j: {slider: [world, a], at: [0, 0, 0], axis: [1, 0, 0]}\n%s\n' "$1" >controlled.yaml; }
controlled 'signals: {s: 2*j.angel}'
expect 3 'controlled.yaml:6:16: unknown name "j.angel"' "$perp" run controlled.yaml
controlled 'signals: {s: 1 + r, r: 2*s}'
expect 3 'controlled.yaml:6:[0-9]+: the signal "[rs]" depends on itself' "$perp" run controlled.yaml
controlled 'signals: {s: 1 + sqrt(-4)}'
expect 3 'controlled.yaml:6:18: sqrt\(-4\) is not a number' "$perp" run controlled.yaml
controlled 'actuators: {push: {joint: j, force: 1 + sqrt(0.505 - t)}}'
expect 1 'controlled.yaml:6:41: the step after t = 0.51 s failed: sqrt\(' "$perp" run controlled.yaml
controlled 'actuators: {push: {joint: j, force: t, gear: 0}}'
expect 3 'controlled.yaml:6:13: actuator "push": its gear is 0' "$perp" run controlled.yaml

# a failed step: the state is saved, and the command leads to the same place
expect 1 'rattle.yaml: the step after t = 0 s failed: .*collisions' "$perp" run rattle.yaml
python3 - rattle.failed.json <<'PYTHON' || complain "the saved state"
import json, sys
state = json.load(open(sys.argv[1]))
assert state["t"] == 0 and "collisions" in state["error"]
assert state["bodies"]["ball"]["velocity"] == [20, 0, 0]
PYTHON
"$perp" run rattle.yaml --json 2>/dev/null | grep -q '"status": "failed", "error": ".*collisions' ||
    complain "the JSON of a failed run does not say so"
"$perp" run "$scenes/incline.yaml" --tolerance 1e-30 --strict 2>first >/dev/null
again=$(sed -n 's/^reproduce: perp //p' first)
eval "\"$perp\" $again" 2>second >/dev/null
[ -n "$again" ] && cmp first second || complain "the command does not reproduce: $again"

# --- messages of the kind that newcomers need
expect 0 '^Examples:' "$perp" help run
expect 0 '^Examples:' "$perp" run -h
expect 2 'did you mean run' "$perp" help rnu
newcomer=$(mktemp -d)
printf 'run: {dt: 0.1}\nbodies: {b: {sphere: 0.1}}\n' >"$newcomer/dt.yaml"
printf 'bodies: {b: {sphere: 10 cm}}\n' >"$newcomer/cm.yaml"
printf 'bodies:\n\tb: {sphere: 1}\n' >"$newcomer/tab.yaml"
mkfifo "$newcomer/pipe.obj"
printf 'world: [{mesh: pipe.obj}]\n' >"$newcomer/pipe.yaml"
expect 3 'dt.yaml:1:7: unknown key "dt"; here it is called "h"' "$perp" check "$newcomer/dt.yaml"
expect 3 'cm.yaml:1:25: .*numbers are in SI units' "$perp" check "$newcomer/cm.yaml"
expect 3 'tab.yaml:2:1: a tab; YAML is indented with spaces' "$perp" check "$newcomer/tab.yaml"
expect 3 'pipe.yaml:1:16: .*not a file' "$perp" check "$newcomer/pipe.yaml"
rm -r "$newcomer"

[ "$failures" = 0 ]
