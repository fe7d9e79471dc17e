// Pictures of pages, taken by the real viewer: node picture.mjs PAGE.html OUT.webp|png [HASH [WIDTH HEIGHT [:KEYS]]]
// More of them: repeat the arguments after a --. With :KEYS the whole page, after these keys, else
// only the 3-D view.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { launch, open } from "./browser.mjs";

const jobs = [[]];
for (const argument of process.argv.slice(2))
  if (argument === "--") jobs.push([]);
  else jobs[jobs.length - 1].push(argument);

// PNG bytes as WebP, made by the browser.
async function toWebp(page, png) {
  return page.evaluate(async (source) => {
    const picture = new Image();
    picture.src = source;
    await picture.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: picture.width, height: picture.height });
    canvas.getContext("2d").drawImage(picture, 0, 0);
    return canvas.toDataURL("image/webp", 0.86);
  }, `data:image/png;base64,${png.toString("base64")}`);
}

async function take(browser, [from, to, hash = "t=0", width = "480", height = "300", whole = ""]) {
  const { page, wrong, context } = await open(browser, `file://${resolve(from)}#${hash}${whole ? "" : "&bare=1"}`, {
    viewport: { width: Number(width), height: Number(height) }, deviceScaleFactor: whole ? 1 : 1.5,
  });
  for (const key of whole.slice(1)) await page.keyboard.press(key);
  await page.waitForTimeout(700);
  if (to.endsWith(".png")) await page.screenshot({ path: to });
  else {
    const data = whole ? await toWebp(page, await page.screenshot())
      : await page.evaluate(() => document.querySelector("#stage canvas").toDataURL("image/webp", 0.86));
    writeFileSync(to, Buffer.from(data.split(",")[1], "base64"));
  }
  if (wrong.length > 0) throw new Error(`${from}: ${wrong.join("; ")}`);
  await context.close();
}

const browser = await launch();
for (const job of jobs) await take(browser, job);
await browser.close();
