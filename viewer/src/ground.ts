// Planes of the world as ground: a grid that fades out, and the shadows that fall on it.
import {
  Color, DoubleSide, FrontSide, Group, Mesh, PlaneGeometry, Quaternion, ShaderMaterial, ShadowMaterial,
} from "three";
import { givenColour, type Theme } from "./palette";
import type { ShapeInfo } from "./payload";

const VERTEX = `
  varying vec2 vAt;
  void main() {
    vAt = position.xy;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;

// Lines at every unit and bold ones at every tenth, one pixel wide at any distance.
const FRAGMENT = `
  uniform vec3 line; uniform vec3 ground; uniform vec3 background;
  uniform float radius; uniform float unit; uniform float fill;
  varying vec2 vAt;
  float lines(float spacing, float width) {
    vec2 at = vAt / spacing;
    vec2 slope = fwidth(at);
    vec2 near = abs(fract(at - 0.5) - 0.5) / max(slope, vec2(1e-6));
    float crowd = clamp(1.0 - 2.0 * max(slope.x, slope.y), 0.0, 1.0);
    return (1.0 - clamp(min(near.x, near.y) / width, 0.0, 1.0)) * crowd;
  }
  void main() {
    float fade = 1.0 - smoothstep(0.25 * radius, radius, length(vAt));
    float ink = max(0.16 * lines(unit, 1.0), 0.34 * lines(10.0 * unit, 1.25));
    vec3 colour = mix(background, mix(ground, line, ink), fade);
    gl_FragColor = fill > 0.5 ? vec4(colour, fade) : vec4(line, (0.05 + ink) * fade);
    #include <colorspace_fragment>
  }`;

// Faces of shapes that lie in the ground are drawn before it, and so are shadows on it.
const behind = (by: number) => ({ polygonOffset: true, polygonOffsetFactor: by, polygonOffsetUnits: 4 * by });

// z of the plane's normal
const upwards = ([, x, y]: number[]): number => 1 - 2 * (x * x + y * y);

export class Ground {
  readonly group = new Group();
  private readonly grid: ShaderMaterial;
  private readonly shadow = new ShadowMaterial({ transparent: true, ...behind(1) });

  private readonly own: Color | null; // the scene's colour

  // A plane that one could stand on is opaque from above, and hides others below it; a wall is a few lines seen
  // from inside.
  constructor(plane: ShapeInfo | null, radius: number, floor: number, centre: number[], isAlone: boolean) {
    this.own = plane && givenColour(plane);
    const isFloor = !plane || upwards(plane.rotation) > 0.5;
    const unit = 10 ** Math.floor(Math.log10(Math.max(radius, 1e-6)) - 0.35);
    this.grid = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: isFloor && !isAlone,
      side: isFloor && !plane ? DoubleSide : FrontSide, ...behind(3),
      uniforms: {
        line: { value: new Color() }, ground: { value: new Color() },
        background: { value: new Color() }, radius: { value: (isFloor ? 7 : 1.3) * radius }, unit: { value: unit },
        fill: { value: isFloor ? 1 : 0 },
      },
    });
    const sheet = new PlaneGeometry(14 * radius, 14 * radius);
    const grid = new Mesh(sheet, this.grid);
    grid.renderOrder = -2;
    this.group.add(grid);
    if (plane && isFloor) {
      const shadow = new Mesh(sheet, this.shadow);
      shadow.receiveShadow = true;
      shadow.renderOrder = -1;
      this.group.add(shadow);
    }
    this.place(plane, floor, centre, 10 * unit);
  }

  // The sheet lies under the middle of the scene, its lines where they would be around the origin.
  private place(plane: ShapeInfo | null, floor: number, centre: number[], cell: number): void {
    const round = (x: number) => Math.round(x / cell) * cell;
    if (!plane) {
      this.group.position.set(round(centre[0]), round(centre[1]), floor);
      return;
    }
    const [w, x, y, z] = plane.rotation;
    const turn = new Quaternion(x, y, z, w);
    const back = turn.clone().invert();
    const at = this.group.position.set(centre[0] - plane.position[0], centre[1] - plane.position[1],
      centre[2] - plane.position[2]).applyQuaternion(back);
    at.set(round(at.x), round(at.y), 0).applyQuaternion(turn);
    at.x += plane.position[0];
    at.y += plane.position[1];
    at.z += plane.position[2];
    this.group.quaternion.copy(turn);
  }

  setTheme(theme: Theme): void {
    const set = (name: string, value: string | Color) => this.grid.uniforms[name].value.set(value);
    set("line", theme.line);
    set("ground", this.own ?? theme.ground);
    set("background", theme.background);
    this.shadow.opacity = theme.shadow;
  }
}
