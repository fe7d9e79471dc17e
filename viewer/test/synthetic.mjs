// A page with a made-up run, for work on the viewer without recordings: node synthetic.mjs PAGE OUT.
// It is a second writer of the payload, in another language: what it writes plainly (all numbers
// new in every frame) the page must read as well as what cli/view/frames.c writes compactly.
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

const [page, out, bodies = 60, frames = 240] = process.argv.slice(2).map((x, k) => (k < 2 ? x : Number(x)));
const f32 = (a) => Buffer.from(Float32Array.from(a).buffer);
const f64 = (a) => Buffer.from(Float64Array.from(a).buffer);
const u32 = (a) => Buffer.from(Uint32Array.from(a).buffer);
const planes = (a, n) => Buffer.concat(Array.from({ length: n }, (_, b) => Buffer.from(a.map((v) => (v >>> (8 * b)) & 255))));
const section = (tag, data) => Buffer.concat([Buffer.from(tag), u32([data.length]), data]);
const log16 = (x) => (x > 0 ? Math.max(1, Math.round((Math.log2(x) + 64) * 512)) : 0);

const h = 1 / 60;
const at = (b, f) => {
  const angle = 0.4 * b + 0.9 * f * h;
  const r = 0.6 + 0.03 * b;
  const z = Math.abs(Math.sin(2.2 * f * h + b)) * 0.8 + 0.1;
  return [r * Math.cos(angle), r * Math.sin(angle), z];
};
const kinds = ["box", "sphere", "cylinder", "capsule"];
const shapes = Array.from({ length: bodies }, (_, b) => ({
  body: b, kind: kinds[b % 4], size: [[0.1, 0.06, 0.1], [0.1, 0, 0], [0.1, 0.04, 0], [0.05, 0.08, 0]][b % 4],
  position: [0, 0, 0], rotation: [1, 0, 0, 0],
}));
shapes.push({ body: -1, kind: "plane", size: [0, 0, 0], position: [0, 0, 0], rotation: [1, 0, 0, 0] });
shapes.push({ body: -1, kind: "box", size: [0.3, 0.3, 0.05], position: [0, 0, 0.05], rotation: [1, 0, 0, 0] });
const head = {
  format: 1, title: "synthetic", about: "bodies on a merry-go-round", perp: "0", commit: "", step: h, every: 1,
  frames, stride: 1, closed: true, finished: true, note: "", shapes,
  bodies: Array.from({ length: bodies }, (_, b) => ({ name: `${kinds[b % 4]}-${b}`, mass: 1 + b })),
  joints: [{ index: -1, name: "coil", kind: "spring", a: -1, b: 0, anchorA: [0, 0, 0.1], anchorB: [0, 0, 0], axis: [0, 0, 1] }],
  series: ["energy/kinetic", "energy/gravity", "energy/spring", "certificate/worst", "step/penetration"],
  events: ["impact", "slip", "take-off", "limit"],
};
const F = Array.from({ length: frames }, (_, f) => f);
const codes = [];
for (let b = 0; b < bodies; b++)
  for (let c = 0; c < 6; c++) {
    const turn = (f) => Math.round(((Math.sin(f * h + b) * 0.5 * (c === 5 ? 1 : 0)) / Math.SQRT1_2 + 1) / 2 * 32766);
    const value = (f) => (c < 3 ? Math.round((at(b, f)[c] + 4) / 8 * 65535) : turn(f));
    for (const f of F) {
      const d = (g) => value(g) - (g > 0 ? value(g - 1) : 0);
      codes.push(((c < 3 && f > 1 ? d(f) - d(f - 1) : d(f)) + (1 << 20)) & 0xffff);
    }
  }
const series = [(f) => 3 + Math.sin(f * h), (f) => 5 - Math.sin(f * h), () => 0,
  (f) => 1e-15 * (2 + Math.sin(f)), () => 1e-12].flatMap((s) => F.map(s));
const frame = Buffer.concat([
  u32([frames, bodies, head.series.length, 0]), f64(F.map((f) => f * h)), u32(F), f32(series),
  f32(Array(3 * bodies).fill(-4)), f32(Array(3 * bodies).fill(8 / 65535)), planes(codes, 2),
]);
const touching = (f) => Array.from({ length: bodies }, (_, b) => b).filter((b) => at(b, f)[2] < 0.25);
const contacts = F.flatMap((f) => touching(f).map((b) => ({ f, b })));
const column = (value) => planes(contacts.map(value), 2);
const link = []; // each contact is new: 0 minus (the one before + 1)
for (const f of F) touching(f).forEach(() => link.push(0xffffffff));
const contactSection = Buffer.concat([
  f32([-4, -4, -4]), f32(Array(3).fill(8 / 65535)), u32(F.map((f) => touching(f).length)), planes(link, 4),
  planes(contacts.map(({ b }) => b + 1), 4), planes(contacts.map(() => 0), 4),
  column(({ f, b }) => Math.round((at(b, f)[0] + 4) / 8 * 65535)),
  column(({ f, b }) => Math.round((at(b, f)[1] + 4) / 8 * 65535)),
  column(() => Math.round(4 / 8 * 65535)), column(() => 32768), column(() => 32768),
  column(({ b }) => log16(0.01 * (1 + b))), column(({ b }) => (b % 3 ? 4096 : 1500)), column(({ b }) => 1000 * b),
  column(() => log16(0.5)), column(() => 0x8000 | Math.round((Math.log2(1e-9) + 64) * 256)),
  column(({ b }) => (b % 3 ? log16(0.3) : 0)), column(({ b }) => log16(1e-16 * (1 + b))), column(({ b }) => (b % 3 ? 2 : 1)),
]);
const events = F.filter((f) => f % 40 === 20);
const eventSection = Buffer.concat([
  u32([events.length]), f64(events.map((f) => f * h)), u32(events), u32(events.map(() => 0)),
  Buffer.from(Int32Array.from(events.map(() => -1)).buffer), Buffer.from(Int32Array.from(events.map(() => -1)).buffer),
  f32(events.map((f) => 1 + (f % 7))), Buffer.from(events.map((f) => (f / 20) % 4)),
]);
const payload = Buffer.concat([
  Buffer.from("PERPVIEW"), u32([1]), section("HEAD", Buffer.from(JSON.stringify(head))),
  section("EVNT", eventSection), section("FRAM", frame), section("CONT", contactSection),
]);
const data = deflateSync(payload, { level: 9 }).toString("base64");
writeFileSync(out, readFileSync(page, "utf8").replace("<!--perp-data-->",
  `<script type="application/octet-stream" id="perp-run">${data}</script>`));
