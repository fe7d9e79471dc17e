// Joints and springs: rods, ropes and coils between their anchors, small marks elsewhere.
import {
  BufferGeometry, Color, Curve, CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshStandardMaterial,
  Object3D, Quaternion, SphereGeometry, TubeGeometry, Vector3,
} from "three";
import type { Theme } from "./palette";
import { exists, type JointInfo, type ShapeInfo } from "./payload";
import { pointOf, turned } from "./places";

const UP = new Vector3(0, 0, 1);
const COIL = 24; // length of a coil by its radius for which its wire is round
const LINKS = ["rope", "distance", "spring"];

class Helix extends Curve<Vector3> {
  constructor() {
    super();
  }

  getPoint(part: number, out = new Vector3()): Vector3 {
    const wound = Math.min(Math.max((part - 0.08) / 0.84, 0), 1);
    const angle = wound * 2 * Math.PI * 9;
    const isEnd = part < 0.08 || part > 0.92;
    const r = isEnd ? 0 : 1;
    return out.set(r * Math.cos(angle), r * Math.sin(angle), part * COIL);
  }
}

const GEOMETRY: Record<string, () => BufferGeometry> = {
  coil: () => new TubeGeometry(new Helix(), 260, 0.22, 6).scale(1, 1, 1 / COIL),
  rod: () => new CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5),
  pin: () => new CylinderGeometry(1, 1, 5, 20).rotateX(Math.PI / 2),
  ball: () => new SphereGeometry(1.5, 20, 14),
};

function formOf(kind: string): string {
  if (kind === "spring") return "coil";
  if (LINKS.includes(kind)) return "rod";
  return kind === "hinge" || kind === "slider" || kind === "cylindrical" ? "pin" : "ball";
}

interface Mark {
  joint: JointInfo;
  size: number;
}

// Those of a form are one draw call.
export class JointLayer {
  readonly group = new Group();
  private readonly material = new MeshStandardMaterial({ roughness: 0.5, metalness: 0.15 });
  private readonly forms: { mesh: InstancedMesh; marks: Mark[] }[] = [];
  private readonly turn = new Quaternion();
  private readonly scale = new Vector3();
  private readonly matrix = new Matrix4();

  constructor(joints: JointInfo[], shapes: ShapeInfo[], private readonly size: number) {
    for (const [form, make] of Object.entries(GEOMETRY)) {
      const marks = joints.filter((joint) => formOf(joint.kind) === form)
        .map((joint) => ({ joint, size: Math.min(size, 0.5 * thinnest(shapes, joint)) }));
      if (marks.length === 0) continue;
      const mesh = new InstancedMesh(make(), this.material, marks.length);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.castShadow = true;
      this.group.add(mesh as Object3D);
      this.forms.push({ mesh, marks });
    }
  }

  setTheme(theme: Theme): void {
    this.material.color = new Color(theme.name === "light" ? "#3c4148" : "#aab4bf");
  }

  moveTo(poses: Float32Array, t: number): void {
    if (!this.group.visible) return;
    for (const { mesh, marks } of this.forms) {
      mesh.count = 0;
      for (const mark of marks)
        if (exists(mark.joint, t)) mesh.setMatrixAt(mesh.count++, this.place(poses, mark));
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  private place(poses: Float32Array, { joint, size }: Mark): Matrix4 {
    const a = pointOf(poses, joint.a, joint.anchorA);
    if (LINKS.includes(joint.kind)) {
      const along = pointOf(poses, joint.b, joint.anchorB).sub(a);
      const length = Math.max(along.length(), 1e-9);
      const width = this.size * (joint.kind === "spring" ? 2.2 : 0.45);
      this.turn.setFromUnitVectors(UP, along.divideScalar(length));
      return this.matrix.compose(a, this.turn, this.scale.set(width, width, length));
    }
    const axis = turned(poses, joint.a, joint.axis);
    this.turn.setFromUnitVectors(UP, axis.lengthSq() > 0 ? axis.normalize() : UP);
    return this.matrix.compose(a, this.turn, this.scale.setScalar(size * 0.8));
  }
}

// The smallest half length of the shapes that the joint holds together.
function thinnest(shapes: ShapeInfo[], joint: JointInfo): number {
  let least = Infinity;
  for (const shape of shapes)
    if (shape.body >= 0 && (shape.body === joint.a || shape.body === joint.b))
      for (const size of shape.size) if (size > 0) least = Math.min(least, size);
  return least;
}
