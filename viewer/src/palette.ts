// Colours: of the two themes, of bodies by their names, of contacts by what they do.
import { Color, SRGBColorSpace } from "three";
import type { ShapeInfo } from "./payload";

export interface Theme {
  name: "light" | "dark";
  background: string;
  ground: string;
  line: string;
  world: string;
  ink: string;
  faint: string;
  accent: string;
  ghost: string;
  shadow: number;
  sun: number;
  sky: number;
  fill: number;
}

export const LIGHT: Theme = {
  name: "light", background: "#f1efe9", ground: "#f7f5f0", line: "#8d8778", world: "#cfcabd",
  ink: "#23262b", faint: "#6f6b61", accent: "#0d5fd8", ghost: "#6a3fd0", shadow: 0.3, sun: 2.5, sky: 2.1, fill: 1.1,
};

export const DARK: Theme = {
  name: "dark", background: "#14181d", ground: "#191e24", line: "#5d6875", world: "#4a535d",
  ink: "#e8eaed", faint: "#8b95a1", accent: "#6db3ff", ghost: "#b79cff", shadow: 0.55, sun: 2.2, sky: 1.35, fill: 0.8,
};

// Stick, slip and impact are told apart by people who do not see red or green, too.
export const STATUS_COLOUR = ["#8f959c", "#1f7fbf", "#ee8a1d", "#c9256b"];
export const EVENT_COLOUR = ["#c9256b", "#ee8a1d", "#3a9e78", "#7b5cc4"];

export const LOAD_COLOUR = { reactions: "#7b5cc4", actuators: "#1d8a5b" };
export const SITE_COLOURS = ["#d0433b", "#3f9a3f", "#3a6fd8"]; // x y z

export const HELD_COLOUR = { light: "#a0692a", dark: "#e0b060" }; // steps with slip held

const BODIES = ["#cf6a45", "#e0a83e", "#6f9f6a", "#3f8f96", "#5b7db8", "#9a6fa3", "#b98a5e", "#c7667b"];

// domino-0, domino-1, ... belong together: one hue, slightly different light.
// Which hue comes first depends on the title, so that not every scene looks the same.
export function bodyColours(names: string[], title: string): Color[] {
  const families = new Map<string, number>();
  const start = Array.from(title).reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return names.map((name, k) => {
    const family = name.replace(/[-_. ]?\d+([-_. x]\d+)*$/, "");
    if (!families.has(family)) families.set(family, families.size);
    const colour = new Color(BODIES[(start + families.get(family)!) % BODIES.length]);
    const swing = ((k * 0.618034) % 1) - 0.5;
    return colour.offsetHSL(swing * 0.02, swing * 0.06, swing * 0.09);
  });
}

// The scene's colour of a shape, if it says one.
export const givenColour = ({ colour }: ShapeInfo): Color | null =>
  colour ? new Color().setRGB(colour[0], colour[1], colour[2], SRGBColorSpace) : null;

// From quiet to loud, the same order in grey.
const RAMP = ["#3b5b8c", "#3f8f96", "#8fb35f", "#e8b83e", "#e0662d", "#b81d3c"].map((c) => new Color(c));

export function ramp(part: number, out: Color): Color {
  const at = Math.min(Math.max(part, 0), 1) * (RAMP.length - 1);
  const low = Math.min(Math.floor(at), RAMP.length - 2);
  return out.copy(RAMP[low]).lerp(RAMP[low + 1], at - low);
}

export const RAMP_CSS = `linear-gradient(90deg, ${RAMP.map((c) => `#${c.getHexString()}`).join(", ")})`;
