#!/bin/bash
# perp order from outside: orders of schemes, figures, JSON, mistakes.
# Usage: test_order.sh PERP, from the folder of the sources.
set -u
. tests/cli/expect.sh
perp=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
scenes=$PWD/scenes
cd "$folder" || exit 1

# usage
expect 0 '^Examples:' "$perp" order --help
expect 2 'order needs a scene' "$perp" order
expect 2 'unknown scheme defalt; did you mean default' "$perp" order x.yaml --scheme defalt
expect 2 '--steps is out of range' "$perp" order x.yaml --steps 1
expect 2 '--steps must be a whole number' "$perp" order x.yaml --steps many
expect 2 '--from must be a number above 0' "$perp" order x.yaml --from 0
expect 2 'neither --csv nor --strict' "$perp" order x.yaml --csv y
expect 2 'too many steps' "$perp" order "$scenes/chain.yaml" --from 1e-9
expect 3 'No such file' "$perp" order none.yaml

# a body that tumbles freely: second order, and first order
cat >tumble.yaml <<'YAML'
about: a body tumbles
gravity: [0, 0, 0]
run: {t: 1, h: 0.01}
bodies:
  body: {box: [0.1, 0.2, 0.4], spin: [2, 3, 1]}
YAML
"$perp" order tumble.yaml --scheme all --from 0.02 --steps 4 --json --svg order.svg --work work.svg \
    >order.json || complain "perp order tumble.yaml"
python3 - order.json <<'PYTHON' || complain "orders of tumble.yaml"
import json, sys

result = json.load(open(sys.argv[1]))
schemes = {s["scheme"]: s for s in result["schemes"]}
assert result["t"] == 1
for name, order in ("default", 2), ("anitescu-potra", 1):
    s = schemes[name]
    assert abs(s["order_q"] - order) < 0.25 and abs(s["order_v"] - order) < 0.35, s
    assert s["impacts"] == 0 and len(s["rows"]) == 4
    assert all(row["ledger"] >= 0 for row in s["rows"])
    errors = [row["error_q"] for row in s["rows"]]
    assert errors == sorted(errors, reverse=True) and errors[-1] > 0
    assert [row["h"] for row in s["rows"]] == [0.02, 0.01, 0.005, 0.0025]
    assert s["apart_q"] < 0.01
PYTHON
for figure in order.svg work.svg; do
    grep -q '</svg>' $figure || complain "$figure"
done
expect 3 'No such file' "$perp" order tumble.yaml --steps 2 --svg none/such.svg

# with impacts, said so
expect 0 'with impacts, [0-9]+ with a bounce' "$perp" order "$scenes/bouncing-ball.yaml" -t 1 --steps 2
expect 0 'no impact with a bounce' "$perp" order tumble.yaml --steps 2

# a step that fails
cat >rattle.yaml <<'YAML'
gravity: [0, 0, 0]
run: {t: 60, h: 20, scheme: anitescu-potra}
materials: {default: {mu: 0, restitution: 1}}
world:
  - {plane: [1, 0, 0], at: [-0.2, 0, 0]}
  - {plane: [-1, 0, 0], at: [0.2, 0, 0]}
bodies:
  ball: {sphere: 0.1, velocity: [2000, 0, 0]}
YAML
expect 1 'rattle.yaml with anitescu-potra: .*more than 1000 collisions' \
    "$perp" order rattle.yaml --from 20 --steps 2

[ "$failures" = 0 ] && echo "all passed"
exit "$((failures > 0))"
