// The page: data, stage, panels, and the loop that keeps them together.
import "./style.css";
import { isCrowd } from "./bodies";
import { byId, element, number, time } from "./format";
import { readHash, writeHash } from "./hash";
import { fetchWindow, follow, openSource, type Source } from "./live";
import { Measures } from "./measures";
import { Microscope } from "./microscope";
import { Pace } from "./pace";
import { DARK, LIGHT, LOAD_COLOUR, RAMP_CSS, STATUS_COLOUR, type Theme } from "./palette";
import { nameOf, Panel } from "./panel";
import { STATUS } from "./payload";
import { Player, SPEEDS } from "./player";
import type { Run } from "./run";
import { Stage } from "./stage";
import { Timeline } from "./timeline";
import { Toolbar, type Action } from "./toolbar";
import { View, type Colouring, type Layer } from "./view";

class Page {
  private theme: Theme = LIGHT;
  private readonly stage: Stage;
  private readonly player: Player;
  private readonly view: View;
  private readonly panel: Panel;
  private readonly microscope: Microscope;
  private readonly measures: Measures;
  private readonly timeline: Timeline;
  private readonly toolbar: Toolbar;
  private readonly clock = element("output");
  private readonly scrubber = element("input");
  private readonly speed = element("select");
  private isStale = true; // something changed since the last picture
  private last = 0;
  private readonly pace = new Pace();
  private hashTimer = 0;

  constructor(private readonly source: Source) {
    const { run, ghost } = source;
    this.chooseTheme();
    if (isBare()) document.body.classList.add("bare", "no-panel");
    this.stage = new Stage(byId("stage"), run);
    this.player = new Player(run);
    this.view = new View(run, ghost, this.stage);
    this.panel = new Panel(this.view, this.player);
    this.microscope = new Microscope(run);
    this.measures = new Measures(run);
    document.body.classList.toggle("still", run.isStart);
    this.fillTitle();
    this.fillTransport();
    this.toolbar = new Toolbar(this.actions(), () => this.refresh());
    this.timeline = new Timeline(run, this.player, this.measures, this.theme);
    this.connect();
    this.resize();
    this.stage.home();
    readHash(this.stage, this.player, this.view, this.measures);
    const { camera } = run.head;
    if (camera && camera.follow >= 0 && !location.hash.includes("camera=")) this.view.followFromStart(camera.follow);
    else this.restoreSelection();
    this.applyTheme();
    requestAnimationFrame((now) => this.loop(now));
  }

  // --- set-up -----------------------------------------------------------------------------------

  private chooseTheme(): void {
    const asked = new URLSearchParams(location.hash.slice(1)).get("theme") ?? stored("theme");
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.theme = (asked ? asked === "dark" : isDark) ? DARK : LIGHT;
  }

  private fillTitle(): void {
    const { head } = this.source.run;
    document.title = `${head.title} · perp`;
    byId("title").querySelector("h1")!.textContent = head.title;
    byId("about").textContent = head.about;
    const plain = isCrowd(this.source.run) ? `${head.shapes.length} shapes are drawn plainly: coarse, without shadows` : "";
    const note = [head.note, plain].filter((text) => text !== "").map((text) => text.replace(/\.$/, "")).join("; ");
    byId("note").textContent = note;
    byId("note").hidden = note === "";
  }

  private fillTransport(): void {
    this.clock.id = "clock";
    this.scrubber.id = "scrubber";
    this.scrubber.type = "range";
    this.scrubber.step = "any";
    this.scrubber.setAttribute("aria-label", "time");
    this.scrubber.addEventListener("input", () => this.player.seek(Number(this.scrubber.value)));
    this.speed.id = "speed";
    this.speed.title = "speed (− and +)";
    this.speed.setAttribute("aria-label", "speed");
    for (const speed of SPEEDS) this.speed.append(new Option(`${speed}×`, String(speed)));
    this.speed.addEventListener("change", () => {
      this.player.speed = Number(this.speed.value);
      this.speed.blur();
    });
  }

