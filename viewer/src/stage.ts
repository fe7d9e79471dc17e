// Camera, light, ground and renderer.
import {
  ACESFilmicToneMapping, Box3, Color, DirectionalLight, HemisphereLight, Matrix4, Object3D, PCFSoftShadowMap,
  PerspectiveCamera, Quaternion, Scene, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { isCrowd } from "./bodies";
import { Ground } from "./ground";
import type { Theme } from "./palette";
import { pointOf } from "./places";
import type { CameraInfo, ShapeInfo } from "./payload";
import type { Run } from "./run";

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(38, 1, 0.01, 1000);
  readonly renderer: WebGLRenderer;
  readonly controls: OrbitControls;
  readonly radius: number;
  sharpness = 1; // part of the screen's resolution, less while a slow machine shows motion
  isHome = true; // nobody moved the camera: it may be moved to see everything
  private readonly given: CameraInfo | undefined; // the scene's camera
  private readonly margin: number; // part of the picture that the scene may fill
  private centre: Vector3;
  private box: Box3;
  private readonly sun = new DirectionalLight(0xfff4e2, 2);
  private readonly sky = new HemisphereLight(0xffffff, 0xb8a88c, 0.6);
  private readonly fill = new DirectionalLight(0xdfe9ff, 0.8); // from the other side, no shadow
  private readonly grounds: Ground[] = [];

  constructor(private readonly holder: HTMLElement, run: Run) {
    this.renderer = new WebGLRenderer({ antialias: !isCrowd(run), preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = !isCrowd(run);
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.renderer.toneMapping = ACESFilmicToneMapping;
    this.renderer.domElement.setAttribute("role", "img");
    this.renderer.domElement.setAttribute("aria-label", `picture of ${run.head.title}`);
    holder.append(this.renderer.domElement);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.14;
    this.controls.addEventListener("start", () => { this.isHome = false; });
    const box = measure(run);
    this.given = run.head.camera;
    this.margin = run.isStart ? 0.78 : 0.93;
    this.box = box;
    this.centre = box.getCenter(new Vector3());
    this.radius = Math.max(box.getSize(new Vector3()).length() / 2, 1e-3);
    this.addLight();
    this.addGrounds(run, box);
    this.home();
  }

  private addLight(): void {
    const r = 1.6 * this.radius;
    this.sun.castShadow = this.renderer.shadowMap.enabled;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.sun.shadow.normalBias = 0.004 * this.radius;
    this.sun.shadow.bias = -0.0004;
    Object.assign(this.sun.shadow.camera, { left: -r, right: r, top: r, bottom: -r, near: 0.1 * r, far: 6 * r });
    this.sun.target.position.copy(this.centre);
    this.sun.position.copy(this.centre).add(new Vector3(-0.9, -1.35, 2.1).multiplyScalar(r));
    this.sky.position.set(0, 0, 1);
    this.fill.position.copy(this.centre).add(new Vector3(1.6, -0.7, 0.5).multiplyScalar(r));
    this.fill.target.position.copy(this.centre);
    this.scene.add(this.sun as Object3D, this.sun.target, this.sky as Object3D,
      this.fill as Object3D, this.fill.target);
  }

  private addGrounds(run: Run, box: Box3): void {
    const planes = run.head.shapes.filter((shape) => shape.kind === "plane" && shape.body < 0);
    const middle = this.centre.toArray();
    const add = (plane: (typeof planes)[number] | null) =>
      this.grounds.push(new Ground(plane, this.radius, box.min.z, middle, planes.length < 2));
    planes.forEach(add);
    if (planes.length === 0) add(null);
    for (const ground of this.grounds) this.scene.add(ground.group);
  }

  // A run in progress has come further: the camera at home sees it all.
  see(run: Run): void {
    this.box = measure(run);
    this.centre = this.box.getCenter(new Vector3());
    if (this.isHome) this.home();
  }

  setTheme(theme: Theme): void {
    this.scene.background = new Color(theme.background);
    this.sun.intensity = theme.sun;
    this.sky.intensity = theme.sky;
    this.fill.intensity = theme.fill;
    for (const ground of this.grounds) ground.setTheme(theme);
  }

  // Where the scene's camera stands, or from where all is seen.
  home(): void {
    this.isHome = true;
    if (this.given) {
      this.controls.target.fromArray(this.given.at);
      this.camera.position.fromArray(this.given.from);
      if (this.given.fieldOfView > 0) this.camera.fov = (this.given.fieldOfView * 180) / Math.PI;
      this.range(Math.max(this.camera.position.distanceTo(this.controls.target), this.radius));
      return;
    }
    const from = new Vector3(0.62, -1, 0.5).normalize();
    const distance = Math.max(this.fit(from), 0.5 * this.radius);
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).addScaledVector(from, distance);
    this.range(distance);
  }

  private range(distance: number): void {
    this.camera.near = distance / 500;
    this.camera.far = distance * 30;
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  // The distance from which the whole box is seen, with a margin.
  private fit(from: Vector3): number {
    const right = new Vector3().crossVectors(this.camera.up, from).normalize();
    const up = new Vector3().crossVectors(from, right);
    const high = Math.tan((this.camera.fov * Math.PI) / 360) * this.margin;
    const wide = high * this.camera.aspect;
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const at = new Vector3(corner & 1 ? this.box.max.x : this.box.min.x,
        corner & 2 ? this.box.max.y : this.box.min.y, corner & 4 ? this.box.max.z : this.box.min.z).sub(this.centre);
      const near = at.dot(from);
      distance = Math.max(distance, near + Math.abs(at.dot(right)) / wide, near + Math.abs(at.dot(up)) / high);
    }
    return distance;
  }

  // Looks along an axis at the same distance.
  look(x: number, y: number, z: number): void {
    this.isHome = false;
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.position.copy(this.controls.target)
      .add(new Vector3(x, y, z).normalize().multiplyScalar(distance));
    this.controls.update();
  }

  // Moves camera and target along, so that what moved by this stays where it is on the screen.
  shift(move: Vector3): void {
    this.isHome = false;
    this.controls.target.add(move);
    this.camera.position.add(move);
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.holder;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(this.sharpness * Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.isHome) this.home();
  }

  // Pixels of a metre at the camera's target.
  get scale(): number {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return this.renderer.domElement.height / (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360));
  }

  setSharpness(sharpness: number): void {
    this.sharpness = sharpness;
    this.resize();
  }

  render(): void {
    this.renderer.render(this.scene, this.camera);
  }
}

