#!/bin/bash
# The entries of L82, but for the collapse of the building, which takes long: all claims hold.
# Usage: test_paper_l82.sh PERP
set -u
perp=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0
for entry in hinged-bar ball-on-string edge impulse ratchet accumulation table degenerate \
    quadratic bounded; do
    if ! "$perp" paper "l82-$entry" -o out >"$entry.txt" 2>&1; then
        echo "perp paper l82-$entry failed:"
        cat "$entry.txt"
        failed=1
    fi
done
[ -s out/l82-hinged-bar-history.svg ] || { echo "no figure of the hinged bar"; ls out; failed=1; }
exit $failed
