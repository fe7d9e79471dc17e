#!/bin/bash
# perp view from outside: pages, their names, and what it says about files that are no recordings.
# What the page does is tested in tests/viewer. Usage: test_view.sh PERP, from the sources' folder.
set -u
. tests/cli/expect.sh
perp=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset DISPLAY WAYLAND_DISPLAY

run=$folder/a.b/run.h5
mkdir "$folder/a.b"
"$perp" run scenes/examples/shapes.yaml -t 0.1 --quiet -o "$run" || complain "perp run"
"$perp" run scenes/examples/joints.yaml -t 0.1 --quiet -o "$folder/joints.h5" || complain "perp run"
"$perp" run scenes/examples/springs.yaml -t 0.1 --quiet --record poses -o "$folder/poses.h5" ||
    complain "perp run --record"

expect 0 '^Examples:' "$perp" view --help
expect 0 '^  view ' "$perp" --help
expect 2 'needs a recording' "$perp" view
expect 2 'either --html or --serve' "$perp" view "$run" --serve --html x.html
expect 2 'ghst' "$perp" view "$run" --ghst x
if "$perp" view "$run" 2>&1 | grep -q 'built without the viewer'; then
    echo "viewer not built: its pages are not tested" >&2
    [ "$failures" = 0 ]
    exit
fi

# what is no page is not replaced; links are followed
echo 'about: mine' >"$folder/mine.yaml"
mkfifo "$folder/pipe"
ln -s page.html "$folder/link.html"
expect 3 'mine.yaml: is there already, and not a page' "$perp" view "$run" --html "$folder/mine.yaml"
expect 3 'run.h5: is there already, and not a page' "$perp" view "$run" --html "$run"
expect 3 'pipe: a page needs a file' "$perp" view "$run" --html "$folder/pipe"
expect 0 '' "$perp" view "$run" --html "$folder/page.html"
expect 0 '' "$perp" view "$run" --html "$folder/link.html"
[ -L "$folder/link.html" ] || complain "a link was replaced"
[ "$(cat "$folder/mine.yaml")" = 'about: mine' ] || complain "a scene was written over"

# beside the recording, or where it is told; with a ghost; of a recording that has only poses
expect 0 "^page +$folder/a.b/run.html" "$perp" view "$run"
expect 0 "^page +$folder/mine" "$perp" view "$run" --html "$folder/mine"
expect 0 "^page" "$perp" view "$run" --ghost "$folder/joints.h5" --html "$folder/ghost.html"
expect 0 "^page" "$perp" view "$folder/poses.h5"
cmp "$folder/a.b/run.html" "$folder/mine" || complain "the same recording gives another page"
for page in "$folder/a.b/run.html" "$folder/ghost.html" "$folder/poses.html"; do
    grep -q 'id="perp-run"' "$page" || complain "$page has no data"
    grep -qE '(src|href)="?(https?:)?//' "$page" && complain "$page refers to the network"
done
grep -q 'id="perp-ghost"' "$folder/ghost.html" || complain "no ghost"

# what is no recording
expect 3 'none.h5' "$perp" view "$folder/none.h5"
expect 3 'README.md' "$perp" view README.md --html "$folder/x.html"
expect 3 'block_local.hdf5' "$perp" view scenes/problems/block_local.hdf5 --html "$folder/x.html"
expect 3 'ghost' "$perp" view "$run" --ghost "$folder/no-ghost.h5" --html "$folder/x.html"
head -c 3000 "$run" >"$folder/cut.h5"
expect 3 'cut.h5' "$perp" view "$folder/cut.h5" --html "$folder/x.html"
[ ! -e "$folder/x.html" ] || complain "a page of nothing"
expect 3 'no-folder' "$perp" view "$run" --html "$folder/no-folder/x.html"

# a port that is taken
"$perp" view "$run" --serve 0 --no-open >"$folder/serve.log" &
server=$!
for _ in $(seq 6000); do
    port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\)/.*|\1|p' "$folder/serve.log")
    [ -n "$port" ] && break
    sleep 0.1
done
expect 3 "port $port of 127.0.0.1" timeout 600 "$perp" view "$run" --serve "$port" --no-open
kill -INT "$server"
wait "$server" || complain "the server ends with $?"

[ "$failures" = 0 ]