// Half lengths of the shape's box, in its own axes.
function halves(shape: ShapeInfo, mesh: Float32Array | undefined): number[] {
  const [x, y, z] = shape.size;
  if (mesh) return [0, 1, 2].map((axis) => mesh.reduce((most, v, k) => (k % 3 === axis ? Math.max(most, Math.abs(v)) : most), 0));
  if (shape.kind === "box" || shape.kind === "ellipsoid") return [x, y, z];
  if (shape.kind === "cylinder") return [x, x, y];
  if (shape.kind === "capsule") return [x, x, x + y];
  return [x, x, x];
}

// Half lengths along the world's axes of a box that is turned.
function extent(half: number[], turn: Quaternion): number[] {
  const axes = new Matrix4().makeRotationFromQuaternion(turn).elements;
  return [0, 1, 2].map((row) => half.reduce((sum, h, column) => sum + Math.abs(axes[4 * column + row]) * h, 0));
}

// The box in which nearly everything happens; what flies far away does not count.
function measure(run: Run): Box3 {
  const points: number[][] = [[], [], []];
  const meshes = new Map(run.meshes.map((mesh) => [mesh.shape, mesh.vertices]));
  const poses = new Float32Array(7 * run.bodies);
  const samples = Math.min(run.frames, 12);
  for (let s = 0; s < Math.max(samples, 1); s++) {
    run.readPoses(Math.round((s * (run.frames - 1)) / Math.max(samples - 1, 1)), poses);
    run.head.shapes.forEach((shape, k) => {
      if (shape.kind === "plane" || (shape.body < 0 && s > 0)) return;
      const [w, x, y, z] = shape.rotation;
      const turn = new Quaternion(x, y, z, w);
      const at = new Vector3(...shape.position);
      if (shape.body >= 0) {
        const p = poses.subarray(7 * shape.body, 7 * shape.body + 7);
        const pose = new Quaternion(p[4], p[5], p[6], p[3]);
        at.applyQuaternion(pose).add(new Vector3(p[0], p[1], p[2]));
        turn.premultiply(pose);
      }
      const size = extent(halves(shape, meshes.get(k)), turn);
      at.toArray().forEach((x, axis) => points[axis].push(x - size[axis], x + size[axis]));
    });
    // where springs, ropes and joints are held
    for (const joint of run.head.joints)
      for (const at of [pointOf(poses, joint.a, joint.anchorA), pointOf(poses, joint.b, joint.anchorB)])
        at.toArray().forEach((x, axis) => points[axis].push(x));
  }
  const box = new Box3(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 0.5));
  if (points[0].length === 0) return box;
  const cut = points[0].length > 60 ? 0.015 : 0;
  const ends = points.map((list) => {
    const sorted = Float64Array.from(list).sort();
    const skip = Math.floor(cut * sorted.length);
    return [sorted[skip], sorted[sorted.length - 1 - skip]];
  });
  return box.set(new Vector3(ends[0][0], ends[1][0], ends[2][0]), new Vector3(ends[0][1], ends[1][1], ends[2][1]));
}
