// The panel at the side: the chosen body, the events, the run. The contacts have their own file.
import { byId, element, fixed, number } from "./format";
import { EVENT_COLOUR } from "./palette";
import type { Player } from "./player";
import type { View } from "./view";

export const TABS = ["body", "contacts", "events", "run"] as const;
export type Tab = (typeof TABS)[number];

export class Panel {
  tab: Tab = "run";
  onTab: () => void = () => undefined;
  onEvent: (index: number) => void = () => undefined;
  onSelect: (body: number) => void = () => undefined;
  private readonly fields = new Map<string, HTMLElement>();
  private builtFor = -2; // the body whose fields stand in the tab

  constructor(private readonly view: View, private readonly player: Player) {
    for (const tab of TABS) {
      const button = element("button", "", tab[0].toUpperCase() + tab.slice(1));
      button.dataset.tab = tab;
      button.setAttribute("role", "tab");
      button.addEventListener("click", () => this.open(tab));
      byId("tabs").append(button);
    }
    this.fillRun();
    this.fillEvents();
    this.open(this.tab);
  }

  open(tab: Tab): void {
    this.tab = tab;
    for (const other of TABS) byId(`tab-${other}`).hidden = other !== tab;
    for (const button of byId("tabs").querySelectorAll("button"))
      button.setAttribute("aria-selected", String(button.dataset.tab === tab));
    this.onTab();
  }

  // --- the run ----------------------------------------------------------------------------------

  fillRun(): void {
    const { head, frames } = this.view.run;
    const facts: [string, string][] = [
      ["bodies", `${head.bodies.length}`],
      ["shapes", `${head.shapes.length}`],
      ["simulated", `${plain(this.view.run.end)} s in steps of ${plain(head.step)} s`],
      ["frames", `${frames} here of ${head.frames} recorded`],
      ["events", `${this.view.run.events.length}`],
      ["verdict", head.verdict ?? "not recorded"],
      ["worst residual", number(most(this.view.run.series.get("certificate/worst")))],
      ["slip held", this.describeHeld()],
      ["deepest overlap", `${number(most(this.view.run.series.get("step/penetration")))} m`],
      ["state", head.finished ? "finished" : head.closed ? "stopped early" : "cut off, or still running"],
      ["made by", `perp ${head.perp}${head.commit ? `, ${head.commit.slice(0, 13)}` : ""}`],
    ];
    const list = element("dl");
    for (const [name, value] of facts) list.append(element("dt", "", name), element("dd", "", value));
    byId("tab-run").replaceChildren(list);
    if (this.view.ghost)
      byId("tab-run").append(element("p", "faint", `ghost: ${this.view.ghost.head.title}`));
    byId("tab-run").append(this.makeBodyList());
  }

  private describeHeld(): string {
    const { run } = this.view;
    if (!run.series.has("held/residual")) return "not recorded";
    const count = Array.from(run.t.keys()).filter((frame) => run.held(frame)).length;
    const off = number(1e6 * most(run.series.get("held/gap_error")), 3);
    return count === 0 ? "in no frame" : `in ${count} of ${run.frames} frames, gaps off by up to ${off} µm`;
  }

  private makeBodyList(): HTMLElement {
    const list = element("div", "bodies");
    const { bodies } = this.view.run.head;
    bodies.slice(0, 300).forEach((body, k) => {
      const button = element("button", "", body.name);
      button.addEventListener("click", () => this.onSelect(k));
      list.append(button);
    });
    if (bodies.length > 300) list.append(element("span", "faint", `and ${bodies.length - 300} more`));
    return list;
  }

  // --- the chosen body --------------------------------------------------------------------------

