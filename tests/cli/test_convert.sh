#!/bin/bash
# perp convert from outside: every format, read back by the libraries of those who will use it.
# Usage: test_convert.sh PERP, from the folder of the sources.
set -u
. tests/cli/expect.sh
perp=$(realpath "$1")
sources=$PWD
python=$PWD/build/python/bin/python
modules=$PWD/build/node/node_modules
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [ ! -x "$python" ] || [ ! -d "$modules/gltf-validator" ]; then
    echo "FAILED: the readers of other programs' files are missing: run tools/setup test" >&2
    exit 1
fi
cd "$folder" || exit 1

cat >yard.yaml <<'YAML'
about: one of every shape, thrown on the ground
run: {t: 0.4, h: 0.005}
bodies:
  ball: {sphere: 0.1, at: [0, 0, 0.3], velocity: [1, 0, -1], spin: [0, 3, 5]}
  box: {box: [0.2, 0.3, 0.4], at: [1, 0, 0.21], velocity: [0.5, 0, 0]}
  pill: {capsule: {radius: 0.1, length: 0.3}, at: [2, 0, 0.4], spin: [1, 0, 0]}
  can: {cylinder: {radius: 0.1, height: 0.2}, at: [3, 0, 0.2]}
  egg: {ellipsoid: [0.1, 0.1, 0.15], at: [4, 0, 0.3], spin: [1, 2, 3]}
  tetra: {hull: [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]], at: [5, 0, 0.3]}
  arm: {box: [0.4, 0.05, 0.05], at: [6.2, 0, 1]}
joints:
  pivot: {hinge: [world, arm], at: [6, 0, 1], axis: [0, 1, 0]}
world:
  - plane: [0, 0, 1]
  - {box: [0.5, 0.5, 0.5], at: [0, 3, 0]}
YAML
"$perp" run yard.yaml --quiet -o yard.h5 || exit 1

# usage
expect 0 '^Examples:' "$perp" convert --help
expect 2 'convert needs a recording and a file' "$perp" convert yard.h5
expect 2 'the ending tells no format.* \.glb' "$perp" convert yard.h5 yard.docx
expect 2 'unknown format gltff; did you mean gltf' "$perp" convert yard.h5 yard --to gltff
expect 2 'did you mean --steps' "$perp" convert yard.h5 yard.csv --step 1
expect 2 '--steps must be FIRST:LAST' "$perp" convert yard.h5 yard.csv --steps 9:3
expect 2 '--steps must be FIRST:LAST' "$perp" convert yard.h5 yard.csv --steps -3
expect 2 '--steps must be FIRST:LAST' "$perp" convert yard.h5 yard.csv --steps 1:x
expect 2 '--every must be' "$perp" convert yard.h5 yard.csv --every 0
expect 2 'would replace the recording itself' "$perp" convert yard.h5 ./yard.h5 --to csv

# bad input
expect 3 'none.h5: cannot be read' "$perp" convert none.h5 x.csv
expect 3 '^perp: yard.yaml: ' "$perp" convert yard.yaml x.csv
head -c 3000 yard.h5 >cut.h5
expect 3 '^perp: cut.h5: ' "$perp" convert cut.h5 x.csv
expect 3 'no frame of the recording lies in steps 900 to ' "$perp" convert yard.h5 x.csv --steps 900:
for ending in csv contacts.csv npz pvd glb mcap; do
    expect 3 'none/x.* cannot be (written|made)' "$perp" convert yard.h5 none/x.$ending
    [ -e x.$ending ] && complain "x.$ending was left behind"
done
expect 3 '/dev/full: cannot be written: not a regular file' "$perp" convert yard.h5 /dev/full --to csv

# every format, whole and thinned
for every in 1 7; do
    for ending in csv contacts.csv npz pvd glb mcap; do
        expect 0 "wrote out$every.$ending" "$perp" convert yard.h5 out$every.$ending --every $every
    done
    "$python" "$sources/tests/cli/read_exports.py" yard.h5 out$every $every ||
        complain "what was written with --every $every reads otherwise"
    node "$sources/tests/cli/validate_gltf.js" "$modules" out$every.glb ||
        complain "out$every.glb is not valid"
done
ls | grep -E '\.[0-9]+-[0-9]+$' && complain "a temporary file was left behind"

# the same bits again, and a file that was there is replaced
for ending in csv contacts.csv npz pvd glb mcap; do
    expect 0 wrote "$perp" convert yard.h5 again.$ending
    [ $ending = pvd ] || cmp out1.$ending again.$ending || complain "another $ending the second time"
    expect 0 wrote "$perp" convert yard.h5 again.$ending
done
diff -r out1 again >/dev/null || complain "other VTK files the second time"

# steps
expect 0 wrote "$perp" convert yard.h5 some.csv --steps 10:20
[ "$(wc -l <some.csv)" = 12 ] || complain "--steps 10:20 wrote $(wc -l <some.csv) lines"
sed -n '2s/,.*//p' some.csv | grep -qE '^0\.0(5|49999999)' || complain "--steps 10:20 begins elsewhere"
expect 0 wrote "$perp" convert yard.h5 some.csv --steps 10
[ "$(wc -l <some.csv)" = 2 ] || complain "--steps 10 wrote $(wc -l <some.csv) lines"
expect 0 wrote "$perp" convert yard.h5 other.txt --to csv
head -c 30 other.txt | grep -q '^t,kinetic,gravity' || complain "--to csv wrote something else"

