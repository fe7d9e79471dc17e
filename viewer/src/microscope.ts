// The step microscope: the contacts of the shown frame as a table, the worst first.
import { byId, element, number } from "./format";
import { HELD_COLOUR, STATUS_COLOUR } from "./palette";
import { STATUS } from "./payload";
import type { ContactSpan, Run } from "./run";

interface Column {
  key: "gap" | "normalImpulse" | "slip" | "cone" | "residual";
  title: string;
  help: string;
  worst: (value: number) => number; // larger is worse
}

const COLUMNS: Column[] = [
  { key: "gap", title: "gap m", help: "signed distance; below 0: overlap", worst: (x) => -x },
  { key: "normalImpulse", title: "impulse N s", help: "normal impulse of the step", worst: (x) => x },
  { key: "slip", title: "slip m/s", help: "speed along the surface", worst: (x) => x },
  { key: "cone", title: "cone", help: "tangential impulse / (mu × normal impulse): 1 on the cone", worst: (x) => x },
  { key: "residual", title: "residual", help: "the worst residual of the contact in the certificate of the step: a velocity by the velocity scale of its row", worst: (x) => (Number.isNaN(x) ? -1 : x) },
];
const ROWS = 400;

export class Microscope {
  private sortKey: Column["key"] = "residual";
  private readonly table = byId("contacts-table");
  private readonly summary = byId("contacts-summary");
  private shown = -1;
  chosen = -1; // contact within the frame
  onChoose: (contact: number) => void = () => undefined;

  constructor(private readonly run: Run) {}

  // Again for the same frame only after refresh().
  show(frame: number): void {
    const span = this.run.contacts(frame);
    if (this.shown === frame) return;
    this.shown = frame;
    this.chosen = -1;
    this.summary.replaceChildren(...this.summarise(frame, span));
    this.table.replaceChildren(this.makeHeader(), this.makeBody(span));
  }

  refresh(): void {
    const frame = this.shown;
    this.shown = -1;
    if (frame >= 0) this.show(frame);
  }

  private summarise(frame: number, span: ContactSpan | null): HTMLElement[] {
    const counts = STATUS.map(() => 0);
    for (let k = 0; k < (span?.count ?? 0); k++) counts[span!.columns.status[span!.first + k]]++;
    const line = element("p");
    const total = element("b", "", `${span?.count ?? 0} contacts`);
    total.id = "contacts-count";
    line.append(total);
    counts.forEach((count, status) => {
      if (count === 0) return;
      const chip = element("span", "chip", `${count} ${STATUS[status]}`);
      chip.style.setProperty("--chip", STATUS_COLOUR[status]);
      line.append(chip);
    });
    const lines = [line];
    const residual = this.run.series.get("certificate/worst")?.[frame];
    if (residual !== undefined) {
      const worst = this.run.worst(frame);
      lines.push(element("p", "faint",
        `certificate of the step ${number(residual, 3)}${worst ? `: ${worst}` : ""}`));
    }
    const held = this.run.held(frame);
    if (held) {
      const line = element("p", "chip", `slip held: gap error ${number(1e6 * held.gapError, 3)} µm, ` +
        `certificate of that law ${number(held.residual, 3)}`);
      line.id = "step-held";
      line.style.setProperty("--chip", HELD_COLOUR.dark);
      line.title = "Friction with slip held within the step: gaps of sliding contacts may be off by as much. " +
        "Residuals of its contacts are on the exact law.";
      lines.push(line);
    }
    if (span && span.frame !== frame)
      lines.push(element("p", "faint", `of t = ${this.run.t[span.frame].toFixed(4)} s, the last frame with contacts`));
    return lines;
  }

  private makeHeader(): HTMLElement {
    const head = element("thead");
    const row = element("tr");
    row.append(element("th", "", "between"));
    for (const column of COLUMNS) {
      const cell = element("th", column.key === this.sortKey ? "sorted" : "");
      const button = element("button", "plain", column.title);
      cell.title = `${column.help}. Click to sort by it.`;
      if (column.key === this.sortKey) cell.setAttribute("aria-sort", "descending");
      button.addEventListener("click", () => {
        this.sortKey = column.key;
        this.refresh();
      });
      cell.append(button);
      row.append(cell);
    }
    head.append(row);
    return head;
  }

  private makeBody(span: ContactSpan | null): HTMLElement {
    const body = element("tbody");
    if (!span) return body;
    const worst = COLUMNS.find((column) => column.key === this.sortKey)!;
    const values = span.columns[this.sortKey];
    const order = Array.from({ length: span.count }, (_, k) => k)
      .sort((a, b) => worst.worst(values[span.first + b]) - worst.worst(values[span.first + a]) || a - b);
    for (const k of order.slice(0, ROWS)) body.append(this.makeRow(span, k));
    if (order.length > ROWS) {
      const row = element("tr");
      const cell = element("td", "faint", `and ${order.length - ROWS} more`);
      cell.colSpan = COLUMNS.length + 1;
      row.append(cell);
      body.append(row);
    }
    return body;
  }

  private makeRow(span: ContactSpan, k: number): HTMLElement {
    const { columns } = span;
    const at = span.first + k;
    const row = element("tr");
    const names = element("td", "names");
    names.append(element("i", "dot"), `${this.run.bodyName(columns.a[at])} · ${this.run.bodyName(columns.b[at])}`);
    names.style.setProperty("--chip", STATUS_COLOUR[columns.status[at]]);
    names.title = STATUS[columns.status[at]];
    row.append(names);
    for (const column of COLUMNS) row.append(this.makeCell(column, columns[column.key][at]));
    row.tabIndex = 0;
    row.addEventListener("keydown", (event) => event.key === "Enter" && row.click());
    row.addEventListener("click", () => {
      this.chosen = this.chosen === k ? -1 : k;
      for (const other of row.parentElement!.children) other.classList.remove("chosen");
      row.classList.toggle("chosen", this.chosen === k);
      this.onChoose(this.chosen);
    });
    return row;
  }

  private makeCell(column: Column, value: number): HTMLElement {
    const cell = element("td");
    if (column.key !== "cone") {
      cell.textContent = number(value, 3);
      return cell;
    }
    const bar = element("span", "bar");
    bar.style.setProperty("--part", `${100 * Math.min(value, 1)}%`);
    cell.append(bar, value.toFixed(2));
    return cell;
  }
}
