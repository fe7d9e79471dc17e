# perp sweep: plan, run, go on, status, collect, verify, plot; bad studies.
# Usage: bash tests/cli/test_sweep.sh PERP, from the folder of the sources.
perp=$(realpath "$1")
. tests/cli/expect.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

expect 0 'cases +18$' "$perp" sweep studies/ball.yaml --plan
expect 0 'time +about .* s of CPU' "$perp" sweep studies/ball.yaml --plan
[ "$("$perp" sweep studies/ball.yaml --plan --all | wc -l)" = 19 ] || complain "--all: a line a case"
for study in studies/*.yaml; do
    expect 0 '^cases' "$perp" sweep "$study" --plan -j 2
done

# a run, the same one again, in other chunks with another number of workers
expect 0 '18 of 18 have a row, 18 finished' "$perp" sweep studies/ball.yaml -o "$folder/a" -j 2
expect 0 '18 of 18 have a row, 18 finished' "$perp" sweep studies/ball.yaml -o "$folder/a" -j 2
expect 0 '18 finished' "$perp" sweep studies/ball.yaml -o "$folder/b" -j 3 --chunk 7
expect 0 '18 finished' "$perp" sweep status "$folder/b"
expect 0 '18 rows' "$perp" sweep collect "$folder/a" --results -o "$folder/a.csv"
expect 0 '18 rows' "$perp" sweep collect "$folder/b" --results -o "$folder/b.csv"
cmp "$folder/a.csv" "$folder/b.csv" || complain "chunks and workers change the table"
expect 0 '18 rows' "$perp" sweep collect "$folder/a"
head -1 "$folder/a/table.csv" | grep -qx \
    'case,e,drop,height,landed,lost,outcome,verdict,certificate,steps,t,reason,version,seconds,host' ||
    complain "columns: $(head -1 "$folder/a/table.csv")"
expect 0 '6 cases run again.* 0 differ' "$perp" sweep verify "$folder/a" --sample 6

# a case alone has the same numbers: what status would print as its command
height=$("$perp" run scenes/bouncing-ball.yaml --set e=0.9 --set drop=1 -t 1.2 -h 2e-3 --json 2>/dev/null |
    python3 -c 'import json, sys; print(repr(json.load(sys.stdin)["energy"]["impact"]))')
[ "$(tail -1 "$folder/a.csv" | cut -d, -f6)" = "$height" ] || complain "a case alone: impact $height"

# a row that is torn or changed is no row; the case is run again
rows=$(ls "$folder"/b/rows/000/00001.rows)
sed -i '2s/finished/finishes/; $s/.$//' "$rows"
mv "$rows" "${rows%.rows}.x.1-0.part"
expect 1 '2 of 18 cases are missing' "$perp" sweep collect "$folder/b" --results -o "$folder/c.csv"
expect 0 '18 finished' "$perp" sweep retry "$folder/b" -j 1
expect 0 '18 rows' "$perp" sweep collect "$folder/b" --results -o "$folder/b.csv"
cmp "$folder/a.csv" "$folder/b.csv" || complain "another table after torn rows"
# likewise in a file that was complete
sed -i '2s/finished/finishes/' "$rows"
expect 1 'missing +1 cases; perp sweep retry' "$perp" sweep studies/ball.yaml -o "$folder/b" -j 1
expect 0 '18 finished' "$perp" sweep retry "$folder/b" -j 1
expect 0 '18 rows' "$perp" sweep collect "$folder/b" --results -o "$folder/b.csv"
cmp "$folder/a.csv" "$folder/b.csv" || complain "another table after a damaged file"
sed -i 's/linspace: \[0.1, 0.9, 9\]/linspace: [0.1, 0.9, 3]/' "$folder/a/files/study/ball.yaml"
expect 3 'ball.yaml: was changed since the study was begun' "$perp" sweep status "$folder/a"
expect 3 'begun with another study' "$perp" sweep studies/ball.yaml -o "$folder/a"

# a folder goes on without the files that it was begun with, whether their names are absolute, links or both
mkdir "$folder/elsewhere" "$folder/links"
cp scenes/bouncing-ball.yaml "$folder/elsewhere/real.yaml"
printf 'scene: %s/links/link.yaml\nvary: {e: [0.3, 0.5]}\nrun: {t: 0.5, h: 1e-3}\nmeasure: {z: ball.z}\n' "$folder" \
    >"$folder/elsewhere/study.yaml"
ln -s ../elsewhere/real.yaml "$folder/links/link.yaml"
expect 0 '2 finished' "$perp" sweep "$folder/elsewhere/study.yaml" -o "$folder/apart" -j 1
cp "$folder/elsewhere/study.yaml" "$folder/study.yaml"
expect 0 '2 finished' "$perp" sweep "$folder/study.yaml" -o "$folder/apart" -j 1
sed -i 's/drop: 1/drop: 0.7/' "$folder/elsewhere/real.yaml"
expect 3 'begun with another study or scene' "$perp" sweep "$folder/study.yaml" -o "$folder/apart"
expect 0 '2 cases run again.* 0 differ' "$perp" sweep verify "$folder/apart"
rm -r "$folder/elsewhere"
expect 0 '2 cases run again.* 0 differ' "$perp" sweep verify "$folder/apart"

# a file that only some cases read is nowhere read: the rows do not depend on what is where the study runs
printf 'v -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\n' >"$folder/floor.obj"
cat >"$folder/repeated.yaml" <<'END'
parameters: {n: 0}
bodies: {ball: {sphere: 0.1, at: [0, 0, 1]}}
repeat: {for: {i: 1..n}, world: [{mesh: floor.obj}]}
END
printf 'scene: repeated.yaml\nvary: {n: [0, 1]}\nrun: {t: 0.01}\n' >"$folder/study.yaml"
expect 1 'case 1 refused: repeated.yaml:3:41: a file that the scene as it stands does not read' \
    "$perp" sweep "$folder/study.yaml" -o "$folder/some" -j 1
expect 0 '2 cases run again.* 0 differ' "$perp" sweep verify "$folder/some"

# figures
for figure in "x=e y=height colour=drop" "mean=height x=e colour=drop" "heat=lost x=e y=drop" "histogram=height" \
    "parallel=e,drop,height,lost colour=lost"; do
    # shellcheck disable=SC2086
    "$perp" plot "$folder/b" $figure --svg "$folder/figure.svg" || complain "plot $figure"
    python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' "$folder/figure.svg" || complain "SVG of $figure"
done
# a cell for each pair of levels, also on logarithmic axes; a bar if all values are the same
cells() { grep -c '<rect x=.* width="[0-9.]*[1-9][0-9.]*" height="[0-9.]*[1-9][0-9.]*" fill=' "$folder/figure.svg"; }
"$perp" plot "$folder/b" heat=lost x=e y=drop log=xy --svg "$folder/figure.svg"
[ "$(cells)" = $((18 + 48)) ] || complain "heat map on logarithmic axes: $(cells) rectangles"
"$perp" plot "$folder/b" histogram=steps --svg "$folder/figure.svg"
[ "$(cells)" = 1 ] || complain "histogram of a constant: $(cells) bars"
expect 2 'case goes down to 0: a logarithmic axis needs values above 0' "$perp" plot "$folder/b" x=e y=case log=y
expect 2 'log=z: expected x, y, xy or names' "$perp" plot "$folder/b" x=e y=case log=z
expect 2 'no column hight; did you mean height' "$perp" plot "$folder/b" x=e y=hight

# samples: strata of a Latin hypercube, conditions, derived parameters, values at which the scene fails
cp scenes/bouncing-ball.yaml "$folder/ball.yaml"
write() { cat >"$folder/study.yaml"; }
write <<'END'
scene: ball.yaml
vary:
  - latin: 8
    of: {e: {uniform: [0, 0.8]}}
  - n: [1, 2]
set: {drop: n/2}
where: e > 0.2 or n == 1
run: {t: 0.01*n, h: 1e-3}
measure: {z: ball.z, never: first(ball.z > 5)}
keep: 5
END
expect 0 'never occurred in 0 of 14' "$perp" sweep "$folder/study.yaml" -o "$folder/latin" -j 2
[ "$("$perp" sweep "$folder/study.yaml" --plan --all | tail -n +2 | awk -F, '$3 == 1 {print int($2*10)}' | sort | uniq |
    wc -l)" = 8 ] || complain "not one point a stratum"
[ "$(find "$folder/latin/recordings" -name '*.h5' | wc -l)" -ge 2 ] || complain "recordings of every 5th"
write <<'END'
scene: ball.yaml
vary: {r: [-0.1, 0.1, 0.2]}
run: {t: 0.1}
measure: {z: ball.z}
END
expect 1 '2 finished, 1 refused' "$perp" sweep "$folder/study.yaml" -o "$folder/fails" -j 1
expect 0 'case 0 refused: ball.yaml:15:18: sphere' "$perp" sweep status "$folder/fails"
expect 0 'reproduce: perp run .*fails/files/.*ball.yaml --set r=-0.1 -t 0.1' "$perp" sweep status "$folder/fails"
expect 0 '1 of 3 cases are not drawn: they did not finish, or lack a value' \
    "$perp" plot "$folder/fails" x=r y=z --svg "$folder/figure.svg"

# cases that the condition leaves out are not looked at either
write <<'END'
scene: ball.yaml
vary: {step: [-1, -2, -3, 1e-3]}
where: step > 0
run: {t: 0.1, h: step}
END
expect 0 '1 of 1 have a row, 1 finished' "$perp" sweep "$folder/study.yaml" -o "$folder/left-out" -j 1
expect 0 'time +about' "$perp" sweep "$folder/study.yaml" --plan

# schemes that vary are words in the plan, the table, the commands and the figures
write <<'END'
scene: ball.yaml
vary: {law: [default, trapezoidal], drop: [0.5, 1]}
run: {t: 0.05, h: 1e-3, scheme: law}
measure: {z: ball.z}
END
expect 0 '^ +2  trapezoidal  0.5' "$perp" sweep "$folder/study.yaml" --plan
expect 0 '4 finished' "$perp" sweep "$folder/study.yaml" -o "$folder/law" -j 2
expect 0 '4 rows' "$perp" sweep collect "$folder/law" -o "$folder/law.csv"
[ "$(cut -d, -f2 "$folder/law.csv" | tr '\n' ' ')" = "law default default trapezoidal trapezoidal " ] ||
    complain "words in the table: $(cat "$folder/law.csv")"
"$perp" plot "$folder/law" x=law y=z --svg "$folder/law.svg" || complain "plot of words"
grep -q '>trapezoidal</text>' "$folder/law.svg" || complain "no words at the axis"
"$perp" plot "$folder/law" "x=drop:height, m" y=z colour=law --svg "$folder/law.svg" || complain "colours of words"
grep -q '>height, m</text>' "$folder/law.svg" && grep -q '>trapezoidal</text>' "$folder/law.svg" || complain "labels and legend"

# other words of the run, numbers among them; a function behind a minus
write <<'END'
scene: ball.yaml
vary: {cone: [4, circular], hits: [sequential, simultaneous], law: [false, true]}
run: {t: 0.5, h: 1e-3, facets: cone, impacts: hits, exact: law, stabilise: none}
measure: {lowest: -largest(-ball.z), same: smallest(ball.z)-largest(ball.z*0)}
END
expect 0 '8 finished' "$perp" sweep "$folder/study.yaml" -o "$folder/words" -j 2
expect 0 '8 rows' "$perp" sweep collect "$folder/words" -o "$folder/words.csv"
[ "$(cut -d, -f2-4 "$folder/words.csv" | sed -n 7p)" = circular,sequential,true ] || complain "words: $(cat "$folder/words.csv")"
cut -d, -f5,6 "$folder/words.csv" | tail -n +2 | awk -F, '$1 != $2 || !($1 > 0 && $1 < 1) {exit 1}' ||
    complain "-largest(-x) is not smallest(x)"

# what somebody else's folder or file holds is left alone
mkdir "$folder/mine"
echo 'my plan' >"$folder/mine/plan"
expect 3 'mine: there is plan already; a study needs a new or empty folder' \
    "$perp" sweep studies/ball.yaml -o "$folder/mine"
[ "$(cat "$folder/mine/plan")" = 'my plan' ] || complain "somebody's plan is gone"
expect 3 'plan: there is a file already' "$perp" sweep studies/ball.yaml -o "$folder/mine/plan"
expect 2 'sweep needs -o DIR' "$perp" sweep studies/ball.yaml -o ''
echo 'my data' >"$folder/mine.csv"
expect 3 'mine.csv: is there already, and not a table' "$perp" sweep collect "$folder/b" -o "$folder/mine.csv"
expect 0 '18 rows' "$perp" sweep collect "$folder/b" -o "$folder/mine.csv" --force
expect 0 '18 rows' "$perp" sweep collect "$folder/b" -o "$folder/mine.h5"
expect 3 'mine.h5: is there already; --force replaces it' "$perp" sweep collect "$folder/b" -o "$folder/mine.h5"
expect 2 '--outcome: expected some of failed' "$perp" sweep retry "$folder/b" --outcome failed,finished

# bad studies: refused with their place before anything is made
bad() { # PATTERN, the study on standard input
    write
    expect 3 "$1" "$perp" sweep "$folder/study.yaml" -o "$folder/bad"
    [ ! -e "$folder/bad" ] || complain "made for a bad study: $1"
}
bad 'study.yaml:2:8: unknown parameter "ee"; the nearest is "e"' <<<'scene: ball.yaml
vary: {ee: [1]}'
bad 'study.yaml:2:11: e: an empty list' <<<'scene: ball.yaml
vary: {e: []}'
bad 'study.yaml:2:22: an empty grid' <<<'scene: ball.yaml
vary: {e: {linspace: [0, 1, 0]}}'
bad 'study.yaml:4:3: 1e\+09 cases up to here: at most 10000000' <<<'scene: ball.yaml
vary:
  e: {linspace: [0, 1, 1e6]}
  r: {linspace: [0.1, 1, 1e3]}
  drop: {linspace: [1, 2, 1e3]}'
bad 'study.yaml:3:14: unknown name "bal.x"' <<<'scene: ball.yaml
vary: {e: [0.5]}
measure: {x: bal.x}'
bad 'study.yaml:3:22: unknown name "ball.w"' <<<'scene: ball.yaml
vary: {e: [0.5]}
measure: {x: largest(ball.w)}'
bad 'study.yaml:3:14: unknown name "_0"' <<<'scene: ball.yaml
vary: {e: [0.5]}
measure: {x: _0 + largest(ball.z)}'
bad 'study.yaml:3:20: expected a name .* found "ball.z\)"; within \{...\} an expression with commas needs quotes' \
    <<<'scene: ball.yaml
vary: {e: [0.5]}
measure: {x: at(5, ball.z)}'
bad 'study.yaml:3:11: a parameter or a column of the table has the name "steps"' <<<'scene: ball.yaml
vary: {e: [0.5]}
measure: {steps: ball.z}'
bad 'study.yaml:3:8: where: it holds for none of the 2 cases' <<<'scene: ball.yaml
vary: {e: [0.1, 0.5]}
where: e > 1'
bad 'study.yaml:2:18: an empty grid: expected \[from, to, step\]$' <<<'scene: ball.yaml
vary: {e: {grid: [0.9, 0.1, 0.1]}}'
bad 'study.yaml:3:10: a run of 1 s in steps of -1 s: expected numbers above 0' <<<'scene: ball.yaml
vary: {n: [-1]}
run: {h: n, t: 1}'
bad 'study.yaml:3:14: unknown name "bal.x"' <<<'scene: ball.yaml
vary: {r: [-0.1, 0.1, 0.2]}
measure: {x: bal.x}'
bad 'study.yaml:2:8: words that vary are for the section run, such as run: \{scheme: law\}' <<<'scene: ball.yaml
vary: {law: [default, trapezoidal]}'
bad 'study.yaml:3:15: unknown scheme "3"; the nearest is' <<<'scene: ball.yaml
vary: {law: [default, 3]}
run: {scheme: law}'
bad 'study.yaml:3:15: facets: expected even numbers from 4 to 64 or circular, found "5"' <<<'scene: ball.yaml
vary: {cone: [5, circular]}
run: {facets: cone}'
bad 'study.yaml:3:14: exact: expected false or true, found "1"' <<<'scene: ball.yaml
vary: {e: [0.5]}
run: {exact: 1}'
bad 'study.yaml:3:15: facets: expected an even number from 4 to 64, or circular, found 8.5' <<<'scene: ball.yaml
vary: {e: [0.5]}
run: {facets: 17*e}'
bad 'study.yaml:3:15: facets: expected an even number from 4 to 64, or circular, found 7' <<<'scene: ball.yaml
vary: {e: [0.5]}
run: {facets: 7}'
bad 'study.yaml:3:18: tolerance: expected a number above 0, found -1' <<<'scene: ball.yaml
vary: {e: [0.5]}
run: {tolerance: -2*e}'
bad 'study.yaml:3:13: set: drop has no finite value here' <<<'scene: ball.yaml
vary: {e: [0.5]}
set: {drop: 1/(e - 0.5)}'
bad 'study.yaml:2:36: within: too far from the mean to be drawn' <<<'scene: ball.yaml
vary: {random: 3, of: {e: {normal: [0.5, 0.01], within: [0.9, 1]}}}'
bad 'study.yaml:3:22: unknown name "final"; final\(...\) is of the whole run' <<<'scene: ball.yaml
vary: {e: [0.5]}
measure: {x: largest(final(ball.z))}'
bad 'study.yaml:3:8: unknown name "law"' <<<'scene: ball.yaml
vary: {law: [default, trapezoidal]}
where: law > 0
run: {scheme: law}'
bad 'study.yaml:1:8: the scene .*none.yaml: ' <<<'scene: none.yaml
vary: {e: [0.5]}'
bad 'unknown key "mesure"; the nearest known key is "measure"' <<<'scene: ball.yaml
vary: {e: [0.5]}
mesure: {x: ball.x}'
expect 2 'sweep needs -o DIR' "$perp" sweep studies/ball.yaml
expect 3 'no folder of a study' "$perp" sweep status "$folder"

[ "$failures" = 0 ]