  private restoreSelection(): void {
    if (this.view.selected < 0) return;
    this.view.update(this.player.t, this.player.frame, this.theme);
    this.view.startFollowing();
    this.panel.open("body");
  }

  private actions(): Action[] {
    const { player, stage, view } = this;
    const { run } = this.source;
    const { head } = run;
    const hasLoads = run.width("reactions") > 0;
    const hasActuators = run.width("actuators") > 0 || (run.width("motors") > 0 && hasMotors(run));
    const layer = (name: Layer, key: string, text: string, isHidden = false): Action => ({
      keys: [key], text, icon: name, isHidden, isOn: () => view.layers[name],
      run: () => { view.layers[name] = !view.layers[name]; },
    });
    const toStart = () => { player.seek(this.source.run.start); };
    return [
      { keys: ["Home"], text: "to the start", icon: "start", place: "transport", run: toStart },
      { keys: ["ArrowLeft", ","], shown: "←", text: "one frame back", icon: "back", place: "transport", run: () => player.step(-1) },
      { keys: [" ", "k"], shown: "space", text: "play or pause", icon: "play", place: "transport", run: () => player.toggle() },
      { keys: ["ArrowRight", "."], shown: "→", text: "one frame on", icon: "forth", place: "transport", run: () => player.step(1) },
      { keys: ["l"], text: "loop", icon: "loop", place: "transport", isOn: () => player.loop, run: () => { player.loop = !player.loop; } },
      { keys: ["End"], text: "to the end; of a live run: stay there", run: () => { player.seek(this.source.run.end); player.follow = this.source.run.isGrowing; } },
      { keys: ["n"], text: "next event", run: () => this.jump(1) },
      { keys: ["b"], text: "event before", run: () => this.jump(-1) },
      { keys: ["+", "="], shown: "+", text: "faster", run: () => player.changeSpeed(1) },
      { keys: ["-"], shown: "−", text: "slower", run: () => player.changeSpeed(-1) },
      layer("points", "p", "contact points"),
      layer("arrows", "a", "contact forces"),
      layer("cones", "c", "friction cones"),
      { keys: ["]"], text: "longer force arrows", run: () => { view.arrowFactor *= 1.4; } },
      { keys: ["["], text: "shorter force arrows", run: () => { view.arrowFactor /= 1.4; } },
      layer("joints", "j", "joints and springs", this.source.run.head.joints.length === 0),
      layer("reactions", "r", "forces of joints", !hasLoads),
      layer("actuators", "u", "forces of actuators and motors", !hasActuators),
      layer("sites", "o", "axes of sites", head.sites.length === 0),
      layer("names", "e", "names"),
      layer("ghost", "g", "ghost of the other run", this.source.ghost === null),
      { keys: ["x"], text: "colours by name, penetration, speed", icon: "colour", isOn: () => view.colour !== "name", run: () => this.nextColour() },
      { keys: ["f"], text: "follow the chosen body", icon: "follow", isOn: () => view.following, run: () => this.toggleFollow() },
      { keys: ["h", "0"], shown: "h", text: "camera home", icon: "home", run: () => { view.follow(false); stage.home(); } },
      { keys: ["1"], text: "look from the front", run: () => stage.look(0, -1, 0.0001) },
      { keys: ["2"], text: "look from the right", run: () => stage.look(1, 0, 0.0001) },
      { keys: ["3"], text: "look from above", run: () => stage.look(0, -0.0001, 1) },
      { keys: ["s"], text: "save a picture (PNG)", icon: "camera", run: () => this.savePicture() },
      { keys: ["t"], text: "light or dark", icon: "theme", run: () => this.toggleTheme() },
      { keys: ["i"], text: "panel", icon: "panel", isOn: () => !document.body.classList.contains("no-panel"), run: () => this.togglePanel() },
      { keys: ["m"], text: "step microscope: the contacts of this frame", run: () => { document.body.classList.remove("no-panel"); this.panel.open("contacts"); } },
      { keys: ["w"], text: "every recorded step around this time (served pages)", run: () => void this.openWindow() },
      { keys: ["/"], text: "find a body by its name", run: () => { document.body.classList.remove("no-panel"); this.panel.find(); } },
      { keys: ["?"], text: "this help", icon: "help", run: () => toggleHelp() },
      { keys: ["Escape"], text: "choose nothing", run: () => { (byId("help") as HTMLDialogElement).close(); view.select(-1); this.panel.showBody(); } },
    ];
  }

