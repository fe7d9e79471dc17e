// All bodies of a run as instanced meshes.
import {
  Color, DynamicDrawUsage, InstancedMesh, MeshStandardMaterial, Object3D, Raycaster, Scene,
} from "three";
import { bodyColours, type Theme } from "./palette";
import type { Run } from "./run";
import { PATTERN_CODE, solidOf, type Pattern, type Solid } from "./shapes";

interface Group {
  mesh: InstancedMesh;
  bodies: number[]; // of each instance
  local: Float64Array; // of each instance: position 3, rotation 4, scale 3
}

const LOCAL = 10;
const CROWD = 4000; // shapes: more of them cast no shadows

// Coarser where there are many: a few hundred thousand triangles in all.
function detailOf(run: Run): number {
  const count = run.head.shapes.length;
  return count < 300 ? 1 : count < 2000 ? 0.5 : 0.25;
}

function makeMaterial(pattern: Pattern, isFlat: boolean, isGhost: boolean): MeshStandardMaterial {
  const material = new MeshStandardMaterial({ roughness: 0.62, metalness: 0.02, flatShading: isFlat });
  if (isGhost) {
    Object.assign(material, { transparent: true, opacity: 0.28, depthWrite: false });
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
  material.customProgramCacheKey = () => pattern;
  return material;
}

export class BodySet {
  readonly groups: Group[] = [];
  readonly poses: Float32Array;
  private readonly scratch: Float32Array;
  private readonly own: Color[];
  private readonly colour = new Color();

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
      const first = byKey.get(solid.key) ?? solid;
      byKey.set(solid.key, first);
      members.set(first, [...(members.get(first) ?? []), k]);
    });
    return members;
  }

  private addGroup(scene: Scene, solid: Solid, shapes: number[]): void {
    const infos = shapes.map((k) => this.run.head.shapes[k]);
    const meshes = new Map(this.run.meshes.map((mesh) => [mesh.shape, mesh]));
    const material = makeMaterial(solid.pattern, solid.isFlat, this.isGhost);
    const mesh = new InstancedMesh(solid.make(detailOf(this.run)), material, shapes.length);
    const local = new Float64Array(LOCAL * shapes.length);
    infos.forEach((info, i) => {
      const scale = solidOf(info, meshes.get(shapes[i]))!.scale;
      local.set([...info.position, ...info.rotation, ...scale], LOCAL * i);
    });
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.receiveShadow = !this.isGhost;
    mesh.castShadow = !this.isGhost && this.run.head.shapes.length < CROWD;
    mesh.setColorAt(0, this.colour);
    scene.add(mesh as Object3D);
    this.groups.push({ mesh, bodies: infos.map((info) => info.body), local });
  }

  moveTo(t: number): void {
    this.run.readPosesAt(t, this.poses, this.scratch);
    for (const group of this.groups) place(group, this.poses);
  }

  // part(body): a number for the ramp, or null for the body's own colour.
  paint(theme: Theme, selected: number, colourOf: (body: number, out: Color) => Color | null): void {
    const world = new Color(theme.world);
    const accent = new Color(theme.accent);
    const ghost = new Color(theme.faint);
    for (const group of this.groups) {
      group.bodies.forEach((body, i) => {
        let colour = world;
        if (this.isGhost) colour = ghost;
        else if (body >= 0) colour = colourOf(body, this.colour) ?? this.ownColour(body, world);
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

// matrix = pose of the body * pose of the shape * scale, written straight into the buffer
function place(group: Group, poses: Float32Array): void {
  const out = group.mesh.instanceMatrix.array as Float32Array;
  const { local, bodies } = group;
  for (let i = 0; i < bodies.length; i++) {
    const l = LOCAL * i;
    const p = 7 * bodies[i];
    const isWorld = bodies[i] < 0;
    const [bw, bx, by, bz] = isWorld ? [1, 0, 0, 0]
      : [poses[p + 3], poses[p + 4], poses[p + 5], poses[p + 6]];
    const [lw, lx, ly, lz] = [local[l + 3], local[l + 4], local[l + 5], local[l + 6]];
    const w = bw * lw - bx * lx - by * ly - bz * lz;
    const x = bw * lx + bx * lw + by * lz - bz * ly;
    const y = bw * ly - bx * lz + by * lw + bz * lx;
    const z = bw * lz + bx * ly - by * lx + bz * lw;
    const [tx, ty, tz] = rotate(bw, bx, by, bz, local[l], local[l + 1], local[l + 2]);
    const [sx, sy, sz] = [local[l + 7], local[l + 8], local[l + 9]];
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
    out[m + 12] = tx + (isWorld ? 0 : poses[p]);
    out[m + 13] = ty + (isWorld ? 0 : poses[p + 1]);
    out[m + 14] = tz + (isWorld ? 0 : poses[p + 2]);
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
