// A recorded run as the page sees it: frames from one or more chunks, read at any time.
import { NUMBERS, type Chunk, type ContactColumns, type Head, type Mesh, type Numbers, type Payload, type RunEvent } from "./payload";

export interface ContactSpan {
  columns: ContactColumns;
  first: number;
  count: number;
  frame: number; // whose contacts these are
}

const ROOT_HALF = Math.SQRT1_2;

export class Run {
  head: Head;
  readonly meshes: Mesh[];
  events: RunEvent[];
  readonly chunks: Chunk[] = [];
  private chunkOf: number[] = []; // of each frame
  private placeOf: number[] = []; // in its chunk
  t: Float64Array = new Float64Array(0);
  series: Map<string, Float64Array> = new Map();

  constructor(payload: Payload) {
    if (!payload.head) throw new Error("the data have no head");
    this.head = payload.head;
    this.meshes = payload.meshes;
    this.events = payload.events ?? [];
    this.append(payload);
  }

  isServed = false;

  get frames(): number {
    return this.chunkOf.length;
  }

  // Still being written, as far as one can tell from the file.
  get isGrowing(): boolean {
    return this.isServed && !this.head.closed;
  }

  // The start of a scene, without a run.
  get isStart(): boolean {
    return !this.isServed && this.head.frames === 1;
  }

  get bodies(): number {
    return this.head.bodies.length;
  }

  get end(): number {
    return this.frames > 0 ? this.t[this.frames - 1] : 0;
  }

  get start(): number {
    return this.frames > 0 ? this.t[0] : 0;
  }

  // Also for data that arrive later: of a run that is still going on, or all frames of a window.
  append(payload: Payload): void {
    if (payload.head) this.head = { ...payload.head, stride: Math.max(payload.head.stride, this.head.stride) };
    if (payload.events) this.events = payload.events;
    for (const chunk of payload.chunks) {
      if (chunk.count === 0) continue;
      const isNext = this.frames === 0 || chunk.frame[0] > this.recordedFrame(this.frames - 1);
      this.chunks.push(chunk);
      if (isNext) this.placeBehind(this.chunks.length - 1);
      else this.placeAll();
    }
    if (payload.chunks.length > 0) this.joinSeries();
  }

  private placeBehind(chunk: number): void {
    for (let k = 0; k < this.chunks[chunk].count; k++) {
      this.chunkOf.push(chunk);
      this.placeOf.push(k);
    }
  }

  // In the order of the recorded frames; of a frame that is there twice the later one counts.
  private placeAll(): void {
    const places = new Map<number, [number, number]>();
    this.chunks.forEach((chunk, c) => chunk.frame.forEach((frame, k) => places.set(frame, [c, k])));
    const order = Array.from(places.keys()).sort((a, b) => a - b);
    this.chunkOf = order.map((frame) => places.get(frame)![0]);
    this.placeOf = order.map((frame) => places.get(frame)![1]);
  }

  private join(part: (chunk: Chunk) => ArrayLike<number>): Float64Array {
    const parts = this.chunks.map(part);
    return Float64Array.from(this.chunkOf, (c, f) => parts[c][this.placeOf[f]] ?? NaN);
  }

  private joinSeries(): void {
    this.t = this.join((chunk) => chunk.t);
    this.head.series.forEach((name, s) => this.series.set(name, this.join((c) => c.series[s])));
    this.addUp("potential", ["gravity", "spring"]);
    this.countFromLowest("energy/potential");
    this.addUp("mechanical", ["kinetic", "potential"]);
    this.addUp("lost", ["friction", "impact", "damper", "scheme"]);
  }

  private addUp(sum: string, parts: string[]): void {
    const known = parts.map((part) => this.series.get(`energy/${part}`)).filter((part) => part !== undefined);
    if (known.length === 0) return;
    this.series.set(`energy/${sum}`,
      Float64Array.from(this.t, (_, f) => known.reduce((total, part) => total + part[f], 0)));
  }

  // A potential has no zero of its own; from its lowest value on, it is what can become motion.
  private countFromLowest(name: string): void {
    const values = this.series.get(name);
    const lowest = values?.reduce((least, value) => Math.min(least, value), Infinity) ?? 0;
    if (values) this.series.set(name, values.map((value) => value - lowest));
  }

  // The last frame at or before t.
  frameAt(t: number): number {
    let low = 0;
    let high = Math.max(this.frames - 1, 0);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.t[middle] <= t + 1e-12) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  recordedFrame(frame: number): number {
    return this.chunks[this.chunkOf[frame]]?.frame[this.placeOf[frame]] ?? 0;
  }

  // The first frame here whose recorded frame is at or after that one.
  frameOfRecorded(recorded: number): number {
    for (let f = 0; f < this.frames; f++) if (this.recordedFrame(f) >= recorded) return f;
    return Math.max(this.frames - 1, 0);
  }

  // Times of which every recorded frame is here, where others are thinned out.
  windows(): [number, number][] {
    const found: [number, number][] = [];
    if (this.head.stride < 2) return found;
    for (let f = 0; f + 1 < this.frames; f++) {
      let last = f;
      while (last + 1 < this.frames && this.recordedFrame(last + 1) === this.recordedFrame(last) + 1) last++;
      if (last > f + 1) found.push([this.t[f], this.t[last]]);
      f = Math.max(f, last - 1);
    }
    return found;
  }

