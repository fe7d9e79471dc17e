#!/bin/bash
# perp solve from outside: exit codes, messages with their places, JSON that a script can trust.
# Usage: test_solve.sh PERP, from the folder of the sources.
set -u
. tests/cli/expect.sh
perp=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# the program itself
expect 0 '^Examples:' "$perp" --help
expect 0 '^  solve' "$perp" help
expect 0 '^perp [0-9]+\.[0-9]+\.[0-9]+$' "$perp" --version
expect 2 'usage: perp COMMAND' "$perp"
expect 2 'unknown command sovle; did you mean solve' "$perp" sovle
expect 2 'run `make bench`' "$perp" bench no-such-benchmark
expect 0 '^Examples:' "$perp" bench --help
expect 2 'unknown option' "$perp" bench --jsn
"$perp" --help >/dev/full 2>/dev/null && complain "a full disk goes unnoticed"

# benchmarks are programs beside perp
cp "$perp" "$folder/perp"
printf '#!/bin/sh\necho "benchmark $*"\nexit 7\n' >"$folder/perp-bench-lcp"
chmod +x "$folder/perp-bench-lcp"
expect 7 '^benchmark --quick$' "$folder/perp" bench
expect 7 '^benchmark --quick --json$' "$folder/perp" bench --json
expect 7 '^benchmark --json$' "$folder/perp" bench lcp --json
expect 7 '^benchmark --only this$' "$folder/perp" bench lcp --only this
expect 2 'run `make bench`' "$folder/perp" bench ../perp-bench-lcp

# usage of solve
expect 0 '^Examples:' "$perp" solve --help
expect 2 'needs a problem file' "$perp" solve
expect 2 'did you mean --json' "$perp" solve --jsno x.json
expect 2 '--solver needs a value' "$perp" solve x.json --solver
expect 2 '--json takes no value' "$perp" solve x.json --json=1
expect 2 'did you mean lemke' "$perp" solve x.json --solver lemkee
expect 2 'unexpected argument b' "$perp" solve a b
expect 2 '--tolerance must be' "$perp" solve x.json --tolerance 0
expect 2 '--tolerance must be' "$perp" solve x.json --tolerance=1e-9x
expect 2 '--facets must be' "$perp" solve x.json --facets 7
expect 2 '--write needs a name' "$perp" solve x.json --write out.txt

# bad input, with its place
printf '{"M": [[1, 2],\n       [3]],\n "q": [1, 2]}' >"$folder/short.json"
printf '{"M": [[1]], "q": [NaN]}' >"$folder/nan.json"
printf '\211HDF\r\n\032\nnot really' >"$folder/fake.hdf5"
expect 3 'short.json:2:8: row 2 of M has length 1, expected 2' "$perp" solve "$folder/short.json"
expect 3 'nan.json:1:20: q: NaN and infinity' "$perp" solve "$folder/nan.json"
expect 3 'none.json: cannot be read: No such file' "$perp" solve "$folder/none.json"
expect 3 'fake.hdf5: HDF5 cannot open' "$perp" solve "$folder/fake.hdf5"
expect 3 'cannot be written' "$perp" solve scenes/problems/murty.json --write /none/x.json
expect 3 'only a problem that was read from an FCLIB file' \
    "$perp" solve scenes/problems/murty.json --write "$folder/x.hdf5"

# outcomes
expect 0 'outcome +solved' "$perp" solve scenes/problems/murty.json
expect 0 'within the tolerance \(1e-06\)' "$perp" solve scenes/problems/murty.json --tolerance 1e-6
expect 4 'outcome +infeasible' "$perp" solve scenes/problems/infeasible.json
expect 4 'not solved to the tolerance' "$perp" solve scenes/problems/infeasible.json --json
echo '{"M": [[2]], "q": [-1]}' | "$perp" solve - | grep -qE '^z +0\.5$' ||
    complain "perp solve - does not read standard input"
echo '{"M": [[2, 0], [0]], "q": [-1, 1]}' | "$perp" solve - 2>&1 |
    grep -q '/dev/stdin:1:16: row 2 of M' || complain "no place for an error in standard input"

expect 0 'outcome +solved' "$perp" solve -- scenes/problems/incline.json

# FCLIB: the circular law, both layouts; a judge of its own for r and u
expect 0 'of the exact circular law' "$perp" solve scenes/problems/block_local.hdf5
expect 0 '^solved by +(nsgs|newton)' "$perp" solve scenes/problems/masses_global.hdf5
expect 3 'choose facets' "$perp" solve scenes/problems/block_local.hdf5 --write "$folder/x.json"
"$perp" solve scenes/problems/block_local.hdf5 --tolerance 1e-10 --json >"$folder/local.json" ||
    complain "block_local.hdf5: not solved to 1e-10"
python3 - "$folder/local.json" <<'PYTHON' || complain "block_local.hdf5: its law"
import json, sys
result = json.load(open(sys.argv[1]))
assert result["kind"] == "local" and result["certificate"]["worst"] <= 1e-10
r, u, mu = result["r"], result["u"], 0.6
for k in range(0, len(r), 2):  # planar: open, stuck or sliding
    assert r[k] > -1e-9 and u[k] > -1e-9 and min(r[k], u[k]) < 1e-9
    assert abs(r[k + 1]) <= mu * r[k] + 1e-9
    assert abs(u[k + 1]) < 1e-9 or abs(r[k + 1] + mu * r[k] * (1 if u[k + 1] > 0 else -1)) < 1e-9
