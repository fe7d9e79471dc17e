#!/bin/bash
# The programs of docs/custom-systems.md are examples/*.c, word for word, and print what it says.
# Usage: test_examples.sh PERP, from the folder of the sources.
set -eu
programs=$(dirname "$1")/examples
page=docs/custom-systems.md
passed=0

for name in double_pendulum bead_on_wire polar_particle; do # the others are of the README
    # the code block that begins with the first line of the program
    awk -v first="$(head -1 examples/$name.c)" '
        /^```c$/ { inside = 1; text = ""; next }
        /^```$/ { if (inside && index(text, first) == 1) printf "%s", text; inside = 0 }
        inside { text = text $0 "\n" }' $page | diff - examples/$name.c || {
        echo "the program $name in $page is not examples/$name.c"
        exit 1
    }
    while IFS= read -r line; do
        grep -qxF "    $line" $page || {
            echo "$name prints what $page does not say: $line"
            exit 1
        }
    done < <("$programs/$name")
    passed=$((passed + 1))
done
echo "$passed passed, 0 failed"
