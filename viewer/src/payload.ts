// The payload that perp view writes, section by section; docs/viewer.md describes it.
import { Reader, fromLog16, fromOctahedron, fromSignedLog16, tangents } from "./bytes";

export interface BodyInfo {
  name: string;
  mass: number;
}

export interface ShapeInfo {
  body: number; // -1: the world
  kind: string;
  size: number[];
  position: number[];
  rotation: number[]; // w x y z
  colour?: number[]; // red, green, blue (sRGB), opacity
}

export interface CameraInfo {
  from: number[];
  at: number[];
  fieldOfView: number; // rad, 0: any
  follow: number; // body, -1: none
}

// Something that exists for a part of the run only, s.
export interface Times {
  from?: number;
  until?: number;
}

export const exists = ({ from, until }: Times, t: number): boolean =>
  t >= (from ?? 0) - 1e-12 && t < (until ?? Infinity) - 1e-12;

export interface JointInfo extends Times {
  index: number; // in the recording, -1 for springs
  name: string;
  kind: string;
  a: number;
  b: number;
  anchorA: number[]; // in the frame of body a
  anchorB: number[];
  axis: number[]; // in the frame of body a, hinges and sliders
  axisB?: number[]; // in the frame of body b, universal joints
}

export interface SiteInfo {
  name: string;
  body: number; // -1: the world
  position: number[]; // in the body's frame
  rotation: number[]; // w x y z
}

export interface ActuatorInfo extends Times {
  name: string;
  kind: string;
  terms: { joint: number; coordinate: number; ratio: number }[]; // coordinates that it acts on
  siteA: number; // -1: none; alone: the site of a wrench
  siteB: number;
  wrench: number[]; // in the site's axes
  gear: number;
}

export interface SensorInfo {
  name: string;
  kind: string;
  of: string; // what it looks at
  numbers: number; // how many values it has
}

export interface ValueInfo {
  name: string;
  unit: string;
}

export interface Head {
  format: number;
  title: string;
  about: string;
  perp: string;
  commit: string;
  step: number; // s
  every: number;
  frames: number; // in the recording
  stride: number; // of them, every stride-th is here
  closed: boolean; // in order, not cut off or still growing
  finished: boolean; // came to its planned end
  verdict?: string; // of the run: "certified", or what does not hold
  note: string; // what was left out, "" if nothing was
  bodies: BodyInfo[];
  shapes: ShapeInfo[];
  joints: JointInfo[]; // springs, too
  file: string; // of the recording or scene, without folder
  planned: number; // steps of the whole run, 0: not known
  sites: SiteInfo[];
  camera?: CameraInfo;
  actuators: ActuatorInfo[];
  sensors: SensorInfo[];
  values: ValueInfo[]; // numbers of the sensors in the recording
  series: string[];
  events: string[]; // names of the kinds
}

export interface Mesh {
  shape: number;
  vertices: Float32Array;
  triangles: Uint32Array;
}

export interface RunEvent {
  t: number;
  frame: number;
  kind: number;
  a: number;
  b: number;
  joint: number;
  size: number;
}

export interface Chunk {
  count: number; // frames
  t: Float64Array;
  frame: Uint32Array; // in the recording
  series: Float32Array[]; // as Head.series
  low: Float32Array; // per body: 3
  unit: Float32Array; // per body: 3
  pose: Uint16Array; // per frame and body: 3 positions, 3 words of the rotation
  velocityUnit: Float32Array; // per body: 6, empty if there are no velocities
  velocity: Int16Array; // per frame and body: 6
  contacts: ContactColumns | null;
  worst: Uint32Array | null; // per frame: what the worst residual is of, in the names below
  worstNames: string[];
  numbers: Float32Array; // columns along the frames, as widths say
  widths: number[]; // how many columns there are of each of NUMBERS
}

// Columns of a chunk, in the order of docs/viewer.md.
export const NUMBERS = ["sensors", "actuators", "motors", "reactions"] as const;
export type Numbers = (typeof NUMBERS)[number];

export interface ContactColumns {
  first: Int32Array; // per frame: its first contact, or -1 if its contacts were left out
  count: Int32Array; // per frame
  a: Int32Array;
  b: Int32Array;
  point: Float32Array;
  normal: Float32Array; // from b to a
  impulse: Float32Array; // on a, N s
  normalImpulse: Float32Array;
  gap: Float32Array;
  slip: Float32Array;
  cone: Float32Array; // |tangential| / (mu normal)
  mu: Float32Array;
  residual: Float32Array; // NaN: not known
  status: Uint8Array;
}

