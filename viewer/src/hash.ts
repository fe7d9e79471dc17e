// Camera, time and choices in the address, so that a link shows the same picture.
import type { Measures } from "./measures";
import type { Player } from "./player";
import type { Stage } from "./stage";
import type { View } from "./view";

const short = (x: number) => Number(x.toPrecision(5)).toString();

export function writeHash(stage: Stage, player: Player, view: View, measures: Measures): void {
  const parts = new URLSearchParams();
  parts.set("t", player.t.toFixed(4));
  parts.set("camera", [...stage.camera.position.toArray(), ...stage.controls.target.toArray()].map(short).join(","));
  const shown = view.shown();
  if (shown) parts.set("show", shown);
  if (view.colour !== "name") parts.set("colour", view.colour);
  for (const name of measures.drawn) parts.append("plot", name);
  if (view.selected >= 0) parts.set("body", view.run.bodyName(view.selected));
  if (document.body.classList.contains("bare")) parts.set("bare", "1");
  if (view.following) parts.set("follow", "1");
  history.replaceState(null, "", `#${parts.toString().replace(/%2C/g, ",")}`);
}

export function readHash(stage: Stage, player: Player, view: View, measures: Measures): void {
  const parts = new URLSearchParams(location.hash.slice(1));
  const camera = (parts.get("camera") ?? "").split(",").map(Number);
  if (camera.length === 6 && camera.every(Number.isFinite)) {
    stage.isHome = false;
    stage.camera.position.fromArray(camera);
    stage.controls.target.fromArray(camera, 3);
    stage.controls.update();
  }
  const show = parts.get("show");
  if (show !== null) view.setShown(show);
  const colour = parts.get("colour");
  if (colour === "penetration" || colour === "speed") view.colour = colour;
  if (parts.has("plot")) measures.draw(parts.getAll("plot"));
  const body = parts.get("body");
  if (body !== null) view.selected = view.run.head.bodies.findIndex((b) => b.name === body);
  view.following = parts.get("follow") === "1" && view.selected >= 0;
  const t = parts.get("t") === null ? NaN : Number(parts.get("t"));
  if (Number.isFinite(t)) player.seek(t);
}
