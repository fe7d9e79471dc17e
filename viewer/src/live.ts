// Data: from the page itself, or from perp view --serve, which may still be growing.
import { fromBase64, inflate } from "./bytes";
import { readPayload, type Payload } from "./payload";
import { Run } from "./run";

const WAIT = 400; // ms between looks at a growing recording

async function embedded(id: string): Promise<Payload | null> {
  const script = document.getElementById(id);
  if (!script?.textContent) return null;
  return readPayload(await inflate(fromBase64(script.textContent)));
}

async function fetched(path: string): Promise<Payload> {
  const answer = await fetch(path, { cache: "no-store" });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return readPayload(await inflate(new Uint8Array(await answer.arrayBuffer())));
}

export interface Source {
  run: Run;
  ghost: Run | null;
}

export async function openSource(): Promise<Source> {
  const own = await embedded("perp-run");
  if (own) {
    const ghost = await embedded("perp-ghost");
    return { run: new Run(own), ghost: ghost ? new Run(ghost) : null };
  }
  if (!document.getElementById("perp-served"))
    throw new Error("This page holds no recording. Make one with perp view RUN.h5.");
  const run = new Run(await fetched("run?from=0"));
  const hasGhost = document.getElementById("perp-served")!.dataset.ghost === "1";
  const ghost = hasGhost ? new Run(await fetched("ghost?from=0")) : null;
  if (ghost) while (await fetchMore(ghost, "ghost"));
  run.isServed = true;
  return { run, ghost };
}

// True if there was something new.
async function fetchMore(run: Run, name: string): Promise<boolean> {
  const next = run.frames > 0 ? run.recordedFrame(run.frames - 1) + run.head.stride : 0;
  const before = run.frames;
  const wasClosed = run.head.closed;
  run.append(await fetched(`${name}?from=${next}`));
  return run.frames > before || run.head.closed !== wasClosed;
}

// Every recorded frame between two times, from the server; the times that it then has.
export async function fetchWindow(run: Run, from: number, to: number): Promise<[number, number]> {
  const first = run.recordedFrame(run.frameAt(from));
  const last = run.recordedFrame(Math.min(run.frameAt(to) + 1, run.frames - 1));
  for (let next = first; next <= last;) {
    const payload = await fetched(`run?from=${next}&to=${last}`);
    const chunk = payload.chunks[0];
    if (!chunk?.count) break;
    run.append(payload);
    next = chunk.frame[chunk.count - 1] + 1;
  }
  return [run.t[run.frameOfRecorded(first)], run.t[run.frameOfRecorded(last)]];
}

// Goes on until the recording is closed and everything of it is here.
export async function follow(run: Run, onNews: () => void, onTrouble: (text: string) => void): Promise<void> {
  for (;;) {
    let isNew = false;
    try {
      isNew = await fetchMore(run, "run");
    } catch (error) {
      onTrouble(`perp does not answer: it was stopped, or the run and its page have ended. (${String(error)})`);
      await pause(5 * WAIT);
    }
    if (isNew) onNews();
    else if (run.head.closed) return;
    else await pause(WAIT);
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