export interface Payload {
  head: Head | null;
  meshes: Mesh[];
  events: RunEvent[] | null;
  chunks: Chunk[];
}

export const STATUS = ["open", "stick", "slip", "impact"];
const MAGIC = "PERPVIEW";
const VERSION = 1;

export function readPayload(bytes: Uint8Array): Payload {
  const reader = new Reader(bytes);
  if (reader.text(8) !== MAGIC) throw new Error("these are no data of perp view");
  const version = reader.u32();
  if (version !== VERSION) throw new Error(`data of version ${version}, this page reads ${VERSION}`);
  const payload: Payload = { head: null, meshes: [], events: null, chunks: [] };
  while (reader.left > 0) {
    const tag = reader.text(4);
    readSection(tag, new Reader(reader.u8s(reader.u32())), payload);
  }
  return payload;
}

function readSection(tag: string, section: Reader, payload: Payload): void {
  if (tag === "HEAD") payload.head = readHead(section.text(section.left));
  else if (tag === "MESH") payload.meshes.push(readMesh(section));
  else if (tag === "EVNT") payload.events = readEvents(section);
  else if (tag === "FRAM") payload.chunks.push(readFrames(section));
  else if (tag === "CONT") {
    const chunk = payload.chunks[payload.chunks.length - 1];
    chunk.contacts = readContacts(section, chunk.count);
  } else if (tag === "WRST") {
    const chunk = payload.chunks[payload.chunks.length - 1];
    chunk.worst = section.u32s(chunk.count);
    chunk.worstNames = JSON.parse(section.text(section.left)) as string[];
  } else if (tag === "NUMB") {
    const chunk = payload.chunks[payload.chunks.length - 1];
    chunk.widths = NUMBERS.map(() => section.u32());
    chunk.numbers = new Float32Array(chunk.count * chunk.widths.reduce((sum, width) => sum + width, 0));
    let from = 0;
    for (const width of chunk.widths) {
      const bits = section.plane32(width * chunk.count);
      chunk.numbers.set(new Float32Array(bits.buffer), from);
      from += bits.length;
    }
  }
}

// Other writers may know less of a scene.
function readHead(text: string): Head {
  const unknown = { file: "", planned: 0, joints: [], sites: [], actuators: [], sensors: [], values: [] };
  return { ...unknown, ...(JSON.parse(text) as Head) };
}

function readMesh(section: Reader): Mesh {
  const [shape, vertices, triangles] = [section.u32(), section.u32(), section.u32()];
  return { shape, vertices: section.f32s(3 * vertices), triangles: section.u32s(3 * triangles) };
}

function readEvents(section: Reader): RunEvent[] {
  const n = section.u32();
  const t = section.f64s(n);
  const frame = section.u32s(n);
  const a = section.i32s(n);
  const b = section.i32s(n);
  const joint = section.i32s(n);
  const size = section.f32s(n);
  const kind = section.u8s(n);
  const event = (k: number): RunEvent => ({
    t: t[k], frame: frame[k], kind: kind[k], a: a[k], b: b[k], joint: joint[k], size: size[k],
  });
  return Array.from({ length: n }, (_, k) => event(k));
}

// Undoes differences along the frames of one column and turns body-major into frame-major.
function sumUp(code: Uint16Array, out: Uint16Array | Int16Array, bodies: number, frames: number,
  isSecondOrder: (component: number) => boolean): void {
  for (let column = 0; column < 6 * bodies; column++) {
    let value = 0;
    let rate = 0;
    const second = isSecondOrder(column % 6);
    for (let f = 0, at = column * frames; f < frames; f++, at++) {
      rate = second ? (rate + code[at]) & 0xffff : code[at];
      value = (value + rate) & 0xffff;
      if (f === 0) rate = 0;
      out[f * 6 * bodies + column] = value;
    }
  }
}

