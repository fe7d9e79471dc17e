// Joints and springs: rods, ropes and coils between their anchors, small marks elsewhere.
import {
  BufferGeometry, Color, Curve, CylinderGeometry, Group, Mesh, MeshStandardMaterial, Quaternion,
  SphereGeometry, TubeGeometry, Vector3,
} from "three";
import { rotate } from "./bodies";
import type { Theme } from "./palette";
import type { JointInfo, ShapeInfo } from "./payload";

const UP = new Vector3(0, 0, 1);
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
    return out.set(r * Math.cos(angle), r * Math.sin(angle), part);
  }
}

function geometryOf(kind: string): BufferGeometry {
  if (kind === "spring") return new TubeGeometry(new Helix(), 260, 0.16, 6);
  if (LINKS.includes(kind)) return new CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
  if (kind === "hinge" || kind === "slider" || kind === "cylindrical")
    return new CylinderGeometry(1, 1, 5, 20).rotateX(Math.PI / 2);
  return new SphereGeometry(1.5, 20, 14);
}

export class JointLayer {
  readonly group = new Group();
  private readonly material = new MeshStandardMaterial({ roughness: 0.5, metalness: 0.15 });
  private readonly marks: { mesh: Mesh; joint: JointInfo; size: number }[] = [];

  constructor(joints: JointInfo[], shapes: ShapeInfo[], private readonly size: number) {
    for (const joint of joints) {
      const mesh = new Mesh(geometryOf(joint.kind), this.material);
      mesh.castShadow = true;
      this.group.add(mesh);
      this.marks.push({ mesh, joint, size: Math.min(size, 0.5 * thinnest(shapes, joint)) });
    }
  }

  setTheme(theme: Theme): void {
    this.material.color = new Color(theme.name === "light" ? "#3c4148" : "#aab4bf");
  }

  moveTo(poses: Float32Array): void {
    if (!this.group.visible) return;
    for (const { mesh, joint, size } of this.marks) {
      const a = anchor(poses, joint.a, joint.anchorA);
      if (LINKS.includes(joint.kind)) {
        const along = anchor(poses, joint.b, joint.anchorB).sub(a);
        const length = Math.max(along.length(), 1e-9);
        const width = this.size * (joint.kind === "spring" ? 2.2 : 0.45);
        mesh.quaternion.copy(new Quaternion().setFromUnitVectors(UP, along.divideScalar(length)));
        mesh.scale.set(width, width, length);
      } else {
        const axis = new Vector3(...turned(poses, joint.a, joint.axis));
        if (axis.lengthSq() > 0) mesh.quaternion.setFromUnitVectors(UP, axis.normalize());
        mesh.scale.setScalar(size * 0.8);
      }
      mesh.position.copy(a);
    }
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

function turned(poses: Float32Array, body: number, v: number[]): [number, number, number] {
  if (body < 0) return [v[0], v[1], v[2]];
  const p = 7 * body;
  return rotate(poses[p + 3], poses[p + 4], poses[p + 5], poses[p + 6], v[0], v[1], v[2]);
}

function anchor(poses: Float32Array, body: number, at: number[]): Vector3 {
  const v = new Vector3(...turned(poses, body, at));
  if (body >= 0) v.add(new Vector3(poses[7 * body], poses[7 * body + 1], poses[7 * body + 2]));
  return v;
}
