// Fewer pixels while pictures of a motion come slowly; all of them once it stands still.
import type { Stage } from "./stage";

const SLOW = 70; // ms between pictures
const LEAST = 0.25; // of the resolution
const PATIENCE = 3; // slow pictures in a row
const REST = 400; // ms without motion

export class Pace {
  private slow = 0;
  private rested = 0;
  private wasMoving = false;

  // interval: ms since the last look; isMoving: another picture is due
  see(isMoving: boolean, interval: number, stage: Stage, redraw: () => void): void {
    this.slow = isMoving && this.wasMoving && interval > SLOW ? this.slow + 1 : 0;
    this.rested = isMoving ? 0 : this.rested + interval;
    this.wasMoving = isMoving;
    if (this.slow >= PATIENCE && stage.sharpness > LEAST) {
      this.slow = 0;
      stage.setSharpness(stage.sharpness / 2);
    } else if (this.rested > REST && stage.sharpness < 1) {
      stage.setSharpness(1);
      redraw();
    }
  }
}