  private buildBody(): void {
    const holder = byId("tab-body");
    this.fields.clear();
    this.builtFor = this.view.selected;
    if (this.view.selected < 0) {
      holder.replaceChildren(element("p", "faint", "Click a body to see its name, mass, pose and velocity."));
      return;
    }
    const body = this.view.run.head.bodies[this.view.selected];
    const title = element("h2", "", body.name);
    title.id = "body-name";
    const list = element("dl");
    const add = (key: string, label: string) => {
      const value = element("dd", "numbers");
      this.fields.set(key, value);
      list.append(element("dt", "", label), value);
    };
    add("mass", "mass, kg");
    add("position", "position, m");
    add("rotation", "rotation w x y z");
    add("velocity", "velocity, m/s");
    add("spin", "spin, rad/s");
    add("speed", "speed, m/s");
    add("touches", "contacts");
    holder.replaceChildren(title, list);
  }

  showBody(): void {
    if (this.builtFor !== this.view.selected) this.buildBody();
    if (this.view.selected < 0) return;
    const pose = this.view.poseOf(this.view.selected);
    const { mass } = this.view.run.head.bodies[this.view.selected];
    const velocity = this.view.run.velocity(this.player.frame, this.view.selected);
    const row = (values: ArrayLike<number>, from: number, to: number, digits: number) =>
      Array.from(values).slice(from, to).map((x) => fixed(x, digits)).join("   ");
    this.set("mass", mass > 0 ? number(mass, 5) : "fixed");
    this.set("position", row(pose, 0, 3, 4));
    this.set("rotation", row(pose, 3, 7, 3));
    this.set("velocity", velocity ? row(velocity, 0, 3, 3) : "not in this page");
    this.set("spin", velocity ? row(velocity, 3, 6, 3) : "not in this page");
    this.set("speed", velocity ? fixed(Math.hypot(velocity[0], velocity[1], velocity[2]), 3) : "–");
    this.set("touches", this.touches());
  }

  private touches(): string {
    const span = this.view.run.contacts(this.player.frame);
    const others = new Map<number, number>();
    for (let k = span?.first ?? 0; k < (span ? span.first + span.count : 0); k++) {
      const [a, b] = [span!.columns.a[k], span!.columns.b[k]];
      if (a !== this.view.selected && b !== this.view.selected) continue;
      const other = a === this.view.selected ? b : a;
      others.set(other, (others.get(other) ?? 0) + 1);
    }
    return Array.from(others, ([body, n]) => `${this.view.run.bodyName(body)} ×${n}`).join(", ") || "none";
  }

  private set(key: string, text: string): void {
    const field = this.fields.get(key);
    if (field && field.textContent !== text) field.textContent = text;
  }

  // --- events -----------------------------------------------------------------------------------

  fillEvents(): void {
    const { run } = this.view;
    const limit = 500;
    const rows = run.events.slice(0, limit).map((event, k) => {
      const row = element("li");
      const button = element("button");
      button.style.setProperty("--chip", EVENT_COLOUR[event.kind] ?? "gray");
      const who = event.joint >= 0
        ? run.head.joints.find((joint) => joint.index === event.joint)?.name ?? `joint ${event.joint}`
        : `${run.bodyName(event.a)} · ${run.bodyName(event.b)}`;
      button.append(element("i", "dot"), element("time", "", `${event.t.toFixed(3)} s`),
        element("b", "", run.head.events[event.kind] ?? ""), element("span", "", who));
      button.addEventListener("click", () => this.onEvent(k));
      row.append(button);
      return row;
    });
    if (run.events.length > limit)
      rows.push(element("li", "faint", `and ${run.events.length - limit} more on the timeline`));
    if (run.events.length === 0) rows.push(element("li", "faint", "Nothing hit, slipped or took off."));
    byId("events-list").replaceChildren(...rows);
  }

  markEvent(index: number): void {
    const buttons = byId("events-list").querySelectorAll("button");
    buttons.forEach((button, k) => button.classList.toggle("chosen", k === index));
    buttons[index]?.scrollIntoView({ block: "nearest" });
  }
}

const plain = (x: number) => String(Number(x.toPrecision(6)));

function most(values: Float64Array | undefined): number {
  return values ? values.reduce((a, b) => Math.max(a, b), 0) : NaN;
}
