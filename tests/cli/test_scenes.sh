#!/bin/bash
# Every scene in scenes/ runs and meets what it expects, also as its "# Also: OPTIONS" lines run it,
# and so does every example of the documentation.
# Usage: test_scenes.sh PERP [all|short], from the folder of the sources. Default: all, short for a
# program with sanitizers, which leaves out the large scenes and the variants.
set -u
. tests/cli/expect.sh
perp=$(realpath "$1")
scenes=$PWD/scenes
large=" arch brick-wall chain dominoes four-bar pile pyramid rover slider-crank spinning-top stack "
extent=${2:-all}
[ $# -lt 2 ] && grep -qa __asan_init "$perp" && extent=short
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# run SCENE OPTIONS...
run() {
    local scene=$1 output code start=$SECONDS
    shift
    output=$("$perp" run "$scenes/$scene.yaml" "$@" 2>&1 </dev/null)
    code=$?
    printf '%4d s  exit %d  %s\n' $((SECONDS - start)) "$code" "$scene $*"
    [ "$code" = 0 ] || complain "$scene $*: $(grep -E 'MISSED|^perp:|^reproduce' <<<"$output")"
    grep -q '^outcome *certified' <<<"$output" || complain "$scene $*: not certified"
}

for file in "$scenes"/*.yaml; do
    scene=$(basename "$file" .yaml)
    output=$("$perp" check --strict "$file" 2>&1) || complain "check $scene: $output"
    grep -q "^| \[$scene\]($scene.yaml)" "$scenes/README.md" ||
        complain "$scene is not in scenes/README.md"
    [ "$extent" = short ] && [[ $large == *" $scene "* ]] && continue
    run "$scene"
    [ "$extent" = short ] && continue
    while read -r line; do
        eval "options=($line)" # as a reader types it
        run "$scene" "${options[@]}"
    done < <(sed -n 's/^# Also: //p' "$file")
done

for file in "$scenes"/examples/*.yaml; do
    [ "$(basename "$file")" = ground.yaml ] || run "examples/$(basename "$file" .yaml)" # it is a part of others
done

[ "$failures" = 0 ]
