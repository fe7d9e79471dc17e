#!/bin/bash
# perp plot from outside: quantities, messages, SVG that parses, terminal drawings.
# Usage: test_plot.sh PERP, from the folder of the sources.
set -u
. tests/cli/expect.sh
perp=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset COLUMNS LINES
cd "$folder" || exit 1

cat >slide.yaml <<'YAML'
about: a block is pushed and comes to rest; an arm swings
run: {t: 0.5, h: 0.005}
materials: {default: {mu: 0.5}}
bodies:
  block: {box: [0.2, 0.2, 0.2], mass: 2, at: [0, 0, 0.1], velocity: [2, 0, 0]}
  arm: {box: [0.4, 0.05, 0.05], at: [6.2, 0, 1]}
joints:
  pivot: {hinge: [world, arm], at: [6, 0, 1], axis: [0, 1, 0]}
world:
  - plane: [0, 0, 1]
YAML
"$perp" run slide.yaml --quiet -o a.h5 || exit 1
"$perp" run slide.yaml --quiet -o b.h5 -h 0.01 || complain "the coarse run failed"

# usage
expect 0 '^Examples:' "$perp" plot --help
expect 2 'plot needs a recording' "$perp" plot
expect 2 'plot needs a recording' "$perp" plot energy
expect 2 'plot needs a quantity' "$perp" plot a.h5
expect 2 'a.h5: no quantity enregy; did you mean energy' "$perp" plot a.h5 enregy
expect 2 'did you mean block.vx' "$perp" plot a.h5 blok.vx
expect 2 'did you mean pivot.q' "$perp" plot a.h5 pivto.q
expect 2 'force:blok,world needs' "$perp" plot a.h5 force:blok,world
expect 2 'contact:-1 needs' "$perp" plot a.h5 contact:-1
expect 2 'no quantity block.x:block.u' "$perp" plot a.h5 block.x:block.u
expect 2 'did you mean --term' "$perp" plot a.h5 energy --trem
expect 2 '--time must be FROM:TO' "$perp" plot a.h5 energy --time 3:1
expect 2 '--time must be FROM:TO' "$perp" plot a.h5 energy --time nan:1
expect 2 'no frame lies in the time' "$perp" plot a.h5 energy --time 100:
expect 2 '--size must be' "$perp" plot a.h5 energy --size 10x10
expect 3 'none.h5: cannot be read' "$perp" plot none.h5 energy
cp slide.yaml fake.h5
expect 3 '^perp: fake.h5: ' "$perp" plot fake.h5 energy
expect 3 'none/x.svg: cannot be written' "$perp" plot a.h5 energy --svg none/x.svg
expect 3 '/dev/full: cannot be written' "$perp" plot a.h5 energy --svg /dev/full
expect 0 '^  block arm$' "$perp" plot a.h5 --list
expect 0 '^energy/kinetic +J$' "$perp" plot a.h5 --list
expect 2 'no quantity 2 \* block.u' "$perp" plot a.h5 '2 * block.u'
expect 2 'no quantity \( block.x' "$perp" plot a.h5 '( block.x + 1'
expect 2 'no quantity block.x 1' "$perp" plot a.h5 'block.x 1'
expect 0 '>2 \* \( block.x - 1 \) / 0.5 \(m\)<' "$perp" plot a.h5 '2 * ( block.x - 1 ) / 0.5'

expect 0 '>pivot.v \(m/s or rad/s\)<' "$perp" plot a.h5 pivot.v
# panels below each other begin at the same left edge
"$perp" plot a.h5 block.x certificate penetration --svg panels.svg || complain "no panels"
[ "$(grep -o 'class="axis" d="M[0-9.]*' panels.svg | sort -u | wc -l)" = 1 ] ||
    complain "panels do not share their left edge"

# every quantity gives SVG that an XML reader takes; several kinds stand below each other
drawings=0
draw() {
    drawings=$((drawings + 1))
    "$perp" plot "$@" --svg x.svg || complain "plot $* failed"
    cp x.svg "drawing-$drawings.svg"
}
for quantity in energy residuals contacts penetration joint-gap balance certificate pivots \
    block.x block.speed arm.wy arm.qw pivot.q force:block,world force:block energy/kinetic \
    block.x:block.vx block.x:block.z step/problems; do
    draw a.h5 $quantity
    draw a.h5 b.h5 $quantity
done
draw a.h5 block.x block.vx energy arm.x
grep -c '^<g transform' x.svg | grep -qx 3 || complain "not three panels"
grep -q '>position (m)<' x.svg || complain "position has no label"
grep -q '>block.vx (m/s)<' x.svg || complain "velocity has no label"
draw a.h5 energy --title 'a < b & c' --size 500x300
grep -q 'width="500" height="300"' x.svg || complain "--size was not taken"
grep -q '>a &lt; b &amp; c</text>' x.svg || complain "--title was not taken"
for word in kinetic friction 'put in' 'energy (J)' 'time (s)'; do
    grep -q ">$word</text>" x.svg || complain "the energy has no $word"
done
draw a.h5 b.h5 block.x
grep -q '>block.x, b</text>' x.svg || complain "two runs are not told apart"
python3 - <<'PYTHON' || complain "a drawing is no XML"
import glob, xml.dom.minidom
for path in glob.glob("drawing-*.svg"):
    xml.dom.minidom.parse(path)
PYTHON

# the same bits each time; standard output gets SVG when it is no terminal
"$perp" plot a.h5 energy >one.svg
"$perp" plot a.h5 energy >two.svg
cmp one.svg two.svg || complain "other bits the second time"
head -c 4 one.svg | grep -q '<svg' || complain "no SVG on standard output"
[ -e x.svg.part ] && complain "a temporary file was left behind"

# a terminal: braille, as wide as it is
COLUMNS=60 LINES=20 "$perp" plot a.h5 block.x --term >text || complain "--term failed"
grep -q '⠤\|⠒\|⣀\|⠉' text || complain "no dots in the terminal"
[ "$(python3 -c 'print(max(len(l.rstrip("\n")) for l in open("text", encoding="utf-8")))')" -le 60 ] ||
    complain "wider than the terminal"
grep -q "$(printf '\033')" text && complain "colours where no terminal is"

# numbers: 2 kg weigh 19.62 N, and friction is half of that while the block slides
"$perp" plot a.h5 force:block,world --svg force.svg --time 0.1:0.3
grep -q '>normal, block,world</text>' force.svg || complain "no normal force"
python3 - <<'PYTHON' || complain "the forces are drawn elsewhere"
import re
svg = open("force.svg", encoding="utf-8").read()
ticks = [(float(y) - 4, float(v)) for y, v in re.findall(
    r'y="([\d.]+)" font-size="11" text-anchor="end">([\d.]+)<', svg)]
(y0, v0), (y1, v1) = ticks[0], ticks[-1]
value = lambda y: v0 + (y - y0) * (v1 - v0) / (y1 - y0)
normal, friction = (re.search(r'class="line l%d" d="M[\d.]+ ([\d.]+)' % k, svg).group(1) for k in (0, 1))
assert abs(value(float(normal)) - 19.62) < 0.02 and abs(value(float(friction)) - 9.81) < 0.02
PYTHON

[ $failures = 0 ] || exit 1
