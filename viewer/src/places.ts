// Points and directions of bodies in the world, from their poses (position 3, rotation w x y z).
import { Quaternion, Vector3 } from "three";
import { rotate } from "./bodies";
import type { SiteInfo } from "./payload";

export function turned(poses: Float32Array, body: number, v: number[], out = new Vector3()): Vector3 {
  if (body < 0) return out.set(v[0], v[1], v[2]);
  const p = 7 * body;
  return out.set(...rotate(poses[p + 3], poses[p + 4], poses[p + 5], poses[p + 6], v[0], v[1], v[2]));
}

export function pointOf(poses: Float32Array, body: number, at: number[], out = new Vector3()): Vector3 {
  turned(poses, body, at, out);
  if (body >= 0) out.set(out.x + poses[7 * body], out.y + poses[7 * body + 1], out.z + poses[7 * body + 2]);
  return out;
}

// A vector in the axes of a site.
export function inSite(poses: Float32Array, site: SiteInfo, v: number[], out = new Vector3()): Vector3 {
  const [w, x, y, z] = site.rotation;
  out.set(v[0], v[1], v[2]).applyQuaternion(new Quaternion(x, y, z, w));
  return turned(poses, site.body, out.toArray(), out);
}
