// Names beside what they name: bodies, joints and sites with their actuators, sites with their sensors.
import { Vector3 } from "three";
import { element } from "./format";
import { pointOf } from "./places";
import type { Run } from "./run";
import type { Stage } from "./stage";

interface Item {
  text: string;
  kind: "body" | "joint" | "site";
  body: number; // whose frame `at` is in, -1: the world
  at: number[];
}

const MOST = 160; // labels at a time
const LETTER = 6.6; // px, about
const HEIGHT = 17;

export class Labels {
  private readonly items: Item[];
  private readonly holder = element("div");
  private readonly spans: HTMLElement[] = [];
  private readonly point = new Vector3();

  constructor(run: Run, private readonly stage: Stage, parent: HTMLElement) {
    this.holder.id = "labels";
    this.holder.setAttribute("aria-hidden", "true"); // the panel has all names
    parent.append(this.holder);
    this.items = [...jointItems(run), ...siteItems(run),
      ...run.head.bodies.map((body, k): Item => ({ text: body.name, kind: "body", body: k, at: [0, 0, 0] }))];
  }

  // The nearest first; what would cover another is left out. `selected` is always there.
  show(poses: Float32Array, isOn: boolean, selected: number): void {
    const placed = isOn ? this.place(poses, selected) : [];
    placed.forEach(({ item, x, y }, k) => {
      const span = this.spans[k] ?? this.addSpan();
      if (span.textContent !== item.text) span.textContent = item.text;
      span.className = `${item.kind}${item.kind === "body" && item.body === selected ? " chosen" : ""}`;
      span.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
      span.hidden = false;
    });
    for (let k = placed.length; k < this.spans.length; k++) this.spans[k].hidden = true;
  }

  private addSpan(): HTMLElement {
    const span = element("span");
    this.holder.append(span);
    this.spans.push(span);
    return span;
  }

  private place(poses: Float32Array, selected: number): { item: Item; x: number; y: number }[] {
    const { clientWidth: width, clientHeight: height } = this.stage.renderer.domElement;
    const seen = this.items.map((item) => {
      const at = pointOf(poses, item.body, item.at, this.point).project(this.stage.camera);
      const depth = item.kind === "body" ? at.z + (item.body === selected ? -2 : 1e-3) : at.z;
      const x = ((at.x + 1) * width) / 2 + 7;
      return { item, x: at.x < 1 ? Math.min(x, width - LETTER * item.text.length - 12) : x, y: ((1 - at.y) * height) / 2 - HEIGHT - 3, depth, z: at.z };
    }).filter(({ x, y, z }) => z < 1 && x > -60 && x < width && y > 0 && y < height);
    seen.sort((a, b) => a.depth - b.depth);
    const placed: typeof seen = [];
    const taken = this.occupied();
    for (const one of seen) {
      if (placed.length >= MOST) break;
      const box = { x: one.x, y: one.y, width: LETTER * one.item.text.length + 8, height: HEIGHT };
      if (taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      placed.push(one);
    }
    return placed;
  }

  // What stands over the picture already.
  private occupied(): Box[] {
    const { left, top } = this.holder.getBoundingClientRect();
    return ["#title h1", "#title p", "#tools"].flatMap((name) => {
      const { x, y, width, height } = document.querySelector(name)!.getBoundingClientRect();
      return width > 0 ? [{ x: x - left, y: y - top, width, height }] : [];
    });
  }
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

function jointItems(run: Run): Item[] {
  return run.head.joints.filter((joint) => joint.name !== "").map((joint) => {
    const drives = run.head.actuators.filter((actuator) =>
      joint.index >= 0 && actuator.terms.length === 1 && actuator.terms[0].joint === joint.index);
    const names = [joint.name, ...drives.map((actuator) => actuator.name)];
    return { text: Array.from(new Set(names)).join(" · "), kind: "joint", body: joint.a, at: joint.anchorA };
  });
}

function siteItems(run: Run): Item[] {
  return run.head.sites.map((site, k) => {
    const sensors = run.head.sensors.filter((sensor) => sensor.of === site.name);
    const drives = run.head.actuators.filter(({ siteA, siteB }) => (siteB >= 0 ? siteB : siteA) === k);
    const names = [site.name, ...drives.map(({ name }) => name), ...sensors.map(({ name }) => name)];
    return { text: Array.from(new Set(names)).join(" · "), kind: "site", body: site.body, at: site.position };
  });
}
