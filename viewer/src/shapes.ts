// Geometry of shapes. Shapes of one kind share a unit geometry and differ by scale, so that
// thousands of them are one draw call.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, SphereGeometry,
} from "three";
import type { Mesh, ShapeInfo } from "./payload";

export type Pattern = "edges" | "octants" | "quarters" | "none";

export interface Solid {
  key: string; // equal keys share the geometry
  scale: [number, number, number];
  pattern: Pattern;
  isFlat: boolean;
  make: (detail: number) => BufferGeometry; // detail: 1, less if there are thousands of them
}

const upright = (geometry: BufferGeometry) => geometry.rotateX(Math.PI / 2); // axis y -> z

function triangles(mesh: Mesh): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(mesh.vertices, 3));
  geometry.setIndex(new BufferAttribute(mesh.triangles, 1));
  geometry.computeVertexNormals();
  return geometry;
}

// null for planes, which are drawn as ground.
export function solidOf(shape: ShapeInfo, mesh: Mesh | undefined): Solid | null {
  const [x, y, z] = shape.size;
  if (mesh)
    return { key: `mesh ${mesh.shape}`, scale: [1, 1, 1], pattern: "none", isFlat: true,
      make: () => triangles(mesh) };
  switch (shape.kind) {
    case "plane":
      return null;
    case "sphere":
      return ball([x, x, x]);
    case "ellipsoid":
      return ball([x, y, z]);
    case "point":
      return ball([0.01, 0.01, 0.01]);
    case "box":
      return { key: "box", scale: [x, y, z], pattern: "edges", isFlat: false,
        make: () => new BoxGeometry(2, 2, 2) };
    case "cylinder":
      return { key: "cylinder", scale: [x, x, y], pattern: "quarters", isFlat: false,
        make: (detail) => upright(new CylinderGeometry(1, 1, 2, Math.ceil(48 * detail))) };
    case "capsule":
      return { key: `capsule ${x} ${y}`, scale: [1, 1, 1], pattern: "quarters", isFlat: false,
        make: (detail) => upright(new CapsuleGeometry(x, 2 * y, Math.ceil(10 * detail), Math.ceil(28 * detail))) };
    default:
      return null;
  }
}

function ball(scale: [number, number, number]): Solid {
  return { key: "ball", scale, pattern: "octants", isFlat: false,
    make: (detail) => new SphereGeometry(1, Math.ceil(40 * detail), Math.ceil(26 * detail)) };
}

// A tint in the body's own coordinates makes rotation visible: quarters of a wheel, octants of a
// ball, edges of a box.
export const PATTERN_CODE: Record<Pattern, string> = {
  edges: `
    vec3 side = abs(vLocal);
    float middle = max(min(side.x, side.y), min(max(side.x, side.y), side.z));
    float edge = smoothstep(1.0 - 1.6 * fwidth(middle), 1.0, middle);
    diffuseColor.rgb *= 1.0 - 0.28 * edge;`,
  octants: `
    vec3 half3 = clamp(vLocal / max(fwidth(vLocal), vec3(1e-4)), -1.0, 1.0);
    diffuseColor.rgb *= 0.9 + 0.1 * half3.x * half3.y * half3.z;`,
  quarters: `
    vec2 half2 = clamp(vLocal.xy / max(fwidth(vLocal.xy), vec2(1e-4)), -1.0, 1.0);
    diffuseColor.rgb *= 0.92 + 0.08 * half2.x * half2.y;`,
  none: "",
};
