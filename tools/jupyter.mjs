// Runs notebooks in JupyterLab as a user does, and looks at what they show; for tools/jupyter.
// Usage: node tools/jupyter.mjs OUT NOTEBOOKS
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { launch } from "../viewer/test/browser.mjs";

const [out, notebooks] = process.argv.slice(2).map((path) => resolve(path));
const minutes = 60_000;
const work = join(out, "notebooks");
mkdirSync(work, { recursive: true });
cpSync(notebooks, work, { recursive: true });

// The server says in its log where it is.
function serve() {
  const server = spawn(join(out, "python/bin/jupyter-lab"),
    ["--no-browser", "--allow-root", "--port=0", "--ServerApp.port_retries=0", "--IdentityProvider.token=",
     "--ServerApp.root_dir=" + work, "--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"],
    { env: { ...process.env, HOME: out, JUPYTER_CONFIG_DIR: join(out, "config"), PATH: join(out, "python/bin") + ":" + process.env.PATH } });
  return new Promise((found, failed) => {
    let log = "";
    server.stderr.on("data", (text) => {
      log += text;
      const address = /http:\/\/localhost:(\d+)\/lab/.exec(log);
      if (address) found({ server, port: address[1] });
    });
    server.on("exit", () => failed(new Error(`JupyterLab did not start:\n${log}`)));
  });
}

// Runs all cells and waits until the last one has its number; returns what failed.
async function runAll(page, cells) {
  await page.getByText(/\| Idle$/).first().waitFor({ timeout: 2 * minutes }); // the kernel is there
  await page.getByRole("menuitem", { name: "Run", exact: true }).click();
  await page.getByText("Run All Cells", { exact: true }).click();
  await page.getByText(`[${cells}]:`).first().waitFor({ state: "attached", timeout: 3 * minutes });
  return page.locator("[data-mime-type='application/vnd.jupyter.error']").allInnerTexts();
}

// How many colours the canvas of a viewer has: one means that nothing is drawn.
async function coloursOf(frame) {
  await frame.locator("canvas").first().waitFor({ timeout: minutes });
  await frame.page().waitForTimeout(1500);
  return frame.locator("canvas").first().evaluate((canvas) => {
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [200, 100];
    const pen = copy.getContext("2d");
    return new Promise((found) => requestAnimationFrame(() => {
      pen.drawImage(canvas, 0, 0, 200, 100);
      const bytes = pen.getImageData(0, 0, 200, 100).data, seen = new Set();
      for (let k = 0; k < bytes.length; k += 4) seen.add(`${bytes[k]} ${bytes[k + 1]} ${bytes[k + 2]}`);
      found(seen.size);
    }));
  });
}

const { server, port } = await serve();
const browser = await launch();
let failures = 0;
try {
  for (const name of readdirSync(notebooks).filter((each) => each.endsWith(".ipynb"))) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 1000 } });
    const outside = [];
    await context.route(/.*/, (route) => {
      const url = new URL(route.request().url());
      if (url.hostname === "localhost" || !url.protocol.startsWith("http")) return route.continue();
      outside.push(url.href);
      return route.abort();
    });
    const page = await context.newPage();
    await page.goto(`http://localhost:${port}/lab/tree/${name}?reset`, { timeout: 2 * minutes });
    await page.locator(".jp-Notebook .jp-CodeCell").first().waitFor({ timeout: 2 * minutes });
    const cells = JSON.parse(readFileSync(join(notebooks, name))).cells.filter((each) => each.cell_type === "code");
    const errors = await runAll(page, cells.length).catch(async (error) => {
      await page.screenshot({ path: join(out, name.replace(".ipynb", "-failed.png")) });
      return [error.message];
    });
    const viewers = page.locator(".jp-OutputArea-output iframe");
    const colours = [];
    for (let k = 0; k < (await viewers.count()); k++) {
      await viewers.nth(k).scrollIntoViewIfNeeded();
      const frame = await (await viewers.nth(k).elementHandle()).contentFrame();
      colours.push(await coloursOf(frame));
      await page.screenshot({ path: join(out, `${name.replace(".ipynb", "")}-view-${k}.png`) });
    }
    await page.screenshot({ path: join(out, name.replace(".ipynb", ".png")) });
    const bad = errors.length > 0 || colours.some((count) => count < 10) || outside.length > 0;
    failures += bad;
    console.log(`${bad ? "FAILED" : "ok"} ${name}: viewers with ${colours.join(", ") || "none"} colours` +
      (errors.length ? `, errors:\n${errors.join("\n")}` : "") + (outside.length ? `, asked for ${outside.join(" ")}` : ""));
    await context.close();
  }
} finally {
  await browser.close();
  server.kill();
}
process.exit(failures ? 1 : 0);
