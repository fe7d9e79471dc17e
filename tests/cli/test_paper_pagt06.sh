#!/bin/bash
# The entries of PAGT06: Table 10.1 against the printed digits, and the claims of the figures.
# Usage: test_paper_pagt06.sh PERP, from the folder of the sources.
set -u
perp=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$perp" paper pagt06-table-10.1 --json -o "$folder" >"$folder/table.json" || exit 1
python3 - "$folder/table.json" <<'PYTHON' || exit 1
import json, sys
printed = """
2.38e-03 1.27e-03 3.18e-03
6.14e-04 3.14e-04 8.29e-04 3.88 4.04 3.84
1.54e-04 7.82e-05 2.14e-04 3.97 4.01 3.88
3.95e-05 1.95e-05 5.48e-05 3.91 4.00 3.90
1.01e-05 4.88e-06 1.37e-05 3.92 4.00 3.99
2.42e-06 1.22e-06 3.44e-06 4.17 4.00 3.99
6.15e-07 3.05e-07 8.60e-07 3.93 4.01 4.00
"""
rows = json.load(open(sys.argv[1]))["rows"]
lines = [line.split() for line in printed.split("\n") if line]
assert len(rows) == len(lines) == 7
equal = 0
for k, (row, line) in enumerate(zip(rows, lines)):
    assert row["h"] == 2.0 ** -(5 + k), row
    found = [row["E"], -row["E1"], -row["E2"]]
    equal += sum("%.2e" % x == y for x, y in zip(found, line))
    for x, y in zip((row["R0"], row["R1"], row["R2"]), line[3:]):
        assert abs(x - float(y)) < 0.01 * float(y), (row, y)
print(f"{equal} of 21 errors agree in all printed digits")
assert equal >= 20
PYTHON

for entry in order figure-2 figure-4 figure-5 pawl; do
    "$perp" paper "pagt06-$entry" -o "$folder" >"$folder/text" 2>&1 || {
        cat "$folder/text"
        exit 1
    }
    [ "$entry" = order ] || ls "$folder"/pagt06-$entry*.svg >/dev/null || exit 1
done
