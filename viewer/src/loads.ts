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
    this.axes = new Arrows(scene, 0.09 * size);
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
