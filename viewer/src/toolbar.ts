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
    this.fillHelp();
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
      button.blur();
    });
    byId(action.place ?? "tools").append(button);
    this.buttons.push({ button, action });
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof HTMLInputElement && event.target.type !== "range") return;
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
    dialog.append(element("h2", "", "Keys"), list,
      element("p", "faint", "Drag to orbit, right-drag or two fingers to move, wheel or pinch to zoom. " +
        "Click a body to choose it; double-click to follow it. The address holds camera and time: copy it to share."));
    dialog.addEventListener("click", () => dialog.close());
  }
}
