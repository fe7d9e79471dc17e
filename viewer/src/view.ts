// What is shown: bodies, contacts, joints and ghost at a time, and how they are coloured.
import { Color, Raycaster, Vector2, Vector3 } from "three";
import { BodySet } from "./bodies";
import { ContactLayer } from "./contacts";
import { JointLayer } from "./joints";
import { Labels } from "./labels";
import { LoadLayer, typicalLoads } from "./loads";
import { ramp, type Theme } from "./palette";
import type { JointInfo } from "./payload";
import type { Run } from "./run";
import type { Stage } from "./stage";

export type Colouring = "name" | "penetration" | "speed";
export const LAYERS = ["points", "arrows", "cones", "joints", "reactions", "actuators", "sites", "names", "ghost"] as const;
export type Layer = (typeof LAYERS)[number];

export class View {
  readonly layers: Record<Layer, boolean> =
    { points: true, arrows: false, cones: false, joints: true, reactions: false, actuators: false, sites: false,
      names: false, ghost: true };
  colour: Colouring = "name";
  selected = -1;
  following = false;
  arrowFactor = 1;
  chosenContact = -1;
  typicalForce = 1; // N
  typicalMoment = 1; // N m
  deepest = 1; // m
  fastest = 1; // m/s
  private readonly bodies: BodySet;
  private readonly ghostBodies: BodySet | null;
  private readonly contacts: ContactLayer;
  private readonly joints: JointLayer;
  private readonly loads: LoadLayer;
  private readonly labels: Labels;
  private measured = 0; // frames when the scales were chosen
  private readonly lastSeen = new Vector3();

  constructor(readonly run: Run, readonly ghost: Run | null, private readonly stage: Stage) {
    this.bodies = new BodySet(run, stage.scene, false);
    this.ghostBodies = ghost ? new BodySet(ghost, stage.scene, true) : null;
    this.contacts = new ContactLayer(stage.scene, 0.0063 * stage.radius);
    this.joints = new JointLayer([...run.head.joints, ...arms(run), ...cables(run)], run.head.shapes, stage.radius * 0.012);
    stage.scene.add(this.joints.group);
    this.loads = new LoadLayer(run, stage.scene, 0.14 * stage.radius);
    this.labels = new Labels(run, stage, stage.renderer.domElement.parentElement!);
    this.layers.names = this.layers.sites = run.isStart;
    this.chooseScales();
  }

  // Again when a run in progress has twice as many frames. True if they were chosen.
  chooseScales(): boolean {
    if (this.run.frames < 2 * this.measured) return false;
    this.measured = this.run.frames;
    [this.typicalForce, this.typicalMoment] = typicalLoads(this.run, this.stage.radius);
    this.deepest = deepest(this.run);
    this.fastest = fastest(this.run);
    return true;
  }

  get arrowScale(): number {
    return (this.arrowFactor * 0.3 * this.stage.radius) / this.typicalForce;
  }

  get momentScale(): number {
    return (this.arrowFactor * 0.2 * this.stage.radius) / this.typicalMoment;
  }

  shown(): string {
    return LAYERS.filter((layer) => this.layers[layer]).join(",") || "none";
  }

  setShown(list: string): void {
    const names = list.split(",");
    for (const layer of LAYERS) this.layers[layer] = names.includes(layer);
  }

  update(t: number, frame: number, theme: Theme): void {
    this.bodies.chooseDetail(this.stage.scale);
    this.bodies.moveTo(t);
    this.ghostBodies?.setVisible(this.layers.ghost);
    if (this.ghostBodies && this.layers.ghost) this.ghostBodies.moveTo(t);
    this.joints.group.visible = this.layers.joints;
    this.joints.setTheme(theme);
    this.joints.moveTo(this.bodies.poses, t);
    this.contacts.show(this.run.contacts(frame), {
      points: this.layers.points, arrows: this.layers.arrows, cones: this.layers.cones,
      byGap: this.colour === "penetration", deepest: this.deepest, arrowScale: this.arrowScale,
      coneHeight: 0.14 * this.stage.radius, step: this.run.head.step, chosen: this.chosenContact,
    });
    this.loads.show(this.bodies.poses, frame, {
      reactions: this.layers.reactions, actuators: this.layers.actuators, sites: this.layers.sites,
      force: this.arrowScale, moment: this.momentScale,
    });
    const kind = this.colour === "name" ? "name" : `${this.colour} ${frame}`;
    this.bodies.paint(theme, this.selected, kind, this.painter(frame));
    this.ghostBodies?.paint(theme, -1, "ghost", () => null);
    this.followSelected();
  }

