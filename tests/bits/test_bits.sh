#!/bin/bash
# The same bits for every kernel that the processor can run, on 1 to 5 threads, and for every
# compiler whose program is given: the hashes of tests/bits/hashes.txt. LAPACK rounds as processors
# let it, so one of its kernels is asked for; another version of it, or of the C library, has hashes
# of its own, which are then compared with each other only.
# Usage: test_bits.sh PROGRAM..., from the folder of the sources; PIN=1 writes the hashes anew.
set -u
. tests/cli/expect.sh
export OPENBLAS_CORETYPE=Prescott # any x86-64 has it
pins=tests/bits/hashes.txt
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

versions() {
    uname -m
    dpkg-query -W -f '${Package} ${Version}\n' libc6 libopenblas0-serial 2>/dev/null
}

can_run() { # KERNEL
    case $1 in
    plain) true ;;
    avx2) grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo ;;
    avx512) grep -qw avx512f /proc/cpuinfo ;;
    esac
}

# scene and hash, a line a scene; scenes that depend on the number of threads have several
summary() { awk '/^kernel/ { next } { print $1, $3 }' "$1" | sort -u; }

ran=""
for program in "$@"; do
    name=$(basename "$(dirname "$(dirname "$program")")")/$(basename "$program")
    kernel=${program##*_}
    case $kernel in plain | avx2 | avx512) can_run "$kernel" || { echo "$name: not on this processor" && continue; } ;; esac
    "$program" >"$folder/all.txt" || complain "$name failed"
    case $kernel in
    plain | avx2 | avx512) grep -qx "kernel $kernel" "$folder/all.txt" || complain "$name has another kernel" ;;
    esac
    summary "$folder/all.txt" >"$folder/found.txt"
    awk '{ print $1 }' "$folder/found.txt" | uniq -d | while read -r scene; do
        echo "FAILED: $name, $scene: the number of threads changes the bits"
    done | tee "$folder/threads.txt" >&2
    [ -s "$folder/threads.txt" ] && failures=$((failures + 1))
    [ -e "$folder/first.txt" ] || cp "$folder/found.txt" "$folder/first.txt"
    while read -r scene hash; do
        grep -qx "$scene $hash" "$folder/first.txt" || complain "$name, $scene: other bits than $1"
    done <"$folder/found.txt"
    ran="$ran $name ($(head -1 "$folder/all.txt"))"
done

[ "${PIN:-}" ] && { versions | sed 's/^/# /'; cat "$folder/first.txt"; } >$pins
if [ "$(versions | sed 's/^/# /')" = "$(grep '^#' $pins)" ]; then
    while read -r scene hash; do
        grep -qx "$scene $hash" $pins || complain "$scene: $hash is not what $pins says; PIN=1 if it is meant"
    done <"$folder/first.txt"
    compared="and with $pins"
else
    compared="$pins is of other versions of the libraries"
fi
echo "compared:$ran; $compared"
[ $failures = 0 ]
