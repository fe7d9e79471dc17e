// The tabs of joints and sensors: their numbers at the shown frame, and which are drawn as curves.
import { byId, element, number } from "./format";
import { reactionOf } from "./loads";
import type { ActuatorInfo, Numbers } from "./payload";
import type { Run } from "./run";

// A number over time that can be drawn.
export interface Measure {
  name: string; // unique
  unit: string;
  kind: Numbers;
  column: number;
}

const MOST = 4; // curves drawn at first
const ROWS = 500;

export function measuresOf(run: Run): Measure[] {
  const sensors = run.head.values.slice(0, run.width("sensors")).map((value, column): Measure =>
    ({ ...value, kind: "sensors", column }));
  const actuators = run.head.actuators.slice(0, run.width("actuators")).map((actuator, column): Measure =>
    ({ name: `${actuator.name}.force`, unit: unitOf(run, actuator), kind: "actuators", column }));
  return [...sensors, ...actuators];
}

function unitOf(run: Run, { terms }: ActuatorInfo): string {
  const joint = run.head.joints.find(({ index }) => terms.length === 1 && index === terms[0].joint);
  const turns = joint && (joint.kind === "hinge" || joint.kind === "universal" ||
    (joint.kind === "cylindrical" && terms[0].coordinate === 1));
  return turns ? "N m" : "N";
}

export class Measures {
  readonly all: Measure[];
  readonly drawn = new Set<string>(); // names of those with a curve
  onDraw: () => void = () => undefined;
  onJoint: (joint: number) => void = () => undefined;
  private readonly cells: { cell: HTMLElement; measure: Measure }[] = [];
  private readonly boxes = new Map<string, HTMLInputElement>();
  private readonly joints: { cells: HTMLElement[]; joint: number }[] = [];

  constructor(private readonly run: Run) {
    this.all = measuresOf(run);
    for (const name of this.first()) this.drawn.add(name);
    this.fillSensors();
    this.fillJoints();
  }

  // Whole sensors of the first one's unit, not too many numbers.
  private first(): string[] {
    const names: string[] = [];
    let at = 0;
    for (const { numbers } of this.run.head.sensors) {
      const values = this.all.slice(at, at + numbers).filter(({ kind }) => kind === "sensors");
      at += numbers;
      if (names.length + values.length > MOST || values.some(({ unit }) => unit !== this.all[0].unit)) break;
      names.push(...values.map(({ name }) => name));
    }
    return names;
  }

  draw(names: string[]): void {
    this.drawn.clear();
    for (const { name } of this.all) if (names.includes(name)) this.drawn.add(name);
    for (const [name, box] of this.boxes) box.checked = this.drawn.has(name);
  }

  private fillSensors(): void {
    const { sensors, actuators } = this.run.head;
    const holder = byId("tab-sensors");
    holder.replaceChildren();
    let at = 0;
    if (sensors.length > 0) holder.append(element("h2", "", "Sensors"));
    for (const sensor of sensors) {
      const values = this.all.filter(({ kind, column }) => kind === "sensors" && column >= at && column < at + sensor.numbers);
      at += sensor.numbers;
      holder.append(this.makeGroup(sensor.name, `${sensor.kind}${sensor.of ? ` of ${sensor.of}` : ""}`, values));
    }
    const others = this.all.filter(({ kind }) => kind === "sensors" && sensors.length === 0);
    if (others.length > 0) holder.append(this.makeGroup("", "", others));
    if (actuators.length > 0) holder.append(element("h2", "", "Actuators"));
    actuators.forEach((actuator, k) => {
      const values = this.all.filter(({ kind, column }) => kind === "actuators" && column === k);
      holder.append(this.makeGroup(actuator.name, actuator.kind, values));
    });
    if (this.all.length > 0) holder.append(element("p", "faint", "A tick draws the curve below the picture."));
  }

  private makeGroup(name: string, about: string, values: Measure[]): HTMLElement {
    const group = element("div", "measure");
    const title = element("p");
    title.append(element("b", "", name), element("span", "faint", about));
    group.append(title);
    for (const measure of values) group.append(this.makeValue(measure, name));
    return group;
  }

  // Of a sensor with several numbers only the ending stands in the row.
  private makeValue(measure: Measure, owner: string): HTMLElement {
    const label = element("label");
    const box = element("input");
    box.type = "checkbox";
    box.checked = this.drawn.has(measure.name);
    box.setAttribute("aria-label", `draw ${measure.name}`);
    box.addEventListener("change", () => {
      if (box.checked) this.drawn.add(measure.name);
      else this.drawn.delete(measure.name);
      this.onDraw();
    });
    const cell = element("output");
    const ending = measure.name.startsWith(`${owner}.`) ? measure.name.slice(owner.length + 1) : "";
    label.append(box, element("i", "", ending), cell, element("span", "faint", measure.unit));
    label.title = measure.name;
    this.cells.push({ cell, measure });
    this.boxes.set(measure.name, box);
    return label;
  }

  private fillJoints(): void {
    const holder = byId("tab-joints");
    const joints = this.run.head.joints.filter((joint) => joint.index >= 0);
    const hasLoads = this.run.width("reactions") > 0;
    const table = element("table");
    const head = element("thead");
    const titles = element("tr");
    for (const title of ["joint", "kind", "force N", "moment N m"]) titles.append(element("th", "", title));
    head.append(titles);
    const body = element("tbody");
    for (const joint of joints.slice(0, ROWS)) {
      const row = element("tr");
      const name = element("td", "names");
      const button = element("button", "plain", joint.name || `joint ${joint.index}`);
      button.addEventListener("click", () => this.onJoint(joint.index));
      name.append(button);
      const cells = [element("td"), element("td")];
      row.append(name, element("td", "", joint.kind), ...cells);
      body.append(row);
      this.joints.push({ cells, joint: joint.index });
    }
    table.append(head, body);
    const words = hasLoads ? "Force and moment on the second body, about the anchor there: means over the step. r draws them."
      : "This recording has no forces of joints.";
    holder.replaceChildren(element("p", "faint", words), table);
    if (joints.length > ROWS) holder.append(element("p", "faint", `and ${joints.length - ROWS} more`));
  }

  showSensors(frame: number): void {
    for (const { cell, measure } of this.cells) set(cell, this.run.number(measure.kind, measure.column, frame));
  }

  showJoints(frame: number): void {
    for (const { cells, joint } of this.joints) {
      const r = reactionOf(this.run, joint, frame);
      set(cells[0], Math.hypot(r[0], r[1], r[2]));
      set(cells[1], Math.hypot(r[3], r[4], r[5]));
    }
  }
}

function set(cell: HTMLElement, value: number): void {
  const text = number(value, 4);
  if (cell.textContent !== text) cell.textContent = text;
}
