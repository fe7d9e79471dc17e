// Strips of energy and residual over time, and a lane of event marks, with one cursor.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { byId, element, number } from "./format";
import type { Measure, Measures } from "./measures";
import { EVENT_COLOUR, HELD_COLOUR, type Theme } from "./palette";
import type { Player } from "./player";
import type { Run } from "./run";

interface Curve {
  series: string;
  label: string;
  light: string;
  dark: string;
  width?: number;
  dots?: boolean; // few frames have it
  measure?: Measure; // instead of a series
}

const ENERGY: Curve[] = [
  { series: "energy/mechanical", label: "mechanical", light: "#23262b", dark: "#e8eaed", width: 1.6 },
  { series: "energy/kinetic", label: "kinetic", light: "#cf6a45", dark: "#ef946f" },
  { series: "energy/potential", label: "potential", light: "#3f7fb0", dark: "#72b4e4" },
  { series: "energy/lost", label: "lost", light: "#8a8577", dark: "#8b95a1" },
];
const RESIDUAL: Curve[] = [
  { series: "certificate/worst", label: "residual", light: "#7b5cc4", dark: "#a68cf0" },
  { series: "held/residual", label: "slip held", ...HELD_COLOUR, dots: true },
];
const CURVES = [["#1f6fb2", "#6fb7ee"], ["#b3541e", "#f0995c"], ["#2c7d55", "#66c295"], ["#8a4fb0", "#c796ea"],
  ["#9c2f55", "#ee85a8"], ["#5d6470", "#b3bcc8"]];
const LEFT = 58;
const RIGHT = 12;

export class Timeline {
  private plots: uPlot[] = [];
  private height = 96; // px of a strip
  private legends: { plot: number; curve: number; label: HTMLElement; name: string }[] = [];
  private readonly lane = byId("events-lane") as HTMLCanvasElement;
  private readonly cursor = byId("cursor");
  private readonly strips = byId("strips");

  constructor(private readonly run: Run, private readonly player: Player, private readonly measures: Measures,
    private theme: Theme) {
    this.lane.addEventListener("pointerdown", (event) => this.pressLane(event));
    this.lane.addEventListener("pointermove", (event) => this.hoverLane(event));
    this.strips.addEventListener("pointerdown", (event) => this.scrub(event));
    this.rebuild(theme);
  }

  // Also after new data.
  rebuild(theme: Theme): void {
    this.theme = theme;
    for (const plot of this.plots) plot.destroy();
    this.strips.replaceChildren(this.cursor);
    this.plots = [];
    this.legends = [];
    const units = this.measured();
    this.height = this.chooseHeight(2 + units.size);
    this.addStrip("energy, J", ENERGY, false);
    for (const [unit, curves] of units) this.addStrip(`sensors${unit ? `, ${unit}` : ""}`, curves, false);
    this.addStrip("residual", RESIDUAL, true);
    this.drawLane();
    this.moveCursor();
  }

  // Those that are drawn, by their units.
  private measured(): Map<string, Curve[]> {
    const units = new Map<string, Curve[]>();
    for (const measure of this.measures.all) {
      if (!this.measures.drawn.has(measure.name)) continue;
      const curves = units.get(measure.unit) ?? [];
      const [light, dark] = CURVES[curves.length % CURVES.length];
      curves.push({ series: measure.name, label: measure.name, light, dark, measure });
      units.set(measure.unit, curves);
    }
    return units;
  }

  private has(curve: Curve): boolean {
    if (curve.measure) return true;
    const values = this.run.series.get(curve.series);
    return values !== undefined && (!curve.dots || values.some((value) => value > 0));
  }

