// All bodies of a run as instanced meshes.
import {
  BufferGeometry, Color, DynamicDrawUsage, InstancedMesh, MeshLambertMaterial, MeshStandardMaterial, Object3D, Raycaster, Scene,
} from "three";
import { bodyColours, givenColour, type Theme } from "./palette";
import type { ShapeInfo } from "./payload";
import type { Run } from "./run";
import { PATTERN_CODE, solidOf, type Pattern, type Solid } from "./shapes";

interface Group {
  mesh: InstancedMesh;
  bodies: number[]; // of each instance
  own: (Color | null)[]; // of each instance: the scene's colour
  local: Float64Array; // of each instance: position 3, rotation 4, scale 3
  size: number; // m, of one of them
  details: Map<number, BufferGeometry>; // made so far, by detail
  make: (detail: number) => BufferGeometry;
}

const LOCAL = 10;

// So many shapes are drawn plainly: coarse, without shadows, with a simple material.
export function isCrowd(run: Run): boolean {
  return run.head.shapes.length >= 4000;
}

// Coarser where there are many: a few hundred thousand triangles in all.
function detailOf(run: Run): number {
  const count = run.head.shapes.length;
  return count < 300 ? 1 : count < 2000 ? 0.5 : 0.25;
}

// Of a crowd, by the pixels that half of one measures: at most 16 triangles for a ball of six pixels.
function detailAt(pixels: number): number {
  return pixels < 3 ? 0.1 : pixels < 10 ? 0.18 : pixels < 30 ? 0.25 : 0.5;
}

function makeMaterial(pattern: Pattern, isFlat: boolean, isGhost: boolean,
  isPlain: boolean): MeshStandardMaterial | MeshLambertMaterial {
  const material = isPlain ? new MeshLambertMaterial({ flatShading: isFlat })
    : new MeshStandardMaterial({ roughness: 0.62, metalness: 0.02, flatShading: isFlat });
  if (isGhost) {
    // behind a body in the same place: what is seen of it is what differs
    Object.assign(material, { transparent: true, opacity: 0.5, depthWrite: false, polygonOffset: true,
      polygonOffsetFactor: 2, polygonOffsetUnits: 8 });
    return material;
  }
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vLocal;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvLocal = position;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vLocal;")
      .replace("#include <color_fragment>", `#include <color_fragment>\n${PATTERN_CODE[pattern]}`);
  };
  material.customProgramCacheKey = () => `${pattern} ${isPlain}`;
  return material;
}

const opacityOf = ({ colour }: ShapeInfo): number => (colour && colour[3] >= 0 ? Math.min(colour[3], 1) : 1);

export class BodySet {
  readonly groups: Group[] = [];
  readonly poses: Float32Array;
  private readonly scratch: Float32Array;
  private readonly own: Color[];
  private readonly colour = new Color();
  private painted = ""; // what the colours were made for

  constructor(readonly run: Run, scene: Scene, private readonly isGhost: boolean) {
    this.poses = new Float32Array(7 * run.bodies);
    this.scratch = new Float32Array(7 * run.bodies);
    this.own = bodyColours(run.head.bodies.map((body) => body.name), run.head.title);
    for (const [solid, shapes] of this.gather()) this.addGroup(scene, solid, shapes);
  }

  private gather(): Map<Solid, number[]> {
    const byKey = new Map<string, Solid>();
    const members = new Map<Solid, number[]>();
    const meshes = new Map(this.run.meshes.map((mesh) => [mesh.shape, mesh]));
    this.run.head.shapes.forEach((shape, k) => {
      const solid = solidOf(shape, meshes.get(k));
      if (!solid || (this.isGhost && shape.body < 0)) return;
      const key = `${solid.key} ${opacityOf(shape)}`; // a material has one opacity
      const first = byKey.get(key) ?? solid;
      byKey.set(key, first);
      members.set(first, [...(members.get(first) ?? []), k]);
    });
    return members;
  }

  private addGroup(scene: Scene, solid: Solid, shapes: number[]): void {
    const infos = shapes.map((k) => this.run.head.shapes[k]);
    const meshes = new Map(this.run.meshes.map((mesh) => [mesh.shape, mesh]));
    const crowd = isCrowd(this.run);
    const material = makeMaterial(solid.pattern, solid.isFlat, this.isGhost, crowd);
    const opacity = opacityOf(infos[0]);
    if (opacity < 1 && !this.isGhost) Object.assign(material, { transparent: true, opacity, depthWrite: opacity > 0.7 });
    const detail = detailOf(this.run);
    const geometry = solid.make(detail);
    const mesh = new InstancedMesh(geometry, material, shapes.length);
    const local = new Float64Array(LOCAL * shapes.length);
    infos.forEach((info, i) => {
      const scale = solidOf(info, meshes.get(shapes[i]))!.scale;
      local.set([...info.position, ...info.rotation, ...scale], LOCAL * i);
    });
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.receiveShadow = mesh.castShadow = !this.isGhost && !crowd;
    mesh.setColorAt(0, this.colour);
    scene.add(mesh as Object3D);
    this.groups.push({ mesh, bodies: infos.map((info) => info.body), own: infos.map(givenColour), local, size: Math.max(...local.subarray(7, LOCAL)),
      details: new Map([[detail, geometry]]), make: solid.make });
  }