  private connect(): void {
    byId("transport").append(this.clock, this.scrubber, this.speed);
    this.player.onChange(() => this.refresh());
    this.stage.controls.addEventListener("change", () => { this.isStale = true; });
    window.addEventListener("resize", () => this.resize());
    new ResizeObserver(() => this.resize()).observe(byId("stage"));
    this.panel.onTab = () => this.refresh();
    this.panel.onEvent = (index) => this.toEvent(index);
    this.panel.onSelect = (body) => this.choose(body);
    this.measures.onDraw = () => { this.resize(); this.refresh(); };
    this.measures.onJoint = (joint) => this.chooseJoint(joint);
    this.timeline.onWindow = (from, to) => void this.openWindow(from, to);
    this.timeline.onEvent = (index) => this.toEvent(index);
    this.microscope.onChoose = (contact) => {
      this.view.chosenContact = contact;
      this.isStale = true;
    };
    this.connectPicking();
    if (matchMedia("(max-width: 900px)").matches) document.body.classList.add("no-panel");
    if (this.source.run.isServed) this.goLive();
    else this.player.playing = !location.hash.includes("t=") && !this.source.run.isStart;
  }

  // A click that did not drag.
  private connectPicking(): void {
    const canvas = this.stage.renderer.domElement;
    let pressed: PointerEvent | null = null;
    canvas.addEventListener("pointerdown", (event) => { pressed = event; });
    canvas.addEventListener("pointerup", (event) => {
      if (!pressed || Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY) > 5) return;
      const box = canvas.getBoundingClientRect();
      this.choose(this.view.pick(
        (2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height));
    });
    canvas.addEventListener("dblclick", () => this.toggleFollow());
  }

  private goLive(): void {
    const { run } = this.source;
    let news = performance.now();
    const showState = () => {
      const isQuiet = performance.now() - news > 20000; // a run that was killed looks like this
      document.body.classList.toggle("live", run.isGrowing && !isQuiet);
    };
    this.player.follow = run.isGrowing;
    this.player.playing = !run.isGrowing;
    window.setInterval(showState, 1000);
    showState();
    void follow(run, () => {
      news = performance.now();
      showState();
      this.fillTitle();
      if (!run.isGrowing) this.player.follow = false;
      if (this.view.chooseScales()) this.stage.see(run);
      this.timeline.rebuild(this.theme);
      this.panel.fillRun();
      this.panel.fillEvents();
      this.refresh();
    }, toast);
  }

  // --- what actions do --------------------------------------------------------------------------

  private choose(body: number): void {
    this.view.select(body);
    if (body >= 0) this.panel.open("body");
    this.refresh();
  }

  private chooseJoint(index: number): void {
    const joint = this.source.run.head.joints.find((one) => one.index === index);
    if (!joint) return;
    this.view.layers.names = true;
    this.view.select(joint.b >= 0 ? joint.b : joint.a);
    this.refresh();
  }

  // Every recorded step of a time: about 300 around now, unless told.
  private async openWindow(from?: number, to?: number): Promise<void> {
    const { run } = this.source;
    const half = 150 * run.head.step * run.head.every;
    const [first, last] = [Math.max(from ?? this.player.t - half, run.start), Math.min(to ?? this.player.t + half, run.end)];
    if (run.head.stride < 2) return toast("Every recorded step is here already.");
    if (!run.isServed)
      return toast(`perp view ${run.head.file || "RUN.h5"} --window ${time(first)}:${time(last)} makes a page with every step of that time.`);
    const t = this.player.t;
    const [start, end] = await fetchWindow(run, first, last);
    this.player.seek(t);
    this.timeline.rebuild(this.theme);
    this.panel.fillRun();
    toast(`Every recorded step from ${time(start)} s to ${time(end)} s is here now.`);
  }

