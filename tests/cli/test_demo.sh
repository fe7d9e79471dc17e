#!/bin/bash
# perp demo from outside: from any folder, with its files there or in a new folder.
# Usage: test_demo.sh PERP, from the folder of the sources.
set -u
. tests/cli/expect.sh
perp=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
demos=$PWD/scenes/demo
cp "$perp" "$folder/perp" && mkdir "$folder/away" && cd "$folder/away" || exit 1
perp=$folder/perp

expect 0 '^Examples:' "$perp" demo --help
expect 0 '^  demo ' "$perp" --help
expect 0 '^  workshop +a hammer knocks' "$perp" demo --list
expect 2 'there is no demo workshp; did you mean workshop' "$perp" demo workshp

# the scenes in the program are those of the sources
for scene in "$demos"/*.yaml; do
    cmp "$scene" <("$perp" demo "$(basename "$scene" .yaml)" --print) ||
        complain "$scene is not what is built in"
done

# the whole demo, as a newcomer runs it: everything it expects is met
expect 0 '^page +'"$folder/away/demo.html" "$perp" demo
[ -s demo.h5 ] && grep -q 'id="perp-run"' demo.html && cmp demo.yaml "$demos/workshop.yaml" ||
    complain "the files of the demo"
expect 0 'missed_steps": 0' "$perp" demo -t 0.1 --json
expect 0 'steps of 0.001 s' "$perp" demo workshop -t 0.02 -h 1e-3 --set mu=0.6
expect 0 "^time series +mine.csv" "$perp" demo -t 0.02 --csv mine.csv -o mine.h5
[ -s mine.h5 ] || complain "demo -o"

# a folder that cannot be written to (which nothing is for root)
if [ "$(id -u)" != 0 ]; then
    chmod -w .
    expect 0 '^page +/tmp/perp-demo-' "$perp" demo -t 0.02
    chmod +w .
fi

[ "$failures" = 0 ]
