// A recorded run as the page sees it: frames from one or more chunks, read at any time.
import type { Chunk, ContactColumns, Head, Mesh, Payload, RunEvent } from "./payload";

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
  private starts: number[] = []; // first frame of each chunk
  frames = 0;
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

  // Still being written, as far as one can tell from the file.
  get isGrowing(): boolean {
    return this.isServed && !this.head.closed;
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

  // Also for data that arrive later, from a run that is still going on.
  append(payload: Payload): void {
    if (payload.head) this.head = payload.head;
    if (payload.events) this.events = payload.events;
    for (const chunk of payload.chunks) {
      if (chunk.count === 0) continue;
      this.starts.push(this.frames);
      this.chunks.push(chunk);
      this.frames += chunk.count;
    }
    if (payload.chunks.length > 0) this.joinSeries();
  }

  private joinSeries(): void {
    const join = (part: (chunk: Chunk) => ArrayLike<number>): Float64Array => {
      const all = new Float64Array(this.frames);
      this.chunks.forEach((chunk, k) => all.set(part(chunk), this.starts[k]));
      return all;
    };
    this.t = join((chunk) => chunk.t);
    this.head.series.forEach((name, s) => this.series.set(name, join((c) => c.series[s])));
    this.addUp("potential", ["gravity", "spring"]);
    this.addUp("mechanical", ["kinetic", "gravity", "spring"]);
    this.addUp("lost", ["friction", "impact", "damper", "scheme"]);
  }

  private addUp(sum: string, parts: string[]): void {
    const known = parts.map((part) => this.series.get(`energy/${part}`)).filter((part) => part !== undefined);
    if (known.length === 0) return;
    this.series.set(`energy/${sum}`,
      Float64Array.from(this.t, (_, f) => known.reduce((total, part) => total + part[f], 0)));
  }

  private chunkOf(frame: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= frame) low = middle;
      else high = middle - 1;
    }
    return low;
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
    const k = this.chunkOf(frame);
    return this.chunks[k]?.frame[frame - this.starts[k]] ?? 0;
  }

  // The first frame here whose recorded frame is at or after that one.
  frameOfRecorded(recorded: number): number {
    for (let f = 0; f < this.frames; f++) if (this.recordedFrame(f) >= recorded) return f;
    return Math.max(this.frames - 1, 0);
  }

  // Position and rotation w x y z of all bodies, 7 each.
  readPoses(frame: number, out: Float32Array): void {
    const k = this.chunkOf(frame);
    const chunk = this.chunks[k];
    if (!chunk) return;
    const base = (frame - this.starts[k]) * 6 * this.bodies;
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
    const k = this.chunkOf(frame);
    const chunk = this.chunks[k];
    if (!chunk || chunk.velocity.length === 0) return null;
    const at = ((frame - this.starts[k]) * this.bodies + body) * 6;
    return Array.from({ length: 6 }, (_, i) => chunk.velocity[at + i] * chunk.velocityUnit[6 * body + i]);
  }

  // The contacts of the frame, or of the last one before it that has them.
  contacts(frame: number): ContactSpan | null {
    for (let f = frame; f >= 0; f--) {
      const k = this.chunkOf(f);
      const columns = this.chunks[k]?.contacts;
      if (!columns) return null;
      const local = f - this.starts[k];
      if (columns.count[local] >= 0)
        return { columns, first: columns.first[local], count: columns.count[local], frame: f };
    }
    return null;
  }

  // What the worst residual of the frame is of, "" if nothing says.
  worst(frame: number): string {
    const k = this.chunkOf(frame);
    const chunk = this.chunks[k];
    return chunk?.worst ? chunk.worstNames[chunk.worst[frame - this.starts[k]]] ?? "" : "";
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
