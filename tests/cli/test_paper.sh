#!/bin/bash
# perp paper from outside: the list, an entry as text and JSON, its files, mistakes.
# Usage: test_paper.sh PERP, from the folder of the sources.
set -u
. tests/cli/expect.sh
perp=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
scenes=$PWD/scenes
cd "$folder" || exit 1

# usage
expect 0 '^Examples:' "$perp" paper --help
expect 0 '^ap97  M. Anitescu' "$perp" paper
expect 0 '^  ap97-counterexample  ' "$perp" paper
for key in ap97 pagt06 st97 l82 ps02; do
    expect 0 "^$key  " "$perp" paper
done
expect 2 'no entry ap97-counterexampel; did you mean ap97-counterexample' \
    "$perp" paper ap97-counterexampel
expect 2 'unexpected argument b' "$perp" paper a b
expect 3 'No such file' "$perp" paper ap97-counterexample -o none/such

# an entry: text, files, JSON
expect 0 '^  holds ' "$perp" paper ap97-counterexample -o out
expect 0 '^files in out' "$perp" paper ap97-counterexample -o out
[ "$(cat out/ap97-counterexample.csv)" = "LeGeL/2,LGL/2,difference,least-eigenvalue
6.5,6,0.5,2" ] || complain "CSV of ap97-counterexample"
"$perp" paper ap97-energy -o out --json >energy.json || complain "ap97-energy"
[ -s out/ap97-energy-bound.svg ] && head -1 out/ap97-energy-bound-points.csv |
    grep -qx 'series,x,y' || complain "files of ap97-energy"
python3 - energy.json <<'PYTHON' || complain "JSON of ap97-energy"
import json, sys


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


entry = json.load(open(sys.argv[1]), parse_constant=refuse_constant)
assert entry["name"] == "ap97-energy" and len(entry["rows"]) == 4
assert all(claim["holds"] is True and claim["text"] for claim in entry["claims"])
assert entry["figures"] == ["ap97-energy-bound.svg"] and entry["notes"] and "printed" in entry
for row in entry["rows"]:
    assert row["margin(2.22)"] > -1e-9 and row["sqrt(vMv)"] <= row["bound"] and row["impacts"] > 0
PYTHON
xmllint --noout out/*.svg 2>/dev/null || python3 -c '
import glob, xml.dom.minidom
[xml.dom.minidom.parse(f) for f in glob.glob("out/*.svg")]' || complain "an SVG is no XML"

# all of a paper: every claim holds, the list is JSON
"$perp" paper ap97 -o all --json >all.json || complain "perp paper ap97"
python3 -c '
import json
entries = json.load(open("all.json"))
assert len(entries) == 7, len(entries)
assert all(c["holds"] for e in entries for c in e["claims"])' || complain "JSON of ap97"

[ "$failures" = 0 ] && echo "all passed"
exit "$((failures > 0))"
