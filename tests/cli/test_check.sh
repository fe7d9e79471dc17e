#!/bin/bash
# perp check from outside: what it lists, what it warns of and where, exit codes.
# Usage: test_check.sh PERP, from the folder of the sources.
set -u
. tests/cli/expect.sh
perp=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
scenes=$PWD/scenes/examples
cd "$folder" || exit 1

# warns PATTERN SCENE: exactly this one warning, of which --strict makes exit code 4
warns() {
    echo "$2" >scene.yaml
    expect 0 '^warnings +1$' "$perp" check scene.yaml
    expect 4 "^  scene.yaml:$1" "$perp" check scene.yaml --strict
}

# usage and bad input
expect 0 '^Examples:' "$perp" check --help
expect 0 '^  check ' "$perp" --help
expect 2 'check needs a scene' "$perp" check
expect 2 'did you mean --strict' "$perp" check x.yaml --strct
printf 'bodies:\n  ball: {sphere: 0.1, mass: 1, inertia: [1, 1, 3]}\n' >inertia.yaml
printf 'bodies:\n  ghost: {at: [0, 0, 1]}\n' >massless.yaml
expect 3 'inertia.yaml:2:3: body "ball"' "$perp" check inertia.yaml
expect 3 'massless.yaml:2:[0-9]+: ' "$perp" check massless.yaml
printf 'bodies:\n  a: {sphere: 0.1}\njoints:\n  rod: {distance: [world, a], from: [0, 0, 1], to: [0, 0, 0], length: 2}\n' >rod.yaml
expect 3 'rod.yaml:4:3: joint "rod": its length is 2 m' "$perp" check rod.yaml
expect 3 'No such file' "$perp" check none.yaml
printf 'v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n' >line.obj
printf 'world:\n  - plane: [0, 0, 1]\n  - mesh: line.obj\n' >mesh.yaml
expect 3 'mesh.yaml:3:5: none of the 1 triangles has an area' "$perp" check mesh.yaml

# what is listed
expect 0 '^bodies +9 with 54 velocities' "$perp" check "$scenes/joints.yaml"
expect 0 '^joints +9 with 29 equations' "$perp" check "$scenes/joints.yaml"
expect 0 '^  door +64 +6 +1 +24.7467 21.3419 3.42187' "$perp" check "$scenes/joints.yaml"
expect 0 '^  cardan +universal +world, shaft; at ' "$perp" check "$scenes/joints.yaml"
expect 0 '^  post +fixed +0 +1' "$perp" check "$scenes/bodies.yaml"
expect 0 '^  uses .*ground.yaml' "$perp" check "$scenes/yard.yaml"
expect 0 'bodies +60 with 360 velocities' "$perp" check "$scenes/wall.yaml" --set rows=12

# what is warned of
warns '4:3: "low" and "world" overlap by 0.05 m at the start' 'world:
  - plane: [0, 0, 1]
bodies:
  low: {box: [0.2, 0.2, 0.2], at: [0, 0, 0.05]}'
warns '[23]:3: "(a|b)" and "(a|b)" overlap by 0.02 m' 'bodies:
  b: {sphere: 0.1, at: [0.18, 0, 0]}
  a: {sphere: 0.1}'
warns '2:3: body "a": its inertia needs matter 1 m from the centre' 'bodies:
  a: {sphere: 0.1, mass: 1, inertia: [1, 1, 1]}'
warns '2:3: body "a": principal moments from 1e-06 to 0.1 kg' 'bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 1e-6]}
joints: {pin: {ball: [world, a], at: [0, 0, 0]}}'
warns '4:3: the prescribed motion of "a" begins 0.5 m or rad from where it is' 'motions:
  a: {position: ["0.5", "0", t]}
bodies:
  a: {mass: 1, inertia: [1, 1, 1]}'
warns '5:13: the motion of "drive" begins 0.2 m or rad from its length' 'joints: {j: {slider: [world, a], at: [0, 0, 0], axis: [1, 0, 0]}}
bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
# the signal does not begin with 0
actuators: {drive: {joint: j, motion: 0.2 + t}}'
warns '2:3: body "a" has no shape, joint, spring, actuator or motion' 'bodies:
  a: {mass: 1, free: point}'
warns '3:3: masses are more than 1e\+06 apart: "b" has' 'bodies:
  a: {sphere: 10}
  b: {sphere: 0.01, at: [20, 0, 0]}'
warns '2:6: the height field is of flat facets: .* 3.8 % of its energy there \(11 deg\)' 'world:
  - {height-field: {cell: [1, 1], heights: [[0, 0, 0], [0, 0, 0.2], [0, 0, 0]]}}
bodies:
  ball: {sphere: 0.1, at: [0, 0, 3]}'
warns '4:3: joint "door": its limits 0.5 and 1 exclude where it starts, ' 'bodies:
  a: {sphere: 0.1}
joints:
  door: {hinge: [world, a], at: [0, 0, 0], axis: [0, 0, 1], limits: [0.5, 1]}'
warns ' material "ice": no shape is made of it' 'materials: {ice: {mu: 0.1}}
bodies:
  a: {sphere: 0.1}'

# the examples are clean
for scene in "$scenes"/*.yaml; do
    case $scene in */ground.yaml) continue ;; esac # a part of others, without bodies
    expect 0 '^warnings' "$perp" check "$scene"
done

# JSON
echo 'bodies: {"a\"b": {sphere: 0.1, at: [0.15, 0, 0]}, c: {sphere: 0.1}}' >quote.yaml
"$perp" check quote.yaml --json >result.json || complain "--json"
python3 - result.json <<'PYTHON' || complain "JSON of quote.yaml"
import json, sys
result = json.load(open(sys.argv[1]))
assert [body["name"] for body in result["bodies"]] == ['a"b', "c"]
assert abs(result["bodies"][0]["principal_inertia"][0] / (0.4 * result["bodies"][0]["mass"] * 0.01)
           - 1) < 1e-9
assert len(result["warnings"]) == 1 and "overlap by 0.05 m" in result["warnings"][0]["text"]
assert result["warnings"][0]["line"] == 1 and result["files"] == ["quote.yaml"]
PYTHON

[ "$failures" = 0 ]