  // After the picture, when the camera stands.
  updateLabels(): void {
    this.labels.show(this.bodies.poses, this.layers.names, this.selected);
  }

  private painter(frame: number): (body: number, out: Color) => Color | null {
    if (this.colour === "penetration") {
      const depth = depths(this.run, frame);
      return (body, out) => ramp((depth.get(body) ?? 0) / this.deepest, out);
    }
    if (this.colour === "speed")
      return (body, out) => ramp(speed(this.run, frame, body) / this.fastest, out);
    return () => null;
  }

  positionOf(body: number): Vector3 {
    return new Vector3().fromArray(this.bodies.poses, 7 * body);
  }

  poseOf(body: number): Float32Array {
    return this.bodies.poses.slice(7 * body, 7 * body + 7);
  }

  select(body: number): void {
    this.selected = body;
    if (body < 0) this.following = false;
  }

  follow(isOn: boolean): void {
    this.following = isOn && this.selected >= 0;
    if (!this.following) return;
    const at = this.positionOf(this.selected);
    this.stage.shift(at.clone().sub(this.stage.controls.target));
    this.lastSeen.copy(at);
  }

  // As the scene's camera does: from where the body was at the start.
  followFromStart(body: number): void {
    const poses = new Float32Array(7 * this.run.bodies);
    this.run.readPoses(0, poses);
    this.selected = body;
    this.following = true;
    this.lastSeen.fromArray(poses, 7 * body);
  }

  private followSelected(): void {
    if (!this.following || this.selected < 0) return;
    const at = this.positionOf(this.selected);
    this.stage.shift(at.clone().sub(this.lastSeen));
    this.lastSeen.copy(at);
  }

  startFollowing(): void {
    if (this.selected >= 0) this.lastSeen.copy(this.positionOf(this.selected));
  }

  // x and y from -1 to 1.
  pick(x: number, y: number): number {
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(x, y), this.stage.camera);
    return this.bodies.pick(ray);
  }
}

// Points that are shapes of a body are seen at the ends of thin arms.
function arms(run: Run): JointInfo[] {
  return run.head.shapes.filter((shape) => shape.kind === "point" && shape.body >= 0).map((shape) => ({
    index: -1, name: "", kind: "distance", a: shape.body, b: shape.body,
    anchorA: [0, 0, 0], anchorB: shape.position, axis: [0, 0, 0],
  }));
}

// Actuators between two sites are seen as rods.
function cables(run: Run): JointInfo[] {
  const { sites, actuators } = run.head;
  return actuators.filter(({ siteA, siteB }) => siteA >= 0 && siteB >= 0).map(({ siteA, siteB, from, until }) => ({
    index: -1, name: "", kind: "distance", a: sites[siteA].body, b: sites[siteB].body,
    anchorA: sites[siteA].position, anchorB: sites[siteB].position, axis: [0, 0, 0], from, until,
  }));
}

function deepest(run: Run): number {
  let most = 1e-12;
  for (const chunk of run.chunks)
    chunk.contacts?.gap.forEach((gap) => (most = Math.max(most, -gap)));
  return most;
}

function fastest(run: Run): number {
  let most = 1e-9;
  const stride = Math.max(1, Math.floor(run.frames / 60));
  for (let frame = 0; frame < run.frames; frame += stride)
    for (let body = 0; body < run.bodies; body++) most = Math.max(most, speed(run, frame, body));
  return most;
}

function speed(run: Run, frame: number, body: number): number {
  const v = run.velocity(frame, body);
  return v ? Math.hypot(v[0], v[1], v[2]) : 0;
}

function depths(run: Run, frame: number): Map<number, number> {
  const depth = new Map<number, number>();
  const span = run.contacts(frame);
  for (let k = span?.first ?? 0; k < (span ? span.first + span.count : 0); k++)
    for (const body of [span!.columns.a[k], span!.columns.b[k]])
      depth.set(body, Math.max(depth.get(body) ?? 0, -span!.columns.gap[k]));
  return depth;
}
