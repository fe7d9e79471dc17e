#!/bin/bash
# The commands of docs/gallery, each for one step only: scenes and options are there. Those of
# docs/plots.md, with short runs: their quantities are there.
# Usage: test_gallery.sh PERP, from the folder of the sources.
set -u
. tests/cli/expect.sh
perp=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$PWD/scenes" "$folder/scenes"
page=$PWD/docs/gallery/README.md
plots=$PWD/docs/plots.md
cd "$folder" || exit 1

commands=0
while read -r command; do
    run=${command%% && *}
    [ "${command##* && }" = "perp view run.h5" ] || complain "$command: no view"
    # the step that the options or the scene ask for, then no more; expectations are of the whole run
    "$perp" ${run#perp } -t 1e-9 --quiet >out.txt 2>&1
    case $? in 0 | 5) ;; *) complain "$run: $(cat out.txt)" ;; esac
    [ -e run.h5 ] || complain "$run: no recording"
    rm -f run.h5
    commands=$((commands + 1))
done < <(sed -n 's/^    perp /perp /p' "$page")
[ $commands -ge 25 ] || complain "the gallery has $commands commands"

while read -r command; do
    case $command in
    *"plot "*) eval "expect 0 '' \"\$perp\" ${command#perp }" ;; # quoted arithmetic
    *) "$perp" $(sed 's/^perp //; s/ || true//' <<<"$command") -t 0.05 >out.txt 2>&1
        case $? in 0 | 5) ;; *) complain "$command: $(cat out.txt)" ;; esac ;;
    esac
done < <(sed -n 's/^    perp /perp /p' "$plots" | sed 's/ --time [^ ]*//')
[ $failures = 0 ] || exit 1
