// The panel at the side: the chosen body, the events, the run. The contacts have their own file.
import { byId, element, fixed, number } from "./format";
import { EVENT_COLOUR } from "./palette";
import type { Head } from "./payload";
import type { Player } from "./player";
import type { Run } from "./run";
import type { View } from "./view";

export const TABS = ["body", "contacts", "joints", "sensors", "events", "run"] as const;
const NAMES = 300; // that are listed
export type Tab = (typeof TABS)[number];

export class Panel {
  tab: Tab = "run";
  onTab: () => void = () => undefined;
  onEvent: (index: number) => void = () => undefined;
  onSelect: (body: number) => void = () => undefined;
  private readonly fields = new Map<string, HTMLElement>();
  private builtFor = -2; // the body whose fields stand in the tab

  constructor(private readonly view: View, private readonly player: Player) {
    for (const tab of TABS) this.addTab(tab);
    byId("tabs").addEventListener("keydown", (event) => this.turn(event));
    this.fillFinder();
    this.fillRun();
    this.fillEvents();
    this.open(this.tab);
  }

  // Tabs of what the run does not have are left out.
  private addTab(tab: Tab): void {
    const { head } = this.view.run;
    const button = element("button", "", tab[0].toUpperCase() + tab.slice(1));
    button.dataset.tab = tab;
    button.id = `to-${tab}`;
    button.setAttribute("role", "tab");
    button.setAttribute("aria-controls", `tab-${tab}`);
    button.hidden = (tab === "joints" && head.joints.every((joint) => joint.index < 0)) ||
      (tab === "sensors" && head.sensors.length + head.values.length + head.actuators.length === 0);
    button.addEventListener("click", () => this.open(tab));
    byId("tabs").append(button);
    byId(`tab-${tab}`).setAttribute("role", "tabpanel");
    byId(`tab-${tab}`).setAttribute("aria-labelledby", button.id);
  }

  open(tab: Tab): void {
    this.tab = tab;
    for (const other of TABS) byId(`tab-${other}`).hidden = other !== tab;
    for (const button of byId("tabs").querySelectorAll("button")) {
      button.setAttribute("aria-selected", String(button.dataset.tab === tab));
      button.tabIndex = button.dataset.tab === tab ? 0 : -1;
    }
    this.onTab();
  }

  // Arrow keys among the tabs.
  private turn(event: KeyboardEvent): void {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.stopPropagation();
    event.preventDefault();
    const shown = Array.from(byId("tabs").querySelectorAll<HTMLButtonElement>("button:not([hidden])"));
    const next = shown[(shown.findIndex((button) => button.dataset.tab === this.tab) + step + shown.length) % shown.length];
    this.open(next.dataset.tab as Tab);
    next.focus();
  }

  // --- the run ----------------------------------------------------------------------------------

  fillRun(): void {
    const { head, frames } = this.view.run;
    const parts: [string, string][] = [
      ["bodies", `${head.bodies.length}`],
      ["shapes", `${head.shapes.length}`],
      ["joints", `${head.joints.filter((joint) => joint.index >= 0).length}`],
    ];
    const springs = head.joints.filter((joint) => joint.index < 0);
    for (const [name, list] of [["springs", springs], ["sites", head.sites], ["actuators", head.actuators], ["sensors", head.sensors]] as const)
      if (list.length > 0) parts.push([name, `${list.length}`]);
    const run: [string, string][] = this.view.run.isStart ? [] : [
      ["simulated", `${plain(this.view.run.end)} s in steps of ${plain(head.step)} s`],
      ["frames", `${frames} here of ${head.frames} recorded`],
      ["events", `${this.view.run.events.length}`],
      ["verdict", head.verdict ?? "not recorded"],
      ["worst residual", number(most(this.view.run.series.get("certificate/worst")))],
      ["slip held", this.describeHeld()],
      ["deepest overlap", `${number(most(this.view.run.series.get("step/penetration")))} m`],
    ];
    const origin: [string, string][] = [
      ["file", head.file || "–"],
      ["state", stateOf(this.view.run)],
      ["made by", `perp ${head.perp}${head.commit ? `, ${head.commit.slice(0, 20)}` : ""}`],
    ];
    const list = element("dl");
    for (const [name, value] of [...parts, ...run, ...origin]) list.append(element("dt", "", name), element("dd", "", value));
    byId("tab-run").replaceChildren(list);
    if (this.view.ghost) list.append(element("dt", "", "ghost"), element("dd", "", nameOf(this.view.ghost.head)));
  }

  private describeHeld(): string {
    const { run } = this.view;
    if (!run.series.has("held/residual")) return "not recorded";
    const count = Array.from(run.t.keys()).filter((frame) => run.held(frame)).length;
    const off = number(1e6 * most(run.series.get("held/gap_error")), 3);
    return count === 0 ? "in no frame" : `in ${count} of ${run.frames} frames, gaps off by up to ${off} µm`;
  }

  // --- a body by its name -----------------------------------------------------------------------

  private fillFinder(): void {
    const finder = byId("find-body") as HTMLInputElement;
    const count = this.view.run.head.bodies.length;
    finder.placeholder = `find among ${count} ${count === 1 ? "body" : "bodies"} (/)`;
    finder.addEventListener("input", () => this.listBodies(finder.value));
    finder.addEventListener("keydown", (event) => {
      if (event.key === "Enter") byId("bodies-list").querySelector("button")?.click();
      if (event.key === "Enter" || event.key === "Escape") finder.blur();
    });
    this.listBodies("");
  }

  find(): void {
    this.open("body");
    (byId("find-body") as HTMLInputElement).select();
  }

  // Names that begin with the words come first.
  private listBodies(words: string): void {
    const wanted = words.trim().toLowerCase();
    const place = (name: string) => name.toLowerCase().indexOf(wanted);
    const found = this.view.run.head.bodies.map((body, k) => ({ name: body.name, k, at: place(body.name) }))
      .filter(({ at }) => at >= 0);
    if (wanted) found.sort((a, b) => Number(a.at > 0) - Number(b.at > 0) || a.k - b.k);
    const buttons: HTMLElement[] = found.slice(0, NAMES).map(({ name, k }) => {
      const button = element("button", "", name);
      button.addEventListener("click", () => this.onSelect(k));
      return button;
    });
    const rest = found.length - NAMES;
    if (rest > 0) buttons.push(element("span", "faint", `and ${rest} more`));
    if (found.length === 0) buttons.push(element("span", "faint", "no body has such a name"));
    byId("bodies-list").replaceChildren(...buttons);
  }

  // --- the chosen body --------------------------------------------------------------------------

  private buildBody(): void {
    const holder = byId("body-facts");
    this.fields.clear();
    this.builtFor = this.view.selected;
    if (this.view.selected < 0) {
      holder.replaceChildren(element("p", "faint", "Click a body, or find it by its name, to see its mass, pose, velocity and what it touches."));
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

// Of a run among others: its file, which differs even where the scene is the same.
export const nameOf = (head: Head): string => head.file || head.title;

function stateOf({ isStart, isGrowing, head }: Run): string {
  if (isStart) return "the start of a scene";
  if (head.closed) return head.finished ? "finished" : "stopped early";
  const planned = head.planned > 0 ? `, planned to ${plain(head.planned * head.step)} s` : "";
  return isGrowing ? `running or cut off${planned}` : "cut off, or was still running";
}

const plain = (x: number) => String(Number(x.toPrecision(6)));

function most(values: Float64Array | undefined): number {
  return values ? values.reduce((a, b) => Math.max(a, b), 0) : NaN;
}