  private toggleFollow(): void {
    if (this.view.selected < 0) toast("Click a body first, then follow it.");
    this.view.follow(!this.view.following);
  }

  private nextColour(): void {
    const all: Colouring[] = ["name", "penetration", "speed"];
    this.view.colour = all[(all.indexOf(this.view.colour) + 1) % all.length];
  }

  private toEvent(index: number): void {
    const { run } = this.source;
    const event = run.events[index];
    this.player.playing = false;
    this.player.seekFrame(run.frameOfRecorded(event.frame));
    this.panel.markEvent(index);
    if (event.a >= 0 || event.b >= 0) this.view.select(event.a >= 0 ? event.a : event.b);
    this.refresh();
  }

  private jump(direction: number): void {
    const { events } = this.source.run;
    const now = this.player.t;
    const hit = direction > 0
      ? events.findIndex((event) => event.t > now + 1e-6)
      : events.findLastIndex((event) => event.t < now - 1.5 / 60);
    if (hit >= 0) this.toEvent(hit);
  }

  private savePicture(): void {
    this.stage.render();
    const link = element("a");
    link.download = `${this.source.run.head.title}-${time(this.player.t)}s.png`;
    link.href = this.stage.renderer.domElement.toDataURL("image/png");
    link.click();
  }

  private toggleTheme(): void {
    this.theme = this.theme === LIGHT ? DARK : LIGHT;
    store("theme", this.theme.name);
    this.applyTheme();
  }

  private applyTheme(): void {
    document.documentElement.dataset.theme = this.theme.name;
    this.stage.setTheme(this.theme);
    this.timeline.rebuild(this.theme);
    this.refresh();
  }

  private togglePanel(): void {
    document.body.classList.toggle("no-panel");
  }

  // A new size clears the picture: it is drawn again at once, not with the next one.
  private resize(): void {
    this.stage.resize();
    if (document.body.dataset.frame !== undefined) this.stage.render();
    this.timeline.rebuild(this.theme);
    this.isStale = true;
  }

  // --- pictures ---------------------------------------------------------------------------------

  private refresh(): void {
    this.isStale = true;
    this.toolbar.refresh();
    this.toolbar.setIcon("play", this.player.playing ? "pause" : "play");
    this.speed.value = String(this.player.speed);
    this.fillKey();
  }

  private hasContacts(): boolean {
    return this.source.run.chunks.some((chunk) => (chunk.contacts?.a.length ?? 0) > 0);
  }

  // What the colours and lengths mean.
  private fillKey(): void {
    const key = byId("key");
    const { view } = this;
    const rows: HTMLElement[] = [];
    if (view.colour !== "name") rows.push(rampKey(view.colour, view.colour === "speed" ? view.fastest : view.deepest));
    else if (this.hasContacts() && (view.layers.points || view.layers.arrows || view.layers.cones)) rows.push(statusKey());
    const { run, ghost } = this.source;
    const hasLoads = view.layers.reactions && run.width("reactions") > 0;
    const hasActuators = view.layers.actuators && run.width("actuators") + run.width("motors") > 0;
    if (hasLoads) rows.push(chip("joints", LOAD_COLOUR.reactions));
    if (hasActuators) rows.push(chip("actuators", LOAD_COLOUR.actuators));
    if (ghost && view.layers.ghost) rows.push(chip(`ghost: ${nameOf(ghost.head)}`, this.theme.ghost));
    if (view.layers.arrows || hasLoads || hasActuators) rows.push(this.scaleKey(view.arrowScale, "N"));
    if (hasLoads || hasActuators) rows.push(this.scaleKey(view.momentScale, "N m"));
    key.replaceChildren(...rows);
  }

