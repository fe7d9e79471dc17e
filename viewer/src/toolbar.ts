// Buttons and keys: one table of actions serves both, and the help.
import { byId, element } from "./format";
import { icon } from "./icons";

export interface Action {
  keys: string[]; // as KeyboardEvent.key
  shown?: string; // how the help names the keys
  text: string;
  run: () => void;
  icon?: string; // those with one have a button
  place?: "transport" | "tools";
  isOn?: () => boolean;
  isHidden?: boolean;
}

export class Toolbar {
  private readonly buttons: { button: HTMLButtonElement; action: Action }[] = [];

  constructor(private readonly actions: Action[], private readonly done: () => void) {
    for (const action of actions) if (action.icon && !action.isHidden) this.addButton(action);
    window.addEventListener("keydown", (event) => this.press(event));
    // after a click keys are the page's again; who came by the keyboard stays
    window.addEventListener("click", (event) => {
      if (event.detail > 0 && event.target instanceof Element) (event.target.closest("button, select") as HTMLElement | null)?.blur();
    });
    this.addMore();
    this.fillHelp();
  }

  // On a phone the tools are folded behind this button.
  private addMore(): void {
    const more = element("button", "tool more");
    const fold = (isOpen: boolean) => {
      byId("tools").classList.toggle("open", isOpen);
      more.setAttribute("aria-expanded", String(isOpen));
    };
    more.innerHTML = icon("more");
    more.title = "all tools";
    more.setAttribute("aria-label", "all tools");
    more.addEventListener("click", () => fold(!byId("tools").classList.contains("open")));
    byId("stage").addEventListener("pointerdown", () => fold(false));
    byId("tools").append(more);
    fold(false);
  }

  private addButton(action: Action): void {
    const button = element("button", "tool");
    button.innerHTML = icon(action.icon!);
    button.title = `${action.text} (${action.shown ?? action.keys[0]})`;
    button.setAttribute("aria-label", action.text);
    button.dataset.action = action.icon;
    button.addEventListener("click", () => {
      action.run();
      this.done();
    });
    byId(action.place ?? "tools").append(button);
    this.buttons.push({ button, action });
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement && !["range", "checkbox"].includes(event.target.type)) return;
    const isPressed = event.target instanceof HTMLElement && event.target.matches("button, summary, input[type=checkbox], select");
    if (isPressed && (event.key === " " || event.key === "Enter")) return; // theirs
    const action = this.actions.find((one) => one.keys.includes(event.key));
    if (!action) return;
    event.preventDefault();
    action.run();
    this.done();
  }

  refresh(): void {
    for (const { button, action } of this.buttons)
      if (action.isOn) button.setAttribute("aria-pressed", String(action.isOn()));
  }

  setIcon(old: string, name: string): void {
    const found = this.buttons.find(({ action }) => action.icon === old)?.button;
    if (!found || found.dataset.icon === name) return;
    found.innerHTML = icon(name);
    found.dataset.icon = name;
  }

  private fillHelp(): void {
    const dialog = byId("help") as HTMLDialogElement;
    const list = element("dl");
    for (const action of this.actions.filter((one) => !one.isHidden)) {
      const keys = element("dt");
      keys.append(element("kbd", "", action.shown ?? action.keys[0]));
      list.append(keys, element("dd", "", action.text));
    }
    const licences = element("details");
    licences.append(element("summary", "", "Licences"),
      element("pre", "", document.getElementById("perp-licences")?.textContent?.trim() ?? ""));
    const title = element("h2", "", "Keys");
    title.tabIndex = -1;
    title.autofocus = true; // not the first thing that acts
    dialog.append(title, list,
      element("p", "faint", "Drag to orbit, right-drag or two fingers to move, wheel or pinch to zoom. " +
        "Click a body to choose it; double-click to follow it. Shift-drag over the curves of a served page: every step of that time. " +
        "The address holds camera and time: copy it to share."), licences);
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }
}
