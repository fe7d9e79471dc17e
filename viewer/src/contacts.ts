// Contacts in space: points, force arrows, friction cones.
import {
  BufferGeometry, Color, ConeGeometry, DoubleSide, Float32BufferAttribute, Matrix4, MeshBasicMaterial, Points,
  Quaternion, Scene, ShaderMaterial, Vector3,
} from "three";
import { Arrows, Pool } from "./arrows";
import { ramp, STATUS_COLOUR } from "./palette";
import type { ContactSpan } from "./run";

export interface ContactStyle {
  points: boolean;
  arrows: boolean;
  cones: boolean;
  byGap: boolean; // colour by penetration, else by status
  deepest: number; // m, the penetration that is coloured as the worst
  arrowScale: number; // m per N
  coneHeight: number; // m
  step: number; // s, turns impulses into forces
  chosen: number; // index within the frame, -1: none
}

const COLOURS = STATUS_COLOUR.map((colour) => new Color(colour));
const UP = new Vector3(0, 0, 1);
const DOT = 9; // diameter of a contact point in pixels of the page

function makePoints(): Points<BufferGeometry, ShaderMaterial> {
  const material = new ShaderMaterial({
    uniforms: { size: { value: DOT } }, depthTest: false, transparent: true,
    vertexShader: `
      attribute vec3 tint; attribute float large;
      uniform float size;
      varying vec3 vTint;
      void main() {
        vTint = tint;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
        gl_PointSize = max(size, 3.0) * (1.0 + large);
      }`,
    fragmentShader: `
      varying vec3 vTint;
      void main() {
        float r = 2.0 * length(gl_PointCoord - 0.5);
        float soft = fwidth(r);
        float disc = 1.0 - smoothstep(1.0 - soft, 1.0, r);
        vec3 colour = mix(vTint, vec3(1.0), smoothstep(0.62 - soft, 0.62, r) * 0.85);
        gl_FragColor = vec4(colour, disc);
        #include <colorspace_fragment>
      }`,
  });
  const points = new Points(new BufferGeometry(), material);
  points.frustumCulled = false;
  points.renderOrder = 5;
  // of the same size on the screen, whatever part of its resolution is drawn
  points.onBeforeRender = (renderer) => {
    material.uniforms.size.value = DOT * renderer.getPixelRatio();
    material.uniformsNeedUpdate = true;
  };
  return points;
}

export class ContactLayer {
  private readonly points = makePoints();
  private readonly arrows: Arrows;
  private readonly cones: Pool;
  private readonly matrix = new Matrix4();
  private readonly turn = new Quaternion();
  private readonly at = new Vector3();
  private readonly size = new Vector3();
  private readonly along = new Vector3();
  private readonly colour = new Color();

  constructor(scene: Scene, thick: number) {
    scene.add(this.points);
    this.arrows = new Arrows(scene, thick);
    const cone = new ConeGeometry(1, 1, 32, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
    this.cones = new Pool(scene, cone, new MeshBasicMaterial({
      transparent: true, opacity: 0.26, side: DoubleSide, depthWrite: false, depthTest: false,
    }));
  }

  show(span: ContactSpan | null, style: ContactStyle): void {
    this.showPoints(style.points ? span : null, style);
    this.showArrows(style.arrows ? span : null, style);
    this.showCones(style.cones ? span : null, style);
  }

  private colourOf(span: ContactSpan, k: number, style: ContactStyle): Color {
    if (style.byGap) return ramp(-span.columns.gap[k] / style.deepest, this.colour);
    return this.colour.copy(COLOURS[span.columns.status[k]] ?? COLOURS[0]);
  }

  private showPoints(span: ContactSpan | null, style: ContactStyle): void {
    const count = span?.count ?? 0;
    const tint = new Float32Array(3 * count);
    const large = new Float32Array(count);
    for (let k = 0; k < count; k++) {
      this.colourOf(span!, span!.first + k, style).toArray(tint, 3 * k);
      // contacts without impulse are in the table only, unless one is chosen there
      const isOpen = span!.columns.status[span!.first + k] === 0;
      large[k] = k === style.chosen ? 0.9 : isOpen ? -1 : 0;
    }
    const at = span ? span.columns.point.slice(3 * span.first, 3 * (span.first + count)) : [];
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new Float32BufferAttribute(at, 3));
    geometry.setAttribute("tint", new Float32BufferAttribute(tint, 3));
    geometry.setAttribute("large", new Float32BufferAttribute(large, 1));
    this.points.geometry.dispose();
    this.points.geometry = geometry;
    this.points.visible = count > 0;
  }

  // The force acts on a; drawn on b, turned round, if a is the world.
  private showArrows(span: ContactSpan | null, style: ContactStyle): void {
    const count = span?.count ?? 0;
    this.arrows.begin(count);
    for (let i = 0; i < count; i++) {
      const k = span!.first + i;
      this.at.fromArray(span!.columns.point, 3 * k);
      this.along.fromArray(span!.columns.impulse, 3 * k)
        .multiplyScalar((sideOf(span!, k) * style.arrowScale) / style.step);
      this.arrows.add(this.at, this.along, this.colourOf(span!, k, style));
    }
    this.arrows.end();
  }

  private showCones(span: ContactSpan | null, style: ContactStyle): void {
    const count = span?.count ?? 0;
    this.cones.begin(count);
    for (let i = 0; i < count; i++) {
      const k = span!.first + i;
      this.at.fromArray(span!.columns.point, 3 * k);
      this.along.fromArray(span!.columns.normal, 3 * k).multiplyScalar(sideOf(span!, k));
      this.turn.setFromUnitVectors(UP, this.along);
      // all cones have the same side length, however wide they are
      const angle = Math.atan(span!.columns.mu[k]);
      const height = span!.columns.status[k] === 0 ? 0 : style.coneHeight * Math.cos(angle);
      const width = height * Math.tan(angle);
      this.matrix.compose(this.at, this.turn, this.size.set(width, width, height));
      this.cones.set(i, this.matrix, this.colourOf(span!, k, style));
    }
    this.cones.end(count);
  }
}

const sideOf = (span: ContactSpan, k: number): number => (span.columns.a[k] < 0 ? -1 : 1);
