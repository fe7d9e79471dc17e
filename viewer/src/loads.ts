// Loads in space: reactions of joints, forces of actuators and motors; and the axes of sites.
import { Color, Scene, Vector3 } from "three";
import { Arrows } from "./arrows";
import { LOAD_COLOUR, SITE_COLOURS } from "./palette";
import type { ActuatorInfo, JointInfo, SiteInfo } from "./payload";
import { inSite, pointOf, turned } from "./places";
import type { Run } from "./run";

export interface LoadStyle {
  reactions: boolean;
  actuators: boolean;
  sites: boolean;
  force: number; // m per N
  moment: number; // m per N m
}

// Acts at a point of the world: a force, or a moment with two tips.
interface Load {
  at: Vector3;
  vector: Vector3;
  isMoment: boolean;
}

// Does the coordinate of such a joint turn?
const turns = (joint: JointInfo, coordinate: number): boolean =>
  joint.kind === "hinge" || joint.kind === "universal" || (joint.kind === "cylindrical" && coordinate === 1);

export function reactionOf(run: Run, joint: number, frame: number): number[] {
  return Array.from({ length: 6 }, (_, k) => run.number("reactions", 6 * joint + k, frame));
}

export class LoadLayer {
  private readonly arrows: Arrows;
  private readonly axes: Arrows;
  private readonly colour = { reactions: new Color(LOAD_COLOUR.reactions), actuators: new Color(LOAD_COLOUR.actuators) };
  private readonly sites = SITE_COLOURS.map((colour) => new Color(colour));
  private readonly jointOf: Map<number, JointInfo>;

  constructor(private readonly run: Run, scene: Scene, private readonly size: number) {
    this.axes = new Arrows(scene, 0.025 * size);
    this.arrows = new Arrows(scene, 0.045 * size);
    this.jointOf = new Map(run.head.joints.filter((joint) => joint.index >= 0).map((joint) => [joint.index, joint]));
  }

  show(poses: Float32Array, frame: number, style: LoadStyle): void {
    const reactions = style.reactions ? this.reactions(poses, frame) : [];
    const actuators = style.actuators ? this.actuators(poses, frame) : [];
    this.arrows.begin(reactions.length + actuators.length);
    for (const load of reactions) this.draw(load, this.colour.reactions, style);
    for (const load of actuators) this.draw(load, this.colour.actuators, style);
    this.arrows.end();
    this.showSites(poses, style.sites ? this.run.head.sites : []);
  }

  private draw(load: Load, colour: Color, style: LoadStyle): void {
    load.vector.multiplyScalar(load.isMoment ? style.moment : style.force);
    this.arrows.add(load.at, load.vector, colour, load.isMoment ? 2 : 1);
  }

  // On the second body, at the anchor there.
  private reactions(poses: Float32Array, frame: number): Load[] {
    const loads: Load[] = [];
    if (this.run.width("reactions") === 0) return loads;
    for (const joint of this.jointOf.values()) {
      const r = reactionOf(this.run, joint.index, frame);
      const at = placeOf(poses, joint);
      loads.push({ at, vector: new Vector3(r[0], r[1], r[2]), isMoment: false },
        { at, vector: new Vector3(r[3], r[4], r[5]), isMoment: true });
    }
    return loads;
  }

  private actuators(poses: Float32Array, frame: number): Load[] {
    const loads: Load[] = [];
    this.run.head.actuators.forEach((actuator, k) => {
      const force = this.run.number("actuators", k, frame);
      if (force) loads.push(...this.actuatorLoads(poses, actuator, force));
    });
    if (this.run.width("motors") > 0)
      for (const joint of this.jointOf.values())
        for (const coordinate of [0, 1]) {
          const force = this.run.number("motors", 2 * joint.index + coordinate, frame);
          if (force) loads.push(onCoordinate(poses, joint, coordinate, force));
        }
    return loads;
  }

  private actuatorLoads(poses: Float32Array, actuator: ActuatorInfo, force: number): Load[] {
    const { sites } = this.run.head;
    const [a, b] = [sites[actuator.siteA], sites[actuator.siteB]];
    if (a && b) return between(pointOf(poses, a.body, a.position), pointOf(poses, b.body, b.position), actuator.gear * force);
    if (a) {
      const at = pointOf(poses, a.body, a.position);
      const part = (from: number) => inSite(poses, a, actuator.wrench.slice(from, from + 3)).multiplyScalar(force);
      return [{ at, vector: part(0), isMoment: false }, { at, vector: part(3), isMoment: true }];
    }
    return actuator.terms.flatMap(({ joint, coordinate, ratio }) => {
      const on = this.jointOf.get(joint);
      return on ? [onCoordinate(poses, on, coordinate, actuator.gear * ratio * force)] : [];
    });
  }

