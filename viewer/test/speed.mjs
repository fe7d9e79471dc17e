// What a page costs while it plays: node speed.mjs PAGE.html [SECONDS [WIDTH HEIGHT]]
// First with draw calls counted but not carried out: the JavaScript time of a frame, draw calls,
// triangles, bytes sent to the graphics processor. Then with software rendering: frames a second.
import { resolve } from "node:path";
import { launch, open } from "./browser.mjs";

const [from, seconds = "5", width = "1280", height = "800"] = process.argv.slice(2);

// Counts what goes through WebGL and how long the page's own frames take.
function listen(isDrawn) {
  const seen = { frames: 0, busy: 0, longest: 0, calls: 0, triangles: 0, bytes: 0, heap: 0, times: [] };
  window.seen = seen;
  const gl = WebGL2RenderingContext.prototype;
  const count = (name, note) => {
    const real = gl[name];
    const isCarriedOut = isDrawn || !name.startsWith("draw");
    gl[name] = function (...a) { note(a); return isCarriedOut ? real.apply(this, a) : undefined; };
  };
  count("drawElements", (a) => { seen.calls++; seen.triangles += a[1] / 3; });
  count("drawArrays", (a) => { seen.calls++; seen.triangles += a[2] / 3; });
  count("drawElementsInstanced", (a) => { seen.calls++; seen.triangles += (a[1] / 3) * a[4]; });
  count("drawArraysInstanced", (a) => { seen.calls++; seen.triangles += (a[2] / 3) * a[3]; });
  const sizeOf = (a, from, length) => (length ? length * a.BYTES_PER_ELEMENT : a.byteLength - (from ?? 0) * a.BYTES_PER_ELEMENT);
  count("bufferData", (a) => { if (a[1]?.byteLength) seen.bytes += sizeOf(a[1], a[3], a[4]); });
  count("bufferSubData", (a) => { seen.bytes += sizeOf(a[2], a[3], a[4]); });
  const ask = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) => ask((now) => {
    const start = performance.now();
    callback(now);
    const took = performance.now() - start;
    seen.times.push(took);
    seen.frames++;
    seen.busy += took;
  });
}

async function measure(isDrawn) {
  const { page, wrong, context } = await open(browser, `file://${resolve(from)}#t=0`, {
    viewport: { width: Number(width), height: Number(height) },
  }, `(${listen})(${isDrawn})`);
  await page.keyboard.press(" ");
  await page.waitForTimeout(2000);
  const result = await page.evaluate(async (wait) => {
    Object.assign(window.seen, { frames: 0, busy: 0, calls: 0, triangles: 0, bytes: 0, times: [] });
    const start = performance.now();
    await new Promise((done) => setTimeout(done, 1000 * wait));
    const { frames, busy, calls, triangles, bytes, times } = window.seen;
    times.sort((a, b) => a - b);
    return {
      rate: (1000 * frames) / (performance.now() - start), busy: busy / frames, median: times[frames >> 1],
      most: times[frames - 1], calls: calls / frames, triangles: triangles / frames, bytes: bytes / frames,
    };
  }, Number(seconds));
  await context.close();
  if (wrong.length > 0) throw new Error(wrong.join("; "));
  return result;
}

const browser = await launch();
const own = await measure(false);
const software = await measure(true);
await browser.close();
console.log(`JavaScript of a frame: median ${own.median.toFixed(2)} ms, mean ${own.busy.toFixed(2)} ms, longest ${own.most.toFixed(1)} ms
a frame: ${own.calls.toFixed(1)} draw calls, ${Math.round(own.triangles)} triangles, ${(own.bytes / 1e3).toFixed(0)} kB to the graphics processor
software rendering at ${width} x ${height}: ${software.rate.toFixed(1)} frames/s`);
