#!/bin/bash
# The README's C programs are tests/test_hello.c and examples/lcp.c, word for word but for their
# first comment, and print what the README says.
# Usage: test_hello.sh PERP
set -u
. tests/cli/expect.sh
build=$(dirname "$1")

# block N: the N-th C program of the README
block() { awk -v n="$1" '/^```c$/ { k++; inside = 1; next } /^```$/ { inside = 0 } inside && k == n' README.md; }

diff <(block 1) <(sed 1d tests/test_hello.c) || complain "the README's first program is not tests/test_hello.c"
diff <(block 2) <(sed 1d examples/lcp.c) || complain "the README's second program is not examples/lcp.c"

# the certificate depends on how LAPACK rounds
expect 0 '^height 0.5000 m, solved, certificate [0-9.]+e[-+][0-9]+$' "$build/tests/test_hello"
while IFS= read -r line; do
    grep -qxF -- "    $line" README.md || complain "it prints what the README does not say: $line"
done < <("$build/tests/test_hello" | sed 1d)
[ "$("$build/tests/test_hello" | grep -c contact)" = 4 ] || complain "there are not four contacts"
expect 0 '^z = \(1.33333, 2.33333\), solved, certificate ' "$build/examples/lcp"
expect 0 '^t = 1.5 s: hinge at .* certified$' "$build/examples/wrecking_ball"
[ $failures = 0 ] && echo "passed"