  private addStrip(title: string, curves: Curve[], isLog: boolean): void {
    const known = curves.filter((curve) => this.has(curve));
    if (known.length === 0 || this.run.frames < 2) return;
    const holder = element("div", "strip");
    this.strips.append(holder);
    const stroke = (curve: Curve) => (this.theme.name === "light" ? curve.light : curve.dark);
    const data = known.map((curve) => this.values(curve, isLog));
    const plot = new uPlot({
      width: Math.max(this.strips.clientWidth, 100), height: (isLog ? 0.78 : 1) * this.height,
      padding: [isNarrow() && known.length > 2 ? 34 : 20, RIGHT, 7, 0], legend: { show: false }, cursor: { show: false },
      scales: { x: { time: false }, y: isLog ? { distr: 3, range: logRange } : {} },
      axes: [
        { show: false, size: 0 },
        { size: LEFT, stroke: this.theme.faint, font: "11px system-ui, sans-serif", gap: 4,
          grid: { stroke: `${this.theme.faint}2e`, width: 1 }, ticks: { show: false }, space: this.height < 70 ? 13 : 22,
          splits: isLog ? (_, __, low, high) => powers(low, high, this.height < 70 ? 1 : 2) : undefined, filter: (_, ticks) => ticks,
          values: (_, ticks) => ticks.map((tick) => (isLog ? power(tick) : compact(tick))) },
      ],
      series: [{}, ...known.map((curve) => ({
        label: curve.label, stroke: stroke(curve), width: curve.width ?? 1.2, points: { show: curve.dots ?? false, size: 3 },
      }))],
    }, [Array.from(this.run.t), ...data] as uPlot.AlignedData, holder);
    plot.root.setAttribute("aria-hidden", "true"); // the legend says it in words
    this.addLegend(holder, title, known, stroke);
    this.plots.push(plot);
  }

  // However many strips there are, most of the window is the picture's.
  private chooseHeight(strips: number): number {
    const most = window.innerHeight > 760 && !isNarrow() ? 96 : 80;
    return Math.max(48, Math.min(most, ((isNarrow() ? 0.3 : 0.38) * window.innerHeight) / strips));
  }

  private values({ series, measure }: Curve, isLog: boolean): (number | null)[] {
    const column = measure ? this.run.column(measure.kind, measure.column) : this.run.series.get(series)!;
    const values = Array.from(column, (value) => (Number.isFinite(value) ? value : null));
    return isLog ? values.map((value) => (value && value > 0 ? Math.max(value, 1e-20) : null)) : values;
  }

  private addLegend(holder: HTMLElement, title: string, curves: Curve[],
    stroke: (curve: Curve) => string): void {
    const legend = element("div", "legend");
    legend.append(element("b", "", title));
    curves.forEach((curve, k) => {
      const item = element("span");
      const label = element("i", "", curve.label);
      item.style.color = stroke(curve);
      item.append(label);
      legend.append(item);
      this.legends.push({ plot: this.plots.length, curve: k + 1, label, name: curve.label });
    });
    holder.append(legend);
  }

  private get width(): number {
    return Math.max(this.strips.clientWidth - LEFT - RIGHT, 1);
  }

  private xOf(t: number): number {
    const span = this.run.end - this.run.start || 1;
    return LEFT + ((t - this.run.start) / span) * this.width;
  }

  private tOf(event: PointerEvent): number {
    const x = event.clientX - this.strips.getBoundingClientRect().left;
    return this.run.start + ((x - LEFT) / this.width) * (this.run.end - this.run.start);
  }

  moveCursor(): void {
    this.cursor.style.transform = `translateX(${this.xOf(this.player.t)}px)`;
    const frame = this.player.frame;
    for (const { plot, curve, label, name } of this.legends) {
      const value = this.plots[plot].data[curve][frame];
      const text = `${name} ${value == null ? "–" : number(value, 4)}`;
      if (label.textContent !== text) label.textContent = text;
    }
  }

  // With shift: a window of which every step is wanted.
  private scrub(event: PointerEvent): void {
    const from = this.tOf(event);
    const isWindow = event.shiftKey;
    const move = (to: PointerEvent) => this.player.seek(this.tOf(to));
    const stop = (end: PointerEvent) => {
      if (isWindow) this.onWindow(Math.min(from, this.tOf(end)), Math.max(from, this.tOf(end)));
      this.strips.removeEventListener("pointermove", move);
      this.strips.removeEventListener("pointerup", stop);
      this.strips.removeEventListener("pointercancel", stop);
    };
    this.strips.setPointerCapture(event.pointerId);
    this.strips.addEventListener("pointermove", move);
    this.strips.addEventListener("pointerup", stop);
    this.strips.addEventListener("pointercancel", stop);
    move(event);
  }