  // A bar as long as a round force or moment is drawn at the camera's target.
  private scaleKey(scale: number, unit: string): HTMLElement {
    const { camera, controls, renderer } = this.stage;
    const distance = camera.position.distanceTo(controls.target);
    const pixels = renderer.domElement.clientHeight / (2 * distance * Math.tan((camera.fov * Math.PI) / 360));
    const round = 10 ** Math.round(Math.log10(70 / (pixels * scale)));
    const row = element("span", "scale");
    const bar = element("i");
    bar.style.width = `${Math.min(round * scale * pixels, 260)}px`;
    row.append(bar, `${number(round, 1)} ${unit}`);
    return row;
  }

  private loop(now: number): void {
    const interval = now - this.last;
    const seconds = Math.min(interval / 1000, 0.1);
    this.last = now;
    const moved = this.player.advance(seconds);
    if (this.stage.controls.update()) this.isStale = true;
    this.pace.see(moved || this.isStale, interval, this.stage, () => { this.isStale = true; });
    if (moved || this.isStale) this.draw();
    requestAnimationFrame((next) => this.loop(next));
  }

  private draw(): void {
    this.isStale = false;
    const { frame, t } = this.player;
    this.view.chosenContact = this.microscope.chosen;
    this.view.update(t, frame, this.theme);
    this.stage.render();
    this.view.updateLabels();
    this.clock.textContent = `${time(t)} s`;
    this.scrubber.setAttribute("aria-valuetext", `${time(t)} s`);
    this.clock.title = `frame ${this.source.run.recordedFrame(frame)} of the recording`;
    this.scrubber.min = String(this.source.run.start);
    this.scrubber.max = String(this.source.run.end);
    this.scrubber.value = String(t);
    this.timeline.moveCursor();
    if (this.panel.tab === "body") this.panel.showBody();
    if (this.panel.tab === "contacts") this.microscope.show(frame);
    if (this.panel.tab === "joints") this.measures.showJoints(frame);
    if (this.panel.tab === "sensors") this.measures.showSensors(frame);
    document.body.dataset.frame = String(frame);
    document.body.dataset.recorded = String(this.source.run.recordedFrame(frame));
    window.clearTimeout(this.hashTimer);
    if (!this.player.playing)
      this.hashTimer = window.setTimeout(() => writeHash(this.stage, this.player, this.view, this.measures), 250);
  }
}

// Only the picture, for pages that frame this one.
function isBare(): boolean {
  return new URLSearchParams(location.hash.slice(1)).get("bare") === "1";
}

function chip(text: string, colour: string): HTMLElement {
  const made = element("span", "chip", text);
  made.style.setProperty("--chip", colour);
  return made;
}

function statusKey(): HTMLElement {
  const row = element("span");
  row.append(...STATUS.map((status, k) => chip(status, STATUS_COLOUR[k])));
  return row;
}

function hasMotors(run: Run): boolean {
  for (let column = 0; column < run.width("motors"); column++)
    if (run.column("motors", column).some((force) => force !== 0)) return true;
  return false;
}

function rampKey(colour: Colouring, most: number): HTMLElement {
  const row = element("span", "ramp");
  const bar = element("i");
  bar.style.background = RAMP_CSS;
  row.append(`${colour}  0`, bar, `${number(most, 2)} ${colour === "speed" ? "m/s" : "m"}`);
  return row;
}

function toggleHelp(): void {
  const dialog = byId("help") as HTMLDialogElement;
  if (dialog.open) dialog.close();
  else dialog.showModal();
}

function toast(text: string): void {
  const place = byId("toast");
  place.textContent = text;
  place.classList.add("shown");
  window.setTimeout(() => place.classList.remove("shown"), 3500);
}

// Pages from files may have no storage.
function stored(key: string): string | null {
  try {
    return localStorage.getItem(`perp-${key}`);
  } catch {
    return null;
  }
}

function store(key: string, value: string): void {
  try {
    localStorage.setItem(`perp-${key}`, value);
  } catch {
    // the choice lasts as long as the page
  }
}

function complain(error: unknown): void {
  document.body.classList.add("broken");
  byId("stage").replaceChildren(element("p", "trouble", error instanceof Error ? error.message : String(error)));
}

openSource().then((source) => new Page(source)).catch(complain);