# a recording with little in it, a world without bodies
expect 0 . "$perp" run yard.yaml -o few.h5 --record poses -t 0.05
printf 'run: {t: 0.01, h: 0.005}\nworld:\n  - plane: [0, 0, 1]\n' >empty.yaml
if "$perp" run empty.yaml --quiet -o empty.h5 2>/dev/null; then recordings="few empty"; else recordings=few; fi
expect 3 'few.h5: contacts/start: not recorded' "$perp" convert few.h5 few.contacts.csv
for name in $recordings; do
    for ending in csv npz pvd glb mcap; do
        expect 0 wrote "$perp" convert $name.h5 $name.$ending
    done
    node "$sources/tests/cli/validate_gltf.js" "$modules" $name.glb || complain "$name.glb is not valid"
    "$python" - $name <<'PYTHON' || complain "$name is read otherwise"
import sys, numpy, mcap.reader
name = sys.argv[1]
assert numpy.load(name + ".npz")["time"][0] == 0
with open(name + ".mcap", "rb") as file:
    assert mcap.reader.make_reader(file, validate_crcs=True).get_summary().statistics.message_count > 3
PYTHON
done

# FCLIB: another solve of a step's problem finds the motion that was recorded; the block tips then, and two of its four
# corners part
cat >slide.yaml <<'YAML'
run: {t: 0.1, h: 0.005}
materials: {default: {mu: 0.5}}
bodies:
  block: {box: [0.2, 0.2, 0.2], mass: 2, at: [0, 0, 0.1], velocity: [2, 0.3, 0]}
  arm: {box: [0.4, 0.05, 0.05], at: [0.2, 0, 1]}
joints:
  pivot: {hinge: [block, arm], at: [0, 0, 1], axis: [0, 1, 0]}
world:
  - plane: [0, 0, 1]
YAML
expect 3 'yard.h5: no problem was recorded; run again with --record-problems' "$perp" convert yard.h5 x.hdf5
"$perp" run slide.yaml --quiet -o slide.h5 --record-problems all --tolerance 1e-12 ||
    complain "the run with problems failed"
"$perp" run slide.yaml --quiet -o octagon.h5 --record-problems all --facets 8 ||
    complain "the run with problems on polygons failed"
expect 3 'none of the .* recorded problems is of the chosen steps' "$perp" convert slide.h5 x.hdf5 --steps 900
expect 0 'wrote slide-5.hdf5' "$perp" convert slide.h5 slide-5.hdf5 --steps 5
expect 0 'wrote octagon-5.hdf5' "$perp" convert octagon.h5 octagon-5.hdf5 --steps 5
"$perp" solve slide-5.hdf5 --tolerance 1e-12 --json >slide-5.json &&
    "$perp" solve octagon-5.hdf5 --facets 8 --json >octagon-5.json ||
    complain "the problem of step 5 was not solved"
for run in slide octagon; do
    "$python" - $run.h5 $run-5.hdf5 $run-5.json <<'PYTHON' || complain "step 5 of $run is solved otherwise"
import json, sys, h5py, numpy
recording, file = h5py.File(sys.argv[1], "r"), h5py.File(sys.argv[2], "r")["fclib_global"]
solved = json.load(open(sys.argv[3]))
assert file["spacedim"][0] == 3 and len(file["vectors/mu"]) == 2 == len(file["vectors/w"]) // 3
assert numpy.all(file["vectors/mu"][:] == 0.5) and file["G/n"][0] == 5 and file["M/m"][0] == 12
mass = numpy.zeros((12, 12)) # column by column
for j in range(12):
    for k in range(file["M/p"][j], file["M/p"][j + 1]):
        mass[file["M/i"][k], j] = file["M/x"][k]
assert numpy.allclose(numpy.diag(mass)[:3], 2) and numpy.all(numpy.linalg.eigvalsh(mass) > 0)
assert recording["step/number"][5] == 5
assert numpy.allclose(solved["v"][:3], recording["velocity"][5, 0, :3], atol=1e-9)
PYTHON
done
expect 0 'wrote 10 files' "$perp" convert slide.h5 many.hdf5 --steps 1:10
[ -e many-000007-0.hdf5 ] || complain "no many-000007-0.hdf5"
# a sensor with the name of a body, of a fixed column, of a joint's coordinate
cat >names.yaml <<'YAML'
run: {t: 0.01, h: 0.01}
bodies:
  ball: {sphere: 0.1, at: [0, 0, 1]}
joints:
  j: {slider: [world, ball], at: [0, 0, 1], axis: [0, 0, 1]}
sites:
  centre: {body: ball}
sensors:
  ball: {position: centre}
  t: {joint-position: j}
  j.q: {joint-position: j}
  other: {position: centre}
YAML
"$perp" run names.yaml --quiet --csv names.csv -o names.h5 || complain "sensors with the names of others failed"
"$perp" convert names.h5 converted.csv 2>/dev/null
for table in names.csv converted.csv; do
    head -1 $table | grep -q ',sensor.ball.x,sensor.ball.y,sensor.ball.z,sensor.t,sensor.j.q,other.x,' ||
        complain "$table: $(head -1 $table)"
    [ -z "$(head -1 $table | tr , '\n' | sort | uniq -d)" ] || complain "$table has two columns of one name"
done
cat >motor.yaml <<'YAML'
run: {t: 0.02, h: 0.005}
bodies:
  wheel: {sphere: 0.1, at: [0, 0, 0.1]}
joints:
  axle: {hinge: [world, wheel], at: [0, 0, 0.1], axis: [0, 1, 0], motor: {speed: 1, force: 0.1}}
YAML
"$perp" run motor.yaml --quiet -o motor.h5 --record-problems all || complain "the motor failed"
expect 3 'step 2 has a motor or joint friction with bounds' "$perp" convert motor.h5 x.hdf5 --steps 2

[ $failures = 0 ] || exit 1
