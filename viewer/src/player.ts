// The clock of the page: what time is shown, and how it moves on.
import type { Run } from "./run";

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];

export class Player {
  t = 0;
  playing = false;
  loop = true;
  speed = 1;
  follow = false; // stay at the end of a run that is still going on
  private listeners: (() => void)[] = [];

  constructor(private readonly run: Run) {
    this.t = run.start;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  changed(): void {
    for (const listener of this.listeners) listener();
  }

  get frame(): number {
    return this.run.frameAt(this.t);
  }

  seek(t: number): void {
    this.t = Math.min(Math.max(t, this.run.start), this.run.end);
    this.follow = false;
    this.changed();
  }

  seekFrame(frame: number): void {
    this.seek(this.run.t[Math.min(Math.max(frame, 0), this.run.frames - 1)] ?? 0);
  }

  toggle(): void {
    this.playing = !this.playing;
    if (this.playing && this.t >= this.run.end) this.t = this.run.start;
    this.changed();
  }

  // Whole frames, from wherever between two frames the time is.
  step(frames: number): void {
    this.playing = false;
    const isBetween = this.t > this.run.t[this.frame] + 1e-9;
    this.seekFrame(this.frame + frames + (frames < 0 && isBetween ? 1 : 0));
  }

  changeSpeed(direction: number): void {
    const nearest = SPEEDS.findIndex((speed) => speed >= this.speed);
    const next = Math.min(Math.max(nearest + direction, 0), SPEEDS.length - 1);
    this.speed = SPEEDS[next];
    this.changed();
  }

  advance(seconds: number): boolean {
    if (this.follow) {
      const moved = this.t !== this.run.end;
      this.t = this.run.end;
      return moved;
    }
    if (!this.playing) return false;
    this.t += seconds * this.speed;
    if (this.t >= this.run.end) {
      const wraps = this.loop && !this.run.isGrowing && this.run.end > this.run.start;
      this.t = wraps ? this.run.start : this.run.end;
      if (!wraps && !this.run.isGrowing) {
        this.playing = false;
        this.changed();
      }
    }
    return true;
  }
}