  private showSites(poses: Float32Array, sites: SiteInfo[]): void {
    this.axes.begin(3 * sites.length);
    for (const site of sites) {
      const at = pointOf(poses, site.body, site.position);
      [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((axis, k) =>
        this.axes.add(at, inSite(poses, site, axis).multiplyScalar(0.5 * this.size), this.sites[k]));
    }
    this.axes.end();
  }
}

// The anchor on the second body; one that begins later is known on the first only.
const placeOf = (poses: Float32Array, joint: JointInfo): Vector3 =>
  joint.from ? pointOf(poses, joint.a, joint.anchorA) : pointOf(poses, joint.b, joint.anchorB);

// On the second body, along or about the axis of the coordinate.
function onCoordinate(poses: Float32Array, joint: JointInfo, coordinate: number, force: number): Load {
  const isSecond = joint.kind === "universal" && coordinate === 1 && joint.axisB;
  const axis = isSecond ? turned(poses, joint.b, joint.axisB!) : turned(poses, joint.a, joint.axis);
  return { at: placeOf(poses, joint), vector: axis.normalize().multiplyScalar(force),
    isMoment: turns(joint, coordinate) };
}

// Equal and opposite; above 0 they push apart.
function between(a: Vector3, b: Vector3, force: number): Load[] {
  const along = b.clone().sub(a).normalize().multiplyScalar(force);
  return [{ at: b, vector: along, isMoment: false }, { at: a, vector: along.clone().negate(), isMoment: false }];
}

// --- scales -------------------------------------------------------------------------------------

// What nine of ten forces, and moments, of contacts, joints and actuators in the run stay below. Moments far below
// what the forces have about the middle of the scene are rounding, and are not drawn as if they were more.
export function typicalLoads(run: Run, radius: number): [number, number] {
  const [forces, moments]: [number[], number[]] = [contactForces(run), []];
  const drives = [...run.head.actuators.map((actuator, k) => ({ kind: "actuators" as const, k, sizes: sizesOf(run, actuator) })),
    ...Array.from({ length: run.width("motors") }, (_, k) => ({ kind: "motors" as const, k, sizes: sizesAt(run, k >> 1, k & 1) }))];
  const stride = Math.max(1, Math.floor((run.frames * (run.width("reactions") + drives.length)) / 60000));
  for (let frame = 0; frame < run.frames; frame += stride) {
    for (let joint = 0; 6 * joint < run.width("reactions"); joint++) {
      const r = reactionOf(run, joint, frame);
      forces.push(Math.hypot(r[0], r[1], r[2]));
      moments.push(Math.hypot(r[3], r[4], r[5]));
    }
    for (const { kind, k, sizes } of drives) {
      const size = Math.abs(run.number(kind, k, frame));
      forces.push(sizes[0] * size);
      moments.push(sizes[1] * size);
    }
  }
  const force = mostOf(forces);
  return [force, Math.max(mostOf(moments), 1e-6 * radius * force)];
}

function contactForces(run: Run): number[] {
  const forces: number[] = [];
  for (const { contacts } of run.chunks) {
    if (!contacts) continue;
    const impulses = contacts.normalImpulse;
    const stride = Math.max(1, Math.floor(impulses.length / 20000));
    for (let k = 0; k < impulses.length; k += stride)
      if (impulses[k] > 0 && contacts.status[k] !== 3) forces.push(impulses[k] / run.head.step);
  }
  return forces;
}

// Force and moment of a unit on a coordinate.
function sizesAt(run: Run, joint: number, coordinate: number): [number, number] {
  const on = run.head.joints.find((one) => one.index === joint);
  return on && turns(on, coordinate) ? [0, 1] : [1, 0];
}

// The largest force and moment of an actuator at a unit of its own force.
function sizesOf(run: Run, { terms, siteA, siteB, wrench, gear }: ActuatorInfo): [number, number] {
  const most: [number, number] = [0, 0];
  if (siteB >= 0) most[0] = Math.abs(gear);
  else if (siteA >= 0) return [Math.hypot(...wrench.slice(0, 3)), Math.hypot(...wrench.slice(3, 6))];
  for (const { joint, coordinate, ratio } of terms)
    sizesAt(run, joint, coordinate).forEach((size, k) => { most[k] = Math.max(most[k], Math.abs(gear * ratio) * size); });
  return most;
}

function mostOf(sizes: number[]): number {
  const some = sizes.filter((size) => size > 0).sort((a, b) => a - b);
  return some[Math.floor(0.9 * some.length)] ?? 1;
}
