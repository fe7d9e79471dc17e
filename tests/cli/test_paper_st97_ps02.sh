#!/bin/bash
# The entries of ST97 and PS02: every claim holds, files are written.
set -eu
perp=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for paper in st97 ps02; do
    "$perp" paper $paper -o "$folder" > "$folder/$paper.txt"
    ! grep -q FAILS "$folder/$paper.txt"
done
for file in st97-rod.csv st97-rod-figure-4.svg st97-rod-figure-5.svg st97-rod-figure-6.svg \
    st97-balls.csv st97-balls-figure-7.svg st97-balls-figure-8.svg st97-painleve.csv \
    ps02-ball.csv ps02-ball-iterates.svg ps02-corner.csv ps02-corner-velocities.svg \
    ps02-estimate.csv st97-rod-1996.csv st97-cones.csv st97-bounded.csv ps02-first-step.csv \
    ps02-lemma-3.csv ps02-metric.csv ps02-nonconvex.csv; do
    test -s "$folder/$file" || { echo "no $file"; exit 1; }
done
"$perp" paper ps02-ball --json -o "$folder" | grep -q '"off_closed_form"'