  // scale: pixels of a metre, in the middle of the picture
  chooseDetail(scale: number): void {
    if (!isCrowd(this.run)) return;
    for (const group of this.groups) {
      const detail = detailAt(scale * group.size);
      const geometry = group.details.get(detail) ?? group.make(detail);
      group.details.set(detail, geometry);
      group.mesh.geometry = geometry;
    }
  }

  moveTo(t: number): void {
    this.run.readPosesAt(t, this.poses, this.scratch);
    for (const group of this.groups) place(group, this.poses);
  }

  // colourOf(body): a colour, or null for the body's own. kind: equal ones give the same colours, and
  // are not painted again.
  paint(theme: Theme, selected: number, kind: string, colourOf: (body: number, out: Color) => Color | null): void {
    const wanted = `${theme.name} ${selected} ${kind}`;
    if (wanted === this.painted) return;
    this.painted = wanted;
    const world = new Color(theme.world);
    const accent = new Color(theme.accent);
    const ghost = new Color(theme.ghost);
    for (const group of this.groups) {
      group.bodies.forEach((body, i) => {
        let colour = group.own[i] ?? world;
        if (this.isGhost) colour = ghost;
        else if (body >= 0) colour = colourOf(body, this.colour) ?? group.own[i] ?? this.ownColour(body, world);
        if (body >= 0 && body === selected && !this.isGhost)
          colour = this.colour.copy(colour).lerp(accent, 0.62);
        group.mesh.setColorAt(i, colour);
      });
      group.mesh.instanceColor!.needsUpdate = true;
    }
  }

  private ownColour(body: number, world: Color): Color {
    const isFixed = this.run.head.bodies[body].mass === 0;
    return isFixed ? this.colour.copy(world).lerp(this.own[body], 0.18) : this.own[body];
  }

  setVisible(isVisible: boolean): void {
    for (const group of this.groups) group.mesh.visible = isVisible;
  }

  // The body under the ray, -1 for the world's shapes and for nothing.
  pick(ray: Raycaster): number {
    let nearest = Infinity;
    let body = -1;
    for (const group of this.groups) {
      group.mesh.computeBoundingSphere();
      for (const hit of ray.intersectObject(group.mesh as Object3D, false)) {
        if (hit.distance >= nearest || hit.instanceId === undefined) continue;
        nearest = hit.distance;
        body = group.bodies[hit.instanceId];
      }
    }
    return body;
  }
}

// matrix = pose of the body * pose of the shape * scale, written straight into the buffer; nothing is
// allocated, since this is done for every shape in every picture
function place(group: Group, poses: Float32Array): void {
  const out = group.mesh.instanceMatrix.array as Float32Array;
  const { local, bodies } = group;
  for (let i = 0; i < bodies.length; i++) {
    const l = LOCAL * i;
    const p = 7 * bodies[i];
    const isWorld = bodies[i] < 0;
    const bw = isWorld ? 1 : poses[p + 3], bx = isWorld ? 0 : poses[p + 4];
    const by = isWorld ? 0 : poses[p + 5], bz = isWorld ? 0 : poses[p + 6];
    const lw = local[l + 3], lx = local[l + 4], ly = local[l + 5], lz = local[l + 6];
    const w = bw * lw - bx * lx - by * ly - bz * lz;
    const x = bw * lx + bx * lw + by * lz - bz * ly;
    const y = bw * ly - bx * lz + by * lw + bz * lx;
    const z = bw * lz + bx * ly - by * lx + bz * lw;
    const px = local[l], py = local[l + 1], pz = local[l + 2];
    const cx = 2 * (by * pz - bz * py), cy = 2 * (bz * px - bx * pz), cz = 2 * (bx * py - by * px);
    const sx = local[l + 7], sy = local[l + 8], sz = local[l + 9];
    const m = 16 * i;
    out[m] = (1 - 2 * (y * y + z * z)) * sx;
    out[m + 1] = 2 * (x * y + w * z) * sx;
    out[m + 2] = 2 * (x * z - w * y) * sx;
    out[m + 4] = 2 * (x * y - w * z) * sy;
    out[m + 5] = (1 - 2 * (x * x + z * z)) * sy;
    out[m + 6] = 2 * (y * z + w * x) * sy;
    out[m + 8] = 2 * (x * z + w * y) * sz;
    out[m + 9] = 2 * (y * z - w * x) * sz;
    out[m + 10] = (1 - 2 * (x * x + y * y)) * sz;
    out[m + 12] = px + bw * cx + by * cz - bz * cy + (isWorld ? 0 : poses[p]);
    out[m + 13] = py + bw * cy + bz * cx - bx * cz + (isWorld ? 0 : poses[p + 1]);
    out[m + 14] = pz + bw * cz + bx * cy - by * cx + (isWorld ? 0 : poses[p + 2]);
    out[m + 3] = out[m + 7] = out[m + 11] = 0;
    out[m + 15] = 1;
  }
  group.mesh.instanceMatrix.needsUpdate = true;
}

export function rotate(w: number, x: number, y: number, z: number,
  vx: number, vy: number, vz: number): [number, number, number] {
  const tx = 2 * (y * vz - z * vy);
  const ty = 2 * (z * vx - x * vz);
  const tz = 2 * (x * vy - y * vx);
  return [vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx];
}