PYTHON
"$perp" solve scenes/problems/masses_global.hdf5 --write "$folder/round.json" >"$folder/first" &&
    "$perp" solve "$folder/round.json" >"$folder/second" || complain "round groups as JSON"
diff <(grep -vE '^(file|work)' "$folder/first") <(grep -vE '^(file|work)' "$folder/second") ||
    complain "another solution after --write of round groups"

# polygons in its place, and the way back
expect 0 'planar: two directions are exact' "$perp" solve scenes/problems/block_local.hdf5 --facets 8
expect 0 'polygon of 16 facets' "$perp" solve scenes/problems/masses_global.hdf5 --facets=16
for file in scenes/problems/*.hdf5; do
    "$perp" solve "$file" --facets 8 --json --write "$folder/copy.hdf5" >"$folder/first.json" &&
        "$perp" solve "$folder/copy.hdf5" --facets 8 --json --write "$folder/again.hdf5" \
            >"$folder/second.json" ||
        complain "$file: --write"
    cmp <(grep -v seconds "$folder/first.json") <(grep -v seconds "$folder/second.json") ||
        complain "$file: another solution after --write"
    python3 - "$folder/first.json" <<'PYTHON' || complain "$file: circular residual"
import json, sys
result = json.load(open(sys.argv[1]))
assert 0 <= result["circular"]["residual"] < 0.2
assert result["kind"] == "lcp" or sorted(result["v_index"]) == list(range(len(result["v"])))
PYTHON
done
cat scenes/problems/block_local.hdf5 | "$perp" solve - 2>&1 | grep -q 'not seekable' ||
    complain "HDF5 from a pipe: no clear message"

# every example: JSON that parses, and a certificate that can be recomputed
for file in scenes/problems/*.json; do
    "$perp" solve "$file" --json >"$folder/result.json" 2>/dev/null
    python3 tests/cli/check_result.py "$file" "$folder/result.json" || complain "$file: result"

    "$perp" solve "$file" --write "$folder/copy.json" >"$folder/first" 2>/dev/null
    "$perp" solve "$folder/copy.json" --write "$folder/again.json" >"$folder/second" 2>/dev/null
    cmp "$folder/copy.json" "$folder/again.json" || complain "$file: --write is not stable"
    diff <(grep -vE '^(file|work)' "$folder/first") <(grep -vE '^(file|work)' "$folder/second") ||
        complain "$file: another solution after --write"
done

# the solvers by name
for solver in auto lemke; do
    expect 0 'outcome +solved' "$perp" solve scenes/problems/mixed.json --solver $solver
done

# the ladder: its trace, and methods left out
masses=scenes/problems/masses_global.hdf5
expect 0 '^    nsgs  +nonsmooth Gauss-Seidel' "$perp" solve --help
expect 2 '--methods needs a value' "$perp" solve $masses --methods
expect 2 'unknown method nsgz; did you mean nsgs\? There are free, ' "$perp" solve $masses --methods nsgz
expect 2 '--without: unknown method newtn; did you mean newton' \
    "$perp" solve $masses --without nsgs,newtn
expect 2 'unknown method ;' "$perp" solve $masses --without nsgs,
expect 2 'leave no method' "$perp" solve $masses --methods nsgs --without nsgs
expect 2 'an LCP is solved by --solver alone' "$perp" solve scenes/problems/murty.json --trace
expect 2 'an LCP is solved by --solver alone' "$perp" solve scenes/problems/block_local.hdf5 --facets 8 \
    --without nsgs
expect 0 '^newton-local +Newton, local map, dense +2 +[0-9]+ +[0-9.e+-]+ +[0-9.e+-]+ +[0-9.]+  yes$' "$perp" solve $masses --trace
expect 0 '^newton +Newton, natural map +2 +[0-9]+ +[0-9.e+-]+ +[0-9.e+-]+ +[0-9.]+  yes$' "$perp" solve $masses --trace \
    --without newton-local
expect 0 '^solved by +newton$' "$perp" solve $masses --without newton-local,nsgs
expect 4 '^solved by +nsgs$' "$perp" solve $masses --methods nsgs
expect 0 '^solved by +nsgs$' "$perp" solve $masses --methods=nsgs,free --tolerance 1e-4
expect 0 '^solved by +nsgs$' "$perp" solve scenes/problems/block_local.hdf5 --without newton-local \
    --tolerance 1e-3

# methods_of FILE [OPTION...]: those that ran, in order
methods_of() {
    "$perp" solve "$@" --trace --json 2>/dev/null | python3 -c '
import json, sys
result = json.load(sys.stdin)
assert all(rung["work"] >= 0 and rung["seconds"] >= 0 for rung in result["trace"])
print(*(rung["method"] for rung in result["trace"]))'
}
[ "$(methods_of $masses)" = "free newton-local" ] || complain "the rungs of $masses"
[ "$(methods_of $masses --without newton-local)" = "free nsgs newton" ] || complain "--without newton-local"
[ "$(methods_of $masses --without newton-local,nsgs)" = "free newton" ] || complain "--without newton-local,nsgs"
[ "$(methods_of $masses --methods nsgs)" = nsgs ] || complain "--methods nsgs"
"$perp" solve $masses --json | grep -q trace && complain "a trace that nobody asked for"

[ "$failures" = 0 ]