  private drawLane(): void {
    const ratio = Math.min(window.devicePixelRatio, 2);
    const [width, height] = [this.strips.clientWidth, 16];
    this.lane.width = width * ratio;
    this.lane.height = height * ratio;
    const pen = this.lane.getContext("2d")!;
    pen.scale(ratio, ratio);
    pen.fillStyle = `${this.theme.faint}22`;
    pen.beginPath();
    pen.roundRect(LEFT, 3, this.width, height - 6, 5);
    pen.fill();
    this.drawHeld(pen, height);
    this.drawWindows(pen, height);
    pen.font = "11px system-ui, sans-serif";
    pen.fillStyle = this.theme.faint;
    pen.fillText("events", 2, 12);
    const largest = this.run.events.reduce((most, event) => Math.max(most, event.size), 1e-12);
    for (const event of this.run.events) {
      const size = 1.6 + 2.9 * Math.sqrt(Math.max(event.size, 0) / largest);
      pen.globalAlpha = this.run.events.length > 300 ? 0.35 : 0.75;
      pen.fillStyle = EVENT_COLOUR[event.kind] ?? this.theme.faint;
      pen.beginPath();
      pen.arc(this.xOf(event.t), height / 2, size, 0, 2 * Math.PI);
      pen.fill();
    }
    pen.globalAlpha = 1;
  }

  // A line under the events where slip was held.
  private drawHeld(pen: CanvasRenderingContext2D, height: number): void {
    pen.fillStyle = HELD_COLOUR[this.theme.name];
    for (let frame = 1; frame < this.run.frames; frame++) {
      if (!this.run.held(frame)) continue;
      const [from, to] = [this.xOf(this.run.t[frame - 1]), this.xOf(this.run.t[frame])];
      pen.fillRect(from, height - 3, Math.max(to - from, 1), 2);
    }
  }

  // A line above the events where every recorded step is here.
  private drawWindows(pen: CanvasRenderingContext2D, height: number): void {
    pen.fillStyle = this.theme.accent;
    for (const [from, to] of this.run.windows())
      pen.fillRect(this.xOf(from), 0, Math.max(this.xOf(to) - this.xOf(from), 2), height > 8 ? 2 : 1);
  }

  private eventNear(pointer: PointerEvent): number {
    const x = pointer.clientX - this.strips.getBoundingClientRect().left;
    let best = -1;
    let distance = 9;
    this.run.events.forEach((event, k) => {
      const d = Math.abs(this.xOf(event.t) - x);
      if (d < distance) [best, distance] = [k, d];
    });
    return best;
  }

  private pressLane(pointer: PointerEvent): void {
    const near = this.eventNear(pointer);
    if (near >= 0) this.onEvent(near);
    else this.player.seek(this.tOf(pointer));
  }

  onEvent: (index: number) => void = () => undefined;
  onWindow: (from: number, to: number) => void = () => undefined;

  private hoverLane(pointer: PointerEvent): void {
    const near = this.eventNear(pointer);
    this.lane.style.cursor = near >= 0 ? "pointer" : "default";
    const event = this.run.events[near];
    this.lane.title = event
      ? `${this.run.head.events[event.kind]} at ${event.t.toFixed(4)} s: ${this.run.bodyName(event.a)}`
      : "";
  }
}

const isNarrow = (): boolean => window.innerWidth <= 700;

const compact = (value: number): string =>
  Math.abs(value) >= 1e4 ? value.toExponential(0).replace("e+", "e") : String(Number(value.toPrecision(6)));

const power = (value: number): string => {
  const exponent = Math.round(Math.log10(value));
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const text = String(Math.abs(exponent)).replace(/\d/g, (digit) => digits[Number(digit)]);
  return `10${exponent < 0 ? "⁻" : ""}${text}`;
};

function logRange(_: uPlot, low: number | null, high: number | null): [number, number] {
  const from = Math.floor(Math.log10(low && low > 0 ? low : 1e-17));
  const to = Math.ceil(Math.log10(high && high > 0 ? high : 1e-15));
  return [10 ** from, 10 ** Math.max(to, from + 1)];
}

// Powers of ten at the ends of that many parts, about, however many the strip spans.
function powers(low: number, high: number, parts: number): number[] {
  const from = Math.round(Math.log10(low));
  const to = Math.round(Math.log10(high));
  const stride = Math.max(1, Math.ceil((to - from) / parts));
  const ticks = [];
  for (let e = from; e <= to; e += stride) ticks.push(10 ** e);
  return ticks;
}