  private firstColumn(chunk: Chunk, kind: Numbers): number {
    return chunk.widths.slice(0, NUMBERS.indexOf(kind)).reduce((sum, width) => sum + width, 0);
  }

  // How many columns of the kind the page holds.
  width(kind: Numbers): number {
    return this.chunks[0]?.widths[NUMBERS.indexOf(kind)] ?? 0;
  }

  // One number of a frame, NaN if the page does not have it.
  number(kind: Numbers, column: number, frame: number): number {
    const chunk = this.chunks[this.chunkOf[frame]];
    if (!chunk || column >= chunk.widths[NUMBERS.indexOf(kind)]) return NaN;
    return chunk.numbers[(this.firstColumn(chunk, kind) + column) * chunk.count + this.placeOf[frame]];
  }

  // The same over all frames.
  column(kind: Numbers, column: number): Float64Array {
    return this.join((chunk) => {
      const from = (this.firstColumn(chunk, kind) + column) * chunk.count;
      return column < chunk.widths[NUMBERS.indexOf(kind)] ? chunk.numbers.subarray(from, from + chunk.count) : [];
    });
  }

  // Position and rotation w x y z of all bodies, 7 each.
  readPoses(frame: number, out: Float32Array): void {
    const chunk = this.chunks[this.chunkOf[frame]];
    if (!chunk) return;
    const base = this.placeOf[frame] * 6 * this.bodies;
    for (let body = 0; body < this.bodies; body++) {
      const from = base + 6 * body;
      const to = 7 * body;
      for (let axis = 0; axis < 3; axis++)
        out[to + axis] = chunk.low[3 * body + axis] +
          chunk.unit[3 * body + axis] * chunk.pose[from + axis];
      readRotation(chunk.pose, from + 3, out, to + 3);
    }
  }

  // Poses at a time between frames.
  readPosesAt(t: number, out: Float32Array, scratch: Float32Array): void {
    const frame = this.frameAt(t);
    this.readPoses(frame, out);
    if (frame + 1 >= this.frames) return;
    const part = (t - this.t[frame]) / (this.t[frame + 1] - this.t[frame]);
    if (!(part > 1e-6)) return;
    this.readPoses(frame + 1, scratch);
    blend(out, scratch, Math.min(part, 1), this.bodies);
  }

  // Velocity of the origin and spin, m/s and rad/s; null if the page does not have it.
  velocity(frame: number, body: number): number[] | null {
    const chunk = this.chunks[this.chunkOf[frame]];
    if (!chunk || chunk.velocity.length === 0) return null;
    const at = (this.placeOf[frame] * this.bodies + body) * 6;
    return Array.from({ length: 6 }, (_, i) => chunk.velocity[at + i] * chunk.velocityUnit[6 * body + i]);
  }

  // The contacts of the frame, or of the last one before it that has them.
  contacts(frame: number): ContactSpan | null {
    for (let f = frame; f >= 0; f--) {
      const columns = this.chunks[this.chunkOf[f]]?.contacts;
      if (!columns) return null;
      const local = this.placeOf[f];
      if (columns.count[local] >= 0)
        return { columns, first: columns.first[local], count: columns.count[local], frame: f };
    }
    return null;
  }

  // What the worst residual of the frame is of, "" if nothing says.
  worst(frame: number): string {
    const chunk = this.chunks[this.chunkOf[frame]];
    return chunk?.worst ? chunk.worstNames[chunk.worst[this.placeOf[frame]]] ?? "" : "";
  }

  // With slip held in the step: the certificate of that law and how far gaps are off, m; else null.
  held(frame: number): { residual: number; gapError: number } | null {
    const residual = this.series.get("held/residual")?.[frame] ?? 0;
    return residual > 0 ? { residual, gapError: this.series.get("held/gap_error")?.[frame] ?? NaN } : null;
  }

  bodyName(body: number): string {
    return body < 0 ? "world" : this.head.bodies[body]?.name ?? `body ${body}`;
  }
}

// Three of the four numbers, 15 bits each; the largest follows from them. Its place is in the
// highest bits of the first two words.
function readRotation(words: Uint16Array, from: number, out: Float32Array, to: number): void {
  const largest = (words[from] >> 15) | ((words[from + 1] >> 15) << 1);
  let rest = 1;
  let word = from;
  for (let i = 0; i < 4; i++) {
    if (i === largest) continue;
    const value = (((words[word++] & 0x7fff) / 32766) * 2 - 1) * ROOT_HALF;
    out[to + i] = value;
    rest -= value * value;
  }
  out[to + largest] = Math.sqrt(Math.max(rest, 0));
}

function blend(a: Float32Array, b: Float32Array, part: number, bodies: number): void {
  for (let body = 0; body < bodies; body++) {
    const at = 7 * body;
    for (let i = 0; i < 3; i++) a[at + i] += part * (b[at + i] - a[at + i]);
    let dot = 0;
    for (let i = 3; i < 7; i++) dot += a[at + i] * b[at + i];
    const sign = dot < 0 ? -1 : 1;
    let norm = 0;
    for (let i = 3; i < 7; i++) {
      a[at + i] += part * (sign * b[at + i] - a[at + i]);
      norm += a[at + i] * a[at + i];
    }
    norm = Math.sqrt(norm);
    for (let i = 3; i < 7; i++) a[at + i] /= norm;
  }
}
