// Camera, light, ground and renderer.
import {
  ACESFilmicToneMapping, Box3, Color, DirectionalLight, HemisphereLight, Object3D, PCFSoftShadowMap,
  PerspectiveCamera, PMREMGenerator, Scene, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { RoomEnvironment } from "three/examples/jsm/environments/RoomEnvironment.js";
import { Ground } from "./ground";
import type { Theme } from "./palette";
import type { Run } from "./run";

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(38, 1, 0.01, 1000);
  readonly renderer: WebGLRenderer;
  readonly controls: OrbitControls;
  readonly radius: number;
  private readonly centre: Vector3;
  private readonly sun = new DirectionalLight(0xfff4e2, 2);
  private readonly sky = new HemisphereLight(0xffffff, 0xb8a88c, 0.6);
  private readonly grounds: Ground[] = [];

  constructor(private readonly holder: HTMLElement, run: Run) {
    this.renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.renderer.toneMapping = ACESFilmicToneMapping;
    holder.append(this.renderer.domElement);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.14;
    const box = measure(run);
    this.centre = box.getCenter(new Vector3());
    this.radius = Math.max(box.getSize(new Vector3()).length() / 2, 1e-3);
    this.addLight();
    this.addGrounds(run, box);
    this.home();
  }

  private addLight(): void {
    const environment = new PMREMGenerator(this.renderer);
    this.scene.environment = environment.fromScene(new RoomEnvironment(), 0.04).texture;
    const r = 1.6 * this.radius;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 5;
    this.sun.shadow.normalBias = 0.004 * this.radius;
    this.sun.shadow.bias = -0.0004;
    Object.assign(this.sun.shadow.camera, { left: -r, right: r, top: r, bottom: -r, near: 0.1 * r, far: 6 * r });
    this.sun.target.position.copy(this.centre);
    this.sun.position.copy(this.centre).add(new Vector3(-0.9, -1.35, 2.1).multiplyScalar(r));
    this.sky.position.set(0, 0, 1);
    this.scene.add(this.sun as Object3D, this.sun.target, this.sky as Object3D);
  }

  private addGrounds(run: Run, box: Box3): void {
    const planes = run.head.shapes.filter((shape) => shape.kind === "plane" && shape.body < 0);
    const middle = this.centre.toArray();
    const add = (plane: (typeof planes)[number] | null) =>
      this.grounds.push(new Ground(plane, this.radius, box.min.z, middle));
    planes.forEach(add);
    if (planes.length === 0) add(null);
    for (const ground of this.grounds) this.scene.add(ground.group);
  }

  setTheme(theme: Theme): void {
    this.scene.background = new Color(theme.background);
    this.sun.intensity = theme.sun;
    this.sky.intensity = theme.sky;
    this.scene.environmentIntensity = theme.name === "light" ? 0.5 : 0.32;
    for (const ground of this.grounds) ground.setTheme(theme);
  }

  home(): void {
    const portrait = Math.max(1, 0.8 / Math.max(this.camera.aspect, 0.2));
    const distance = 3.05 * this.radius * portrait;
    const from = new Vector3(0.62, -1, 0.52).normalize().multiplyScalar(distance);
    this.controls.target.copy(this.centre);
    this.camera.position.copy(this.centre).add(from);
    this.camera.near = distance / 500;
    this.camera.far = distance * 30;
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  // Looks along an axis at the same distance.
  look(x: number, y: number, z: number): void {
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.position.copy(this.controls.target)
      .add(new Vector3(x, y, z).normalize().multiplyScalar(distance));
    this.controls.update();
  }

  // Moves camera and target along, so that what moved by this stays where it is on the screen.
  shift(move: Vector3): void {
    this.controls.target.add(move);
    this.camera.position.add(move);
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.holder;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  render(): void {
    this.renderer.render(this.scene, this.camera);
  }
}

const reach = (size: number[], kind: string, mesh: Float32Array | undefined): number => {
  if (mesh) return mesh.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  if (kind === "capsule") return size[0] + size[1];
  return Math.hypot(...size.filter((s) => s > 0)) / (kind === "sphere" ? 1 : 1.2);
};

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
      const size = reach(shape.size, shape.kind, meshes.get(k));
      for (let axis = 0; axis < 3; axis++) {
        const at = shape.body < 0 ? shape.position[axis] : poses[7 * shape.body + axis];
        points[axis].push(at - size, at + size);
      }
    });
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