function readFrames(section: Reader): Chunk {
  const [count, bodies, nSeries, hasVelocity] =
    [section.u32(), section.u32(), section.u32(), section.u32()];
  const t = section.f64s(count);
  const frame = section.u32s(count);
  const series = Array.from({ length: nSeries }, () => section.f32s(count));
  const low = section.f32s(3 * bodies);
  const unit = section.f32s(3 * bodies);
  const pose = new Uint16Array(6 * bodies * count);
  sumUp(section.plane16(pose.length), pose, bodies, count, (component) => component < 3);
  const velocityUnit = section.f32s(hasVelocity ? 6 * bodies : 0);
  const velocity = new Int16Array(hasVelocity ? pose.length : 0);
  if (hasVelocity)
    sumUp(section.plane16(velocity.length), velocity, bodies, count, () => false);
  return { count, t, frame, series, low, unit, pose, velocityUnit, velocity, contacts: null,
    worst: null, worstNames: [], numbers: new Float32Array(0), widths: NUMBERS.map(() => 0) };
}

// Each contact refers to the same one in the frame before, if it was there.
function readLinks(section: Reader, count: Int32Array, first: Int32Array, total: number): Int32Array {
  const code = section.plane32(total);
  const link = new Int32Array(total);
  let before = 0; // first contact of the frame before
  for (let f = 0; f < count.length; f++) {
    if (first[f] < 0) continue;
    let last = 0;
    for (let k = first[f]; k < first[f] + count[f]; k++) {
      last = (code[k] + last + 1) | 0;
      link[k] = last === 0 ? -1 : before + last - 1;
    }
    before = first[f];
  }
  return link;
}

function follow(values: Uint16Array | Uint32Array, link: Int32Array): typeof values {
  for (let k = 0; k < values.length; k++) if (link[k] >= 0) values[k] += values[link[k]];
  return values;
}

function readContacts(section: Reader, frames: number): ContactColumns {
  const low = section.f32s(3);
  const unit = section.f32s(3);
  const count = section.i32s(frames);
  const first = new Int32Array(frames);
  let n = 0;
  for (let f = 0; f < frames; f++) {
    first[f] = count[f] < 0 ? -1 : n;
    n += Math.max(count[f], 0);
  }
  const link = readLinks(section, count, first, n);
  const word = () => follow(section.plane16(n), link) as Uint16Array;
  const long = () => follow(section.plane32(n), link) as Uint32Array;
  const columns = {
    first, count,
    a: Int32Array.from(long(), (id) => id - 1),
    b: Int32Array.from(long(), (id) => id - 1),
    point: new Float32Array(3 * n), normal: new Float32Array(3 * n),
    impulse: new Float32Array(3 * n),
    normalImpulse: new Float32Array(0), gap: new Float32Array(0), slip: new Float32Array(0),
    cone: new Float32Array(0), mu: new Float32Array(0), residual: new Float32Array(0),
    status: new Uint8Array(0),
  };
  for (let axis = 0; axis < 3; axis++) {
    const code = word();
    for (let k = 0; k < n; k++) columns.point[3 * k + axis] = low[axis] + unit[axis] * code[k];
  }
  const u = word();
  const v = word();
  for (let k = 0; k < n; k++) fromOctahedron(u[k], v[k], columns.normal, 3 * k);
  columns.normalImpulse = Float32Array.from(word(), fromLog16);
  columns.cone = Float32Array.from(word(), (code) => code / 4096);
  const angle = word();
  columns.mu = Float32Array.from(word(), fromLog16);
  columns.gap = Float32Array.from(word(), fromSignedLog16);
  columns.slip = Float32Array.from(word(), fromLog16);
  columns.residual = Float32Array.from(word(), (code) => (code === 65535 ? NaN : fromLog16(code)));
  columns.status = Uint8Array.from(word());
  for (let k = 0; k < n; k++) composeImpulse(columns, k, (angle[k] / 65536) * 2 * Math.PI);
  return columns;
}

function composeImpulse(columns: ContactColumns, k: number, angle: number): void {
  const n = columns.normal.subarray(3 * k, 3 * k + 3);
  const t = tangents(n[0], n[1], n[2]);
  const size = columns.normalImpulse[k];
  const side = columns.cone[k] * columns.mu[k] * size;
  for (let i = 0; i < 3; i++)
    columns.impulse[3 * k + i] =
      size * n[i] + side * (Math.cos(angle) * t[i] + Math.sin(angle) * t[i + 3]);
}
