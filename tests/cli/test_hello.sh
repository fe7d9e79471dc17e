#!/bin/bash
# The README's program is tests/test_hello.c, word for word, and prints what the README says.
# Usage: test_hello.sh PERP
set -eu
perp=$1
hello=$(dirname "$perp")/tests/test_hello

diff <(sed -n '/^```c$/,/^```$/p' README.md | sed '1d;$d') <(sed 1d tests/test_hello.c) || {
    echo "the program in README.md is not tests/test_hello.c"
    exit 1
}
output=$("$hello")
case "$output" in
"z = (1.33333, 2.33333), solved, certificate "*) ;;
*)
    echo "unexpected: $output"
    exit 1
    ;;
esac
echo "1 passed, 0 failed"
