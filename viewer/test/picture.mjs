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

async function take(browser, [from, to, hash = "t=0", width = "480", height = "300", whole = ""]) {
  const { page, wrong, context } = await open(browser, `file://${resolve(from)}#${hash}${whole ? "" : "&bare=1"}`, {
    viewport: { width: Number(width), height: Number(height) }, deviceScaleFactor: whole ? 1 : 1.5,
  });
  for (const key of whole.slice(1)) await page.keyboard.press(key);
  await page.waitForTimeout(700);
  if (whole || to.endsWith(".png")) await page.screenshot({ path: to });
  else {
    const data = await page.evaluate(() => document.querySelector("#stage canvas").toDataURL("image/webp", 0.86));
    writeFileSync(to, Buffer.from(data.split(",")[1], "base64"));
  }
  if (wrong.length > 0) throw new Error(`${from}: ${wrong.join("; ")}`);
  await context.close();
}

const browser = await launch();
for (const job of jobs) await take(browser, job);
await browser.close();
