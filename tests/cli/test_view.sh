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

# windows, of which a page holds every recorded step
expect 0 '^page' "$perp" view "$run" --window 0.02:0.04 --html "$folder/window.html"
expect 0 '^page' "$perp" view "$run" --window 0:9 --html "$folder/window.html"
expect 3 'nothing is recorded in that time' "$perp" view "$run" --window 8:9 --html "$folder/x.html"
for window in 1 1: :1 2:1 1:1 a:b 0:nan 0:1x; do
    expect 2 'two times in seconds' "$perp" view "$run" --window "$window"
done
expect 2 'no --window with --serve' "$perp" view "$run" --window 0:1 --serve
expect 2 'a scene for --set' "$perp" view "$run" --set a=1

# the start of a scene, here; what is wrong with it as perp check says it
(cd "$folder" && "$perp" view "$OLDPWD/scenes/examples/wall.yaml" --set rows=2 >start.txt) || complain "view SCENE"
grep -q '^page *wall.start.html' "$folder/start.txt" || complain "the name of the page of a scene"
grep -q 'id="perp-run"' "$folder/wall.start.html" || complain "no start"
"$perp" view - --html "$folder/piped.html" <scenes/examples/ball.yaml >/dev/null || complain "view -"
printf 'bodies:\n  a: {sphere: 1, colr: red}\n' >"$folder/wrong.yaml"
expect 3 'wrong.yaml:2:18: unknown key "colr"' "$perp" view "$folder/wrong.yaml" --html "$folder/x.html"
[ "$("$perp" view "$folder/wrong.yaml" 2>&1)" = "$("$perp" check "$folder/wrong.yaml" 2>&1)" ] || complain "not as perp check"
printf 'bodies:\n  a: {sphere: 1}\n  b: {sphere: 1, at: [1, 0, 0]}\n' >"$folder/overlap.yaml"
expect 0 'perp check has 1 warning$' "$perp" view "$folder/overlap.yaml" --html "$folder/overlap.html"
expect 2 'a recording for --window and --ghost' "$perp" view scenes/examples/ball.yaml --ghost "$run"

# a run with a page of its own: the same recording; it waits for Ctrl-C and keeps its exit code
run_live() { # how it ends after what, of a run with these options
    ending=$1 wait_for=$2
    shift 2
    "$perp" run "$@" --quiet --live 2>"$folder/live.txt" &
    live=$!
    for _ in $(seq 6000); do
        grep -q "$wait_for" "$folder/live.txt" && break
        sleep 0.1
    done
    kill -s "$ending" "$live"
    wait "$live" 2>/dev/null
}
"$perp" run scenes/examples/joints.yaml -t 0.1 --quiet -o "$folder/plain.h5"
run_live TERM 'stays until Ctrl-C' scenes/examples/joints.yaml -t 0.1 -o "$folder/live.h5"
[ $? = 0 ] || complain "perp run --live: $(cat "$folder/live.txt")"
grep -qE '^live +http://127.0.0.1:[0-9]+/' "$folder/live.txt" || complain "no address"
"$perp" diff "$folder/plain.h5" "$folder/live.h5" >/dev/null || complain "--live changes the run"
run_live TERM 'http:' scenes/examples/joints.yaml -t 1e4
[ $? = 130 ] || complain "perp run --live interrupted"
expect 3 'wrong.yaml:2:18' "$perp" run "$folder/wrong.yaml" --live
run_live KILL 'http:' scenes/examples/joints.yaml -t 1e4 -o "$folder/killed.h5"
port=$(sed -n 's/.*127.0.0.1:\([0-9]*\).*/\1/p' "$folder/live.txt" | head -n 1)
for _ in $(seq 6000); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    sleep 0.1
done
(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && complain "the page outlives its run"

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
