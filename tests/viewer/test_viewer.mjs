// The viewer in a real Chromium: pages from files without network, and perp view --serve.
// Usage: node test_viewer.mjs PERP VIEWER.html [FOLDER FOR SCREENSHOTS [PART OF A NAME]],
// from the sources' folder. The folder may be "".
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { launch, open } from "../../viewer/test/browser.mjs";

const perp = resolve(process.argv[2]);
const template = resolve(process.argv[3]);
const pictures = process.argv[4];
const only = process.argv[5]; // part of the name of the only test to run
const folder = mkdtempSync(join(tmpdir(), "perp-viewer-"));
const file = (name) => join(folder, name);
const run = (...args) => execFileSync(perp, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const children = [];

const record = (name, ...more) =>
  run("run", "scenes/demo/workshop.yaml", "-t", "1.2", "--quiet", "-o", file(name), ...more);

async function shoot(page, name) {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`) });
}

const clock = async (page) => parseFloat(await page.textContent("#clock"));
const until = (page, test, argument) => page.waitForFunction(test, argument, { timeout: 600000 });

async function goTo(page, t) {
  await page.evaluate((value) => {
    const scrubber = document.getElementById("scrubber");
    scrubber.value = String(value);
    scrubber.dispatchEvent(new Event("input"));
  }, t);
  await until(page, (value) => Math.abs(parseFloat(document.getElementById("clock").textContent) - value) < 2e-3, t);
}

// --- what the page must agree with: the time series of the same run -----------------------------

function readCsv(path) {
  const [head, ...rows] = readFileSync(path, "utf8").trim().split("\n").map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(row.map((value, k) => [head[k], Number(value)])));
}

const rowAt = (rows, recorded) => rows[recorded]; // a row and a frame a step

// Where a point of the world is on the canvas, from the camera in the address.
function project(hash, box, at) {
  const camera = new URLSearchParams(hash.slice(1)).get("camera").split(",").map(Number);
  const sub = (a, b) => a.map((x, k) => x - b[k]);
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
  const unit = (a) => a.map((x) => x / Math.sqrt(dot(a, a)));
  const back = unit(sub(camera.slice(0, 3), camera.slice(3)));
  const right = unit(cross([0, 0, 1], back));
  const up = cross(back, right);
  const arm = sub(at, camera.slice(0, 3));
  const scale = box.height / 2 / Math.tan((38 * Math.PI) / 360) / -dot(arm, back);
  return [box.x + box.width / 2 + scale * dot(arm, right), box.y + box.height / 2 - scale * dot(arm, up)];
}

// --- tests --------------------------------------------------------------------------------------

const tests = {
  async "a page from a file plays, steps and scrubs, without network"(browser) {
    const { page, wrong, context } = await open(browser, `file://${file("run.html")}`);
    assert.equal(await page.textContent("#title h1"), "workshop");
    await until(page, () => parseFloat(document.getElementById("clock").textContent) > 0.05);
    await page.keyboard.press(" ");
    const stopped = await clock(page);
    await page.waitForTimeout(300);
    assert.equal(await clock(page), stopped, "it pauses");
    const frame = Number(await page.getAttribute("body", "data-frame"));
    await page.keyboard.press("ArrowRight");
    await until(page, (f) => Number(document.body.dataset.frame) === f, frame + 1);
    await page.keyboard.press("ArrowLeft");
    await until(page, (f) => Number(document.body.dataset.frame) === f, frame);
    const box = await page.locator("#strips").boundingBox();
    await page.mouse.click(box.x + 58 + (box.width - 70) / 2, box.y + 30);
    await until(page, () => Math.abs(parseFloat(document.getElementById("clock").textContent) - 0.6) < 0.01);
    await page.keyboard.press("Home");
    await until(page, () => document.getElementById("clock").textContent === "0.000 s");
    await page.keyboard.press("l"); // no loop: it ends at the end
    await page.selectOption("#speed", "8");
    await page.keyboard.press(" ");
    await until(page, () => document.getElementById("clock").textContent === "1.200 s");
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "steps with slip held are told"(browser) {
    run("run", "scenes/pile.yaml", "--without", "newton-local,proximal,polygon", "--quiet", "-o", file("held.h5"));
    run("view", file("held.h5"), "--html", file("held.html"));
    assert.ok(JSON.parse(run("info", file("held.h5"), "--json")).held_steps > 0);
    const { page, wrong, context } = await open(browser, `file://${file("held.html")}#t=0.5`);
    const [, held, frames] = (await page.textContent("#tab-run")).match(/slip heldin (\d+) of (\d+) frames/);
    assert.ok(Number(held) > 0);
    await page.keyboard.press("m");
    await until(page, () => document.getElementById("contacts-count"));
    let line = "";
    while (!line && Number(await page.getAttribute("body", "data-frame")) < Number(frames) - 1) {
      const next = Number(await page.getAttribute("body", "data-frame")) + 1;
      await page.keyboard.press("ArrowRight");
      await until(page, (f) => Number(document.body.dataset.frame) === f, next);
      line = await page.evaluate(() => document.getElementById("step-held")?.textContent ?? "");
    }
    assert.match(line, /^slip held: gap error [0-9.e-]+ µm, certificate of that law/);
    await shoot(page, "held");
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "contacts of a known step, and their table"(browser, rows) {
    const { page, wrong, context } = await open(browser, `file://${file("run.html")}#t=1.0`);
    const worst = [];
    await page.keyboard.press("m");
    for (const t of [0.2, 0.6, 1.0]) {
      await goTo(page, t);
      const recorded = Number(await page.getAttribute("body", "data-recorded"));
      const expected = rowAt(rows, recorded).contacts;
      assert.ok(expected > 0);
      await until(page, (n) => document.getElementById("contacts-count")?.textContent === `${n} contacts`, expected);
      assert.equal(await page.locator("#contacts-table tbody tr").count(), expected);
      // residuals, at first the worst on top, are parts of the certificate; 1%: two digits are shown
      const cells = await page.locator("#contacts-table tbody tr td:nth-child(6)").allTextContents();
      const residuals = cells.map(Number);
      assert.deepEqual(residuals, [...residuals].sort((a, b) => b - a));
      worst.push(residuals[0]);
      assert.ok(residuals[0] <= 1.01 * rowAt(rows, recorded).certificate, `residual ${residuals[0]}`);
    }
    assert.ok(Math.max(...worst) > 0, "rounding shows");
    // sorted by the worst: the first row has the largest value of the column
    await page.click("#contacts-table th:has-text('impulse')");
    const impulses = await page.locator("#contacts-table tbody tr td:nth-child(3)").allTextContents();
    assert.deepEqual(impulses.map(Number), impulses.map(Number).sort((a, b) => b - a));
    await page.click("#contacts-table tbody tr:first-child");
    assert.equal(await page.locator("#contacts-table tr.chosen").count(), 1);
    for (const key of ["a", "c"]) await page.keyboard.press(key);
    await page.waitForTimeout(200);
    assert.match(await page.textContent("#key"), / N$/);
    await shoot(page, "contacts");
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "a picked body says its name, mass, pose and velocity"(browser, rows) {
    const { page, wrong, context } = await open(browser, `file://${file("run.html")}#t=0.5`);
    await page.keyboard.press("ArrowRight"); // exactly to a frame; the camera comes into the address
    await until(page, () => location.hash.includes("camera="));
    await page.waitForTimeout(300); // the key's step is drawn with the next picture
    const row = rowAt(rows, Number(await page.getAttribute("body", "data-recorded")));
    const canvas = await page.locator("#stage canvas").boundingBox();
    const at = ["x", "y", "z"].map((axis) => row[`crate.${axis}`]);
    await page.mouse.click(...project(new URL(page.url()).hash, canvas, at));
    await until(page, () => document.getElementById("body-name")?.textContent === "crate");
    await page.waitForTimeout(300);
    const fields = await page.locator("#tab-body dd").allTextContents();
    const numbers = (text) => text.replace(/−/g, "-").trim().split(/\s+/).map(Number);
    numbers(fields[1]).forEach((x, k) => assert.ok(Math.abs(x - at[k]) < 2e-4, `position ${fields[1]}`));
    numbers(fields[3]).forEach((v, k) =>
      assert.ok(Math.abs(v - row[`crate.v${"xyz"[k]}`]) < 4e-3, `velocity ${fields[3]}`));
    assert.ok(Number(fields[0]) > 0, "mass");
    await page.keyboard.press("f");
    await until(page, () => location.hash.includes("follow=1"));
    await shoot(page, "picked");
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "events lead to their time; the address leads back; a picture is saved"(browser) {
    const { page, wrong, context } = await open(browser, `file://${file("run.html")}#t=0`);
    await page.click("#tabs button:has-text('Events')");
    const first = page.locator("#events-list button").first();
    const t = parseFloat(await first.locator("time").textContent());
    await first.click();
    await until(page, (time) => Math.abs(parseFloat(document.getElementById("clock").textContent) - time) < 0.02, t);
    await page.keyboard.press("1");
    await until(page, (time) => { // the address follows the picture after a while
      const hash = new URLSearchParams(location.hash.slice(1));
      return hash.has("camera") && Math.abs(parseFloat(hash.get("t")) - time) < 0.02;
    }, t);
    await page.waitForTimeout(400);
    const address = page.url();
    const again = await open(browser, address);
    await again.page.keyboard.press("p");
    await until(again.page, (time) => document.getElementById("clock").textContent === time,
      await page.locator("#clock").textContent());
    await again.page.waitForTimeout(600);
    const camera = (url) => new URLSearchParams(new URL(url).hash.slice(1)).get("camera").split(",").map(Number);
    camera(address).forEach((x, k) => assert.ok(Math.abs(x - camera(again.page.url())[k]) < 1e-3));
    assert.equal(await clock(again.page), await clock(page));
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("s")]);
    const bytes = readFileSync(await download.path());
    assert.equal(bytes.subarray(1, 4).toString(), "PNG");
    assert.ok(bytes.length > 5000);
    assert.deepEqual([...wrong, ...again.wrong], []);
    await context.close();
    await again.context.close();
  },

  async "help, themes, colours and ghost"(browser) {
    const { page, wrong, context } = await open(browser, `file://${file("ghost.html")}#t=1.1`, { colorScheme: "dark" });
    assert.equal(await page.getAttribute("html", "data-theme"), "dark");
    await page.keyboard.press("x");
    await page.waitForTimeout(200);
    assert.match(await page.textContent("#key"), /^penetration/);
    await shoot(page, "dark");
    await page.keyboard.press("t");
    assert.equal(await page.getAttribute("html", "data-theme"), "light");
    assert.equal(await page.locator("#tools [data-action=ghost]").getAttribute("aria-pressed"), "true");
    await page.keyboard.press("g");
    await until(page, () => !location.hash.includes("ghost"));
    await page.keyboard.press("?");
    assert.ok(await page.locator("#help").isVisible());
    await page.keyboard.press("Escape");
    assert.ok(!(await page.locator("#help").isVisible()));
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "a phone"(browser) {
    const { page, wrong, context } = await open(browser, `file://${file("run.html")}#t=0.9`,
      { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `the page is ${wide} wide`);
    const canvas = await page.locator("#stage canvas").boundingBox();
    assert.ok(canvas.height > 350, `the picture is ${canvas.height} high`);
    await shoot(page, "phone");
    await page.tap("#tools [data-action=panel]");
    assert.ok(await page.locator("#panel").isVisible());
    await page.tap("#tabs button:has-text('Contacts')");
    await until(page, () => document.getElementById("contacts-count") !== null);
    for (const action of ["play", "back", "forth"]) {
      const box = await page.locator(`#transport [data-action=${action}]`).boundingBox();
      assert.ok(box.width >= 34 && box.height >= 34 && box.y + box.height <= 844, action);
    }
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "data of another writer, broken data, no data"(browser) {
    execFileSync("node", ["viewer/test/synthetic.mjs", template, file("synthetic.html"), "12", "30"]);
    const { page, wrong, context } = await open(browser, `file://${file("synthetic.html")}#t=0`);
    await page.keyboard.press("m");
    const expected = Array.from({ length: 12 }, (_, b) => Math.abs(Math.sin(b)) * 0.8 + 0.1).filter((z) => z < 0.25).length;
    await until(page, (n) => document.getElementById("contacts-count")?.textContent === `${n} contacts`, expected);
    assert.deepEqual(wrong, []);
    await context.close();
    const whole = readFileSync(file("run.html"), "utf8");
    writeFileSync(file("broken.html"), whole.replace(/(id="perp-run">.{4000}).*(<\/script>)/, "$1$2"));
    const bare = await browser.newPage();
    await bare.goto(`file://${file("broken.html")}`);
    await bare.waitForSelector(".trouble");
    await bare.goto(`file://${template}`);
    await bare.waitForSelector(".trouble:has-text('holds no recording')");
    await bare.close();
  },

  async "a growing recording is followed live"(browser) {
    const writer = spawn(perp, ["run", "scenes/pile.yaml", "-t", "1000", "--quiet", "-o", file("live.h5")]);
    children.push(writer);
    await waitFor(() => statSync(file("live.h5"), { throwIfNoEntry: false })?.size > 0);
    const { server, port } = await serve("live.h5");
    const { page, wrong, context } = await open(browser, `http://127.0.0.1:${port}/`);
    const end = () => page.evaluate(() => Number(document.getElementById("scrubber").max));
    const seen = await end();
    await until(page, (before) => Number(document.getElementById("scrubber").max) > before, seen);
    await until(page, () => document.body.classList.contains("live"));
    await shoot(page, "live");
    writer.kill("SIGINT");
    await until(page, () => !document.body.classList.contains("live"));
    await page.click("#tabs button:has-text('Run')");
    assert.match(await page.textContent("#tab-run"), /stopped early/);
    assert.deepEqual(wrong, []);
    await context.close();
    await checkAnswers(port);
    server.kill("SIGINT");
    assert.equal(await new Promise((done) => server.on("exit", done)), 0);
  },
};

// --- the server ---------------------------------------------------------------------------------

async function waitFor(test) {
  for (let k = 0; k < 6000; k++) {
    if (test()) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`waited too long for ${test}`);
}

// The recording may be too young to be read.
async function serve(name) {
  for (let attempt = 0; attempt < 100; attempt++) {
    const server = spawn(perp, ["view", file(name), "--serve", "0", "--no-open"]);
    children.push(server);
    let text = "";
    server.stdout.on("data", (data) => { text += data; });
    await waitFor(() => /http:\S+:\d+/.test(text) || server.exitCode !== null);
    if (server.exitCode === null) return { server, port: Number(/:(\d+)\//.exec(text)[1]) };
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error("perp view --serve never started");
}

// Sends bytes as they are; the first line of the answer.
const ask = (port, request) => new Promise((done) => {
  let text = "";
  const socket = createConnection(port, "127.0.0.1", () => socket.write(request));
  socket.on("data", (data) => { text += data.toString("latin1"); });
  socket.on("error", () => done(text.split("\r\n")[0]));
  socket.on("close", () => done(text.split("\r\n")[0]));
});

async function checkAnswers(port) {
  const host = `Host: 127.0.0.1:${port}\r\n`;
  const cases = [
    [`GET / HTTP/1.1\r\n${host}\r\n`, 200],
    [`HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n`, 200],
    [`GET /run?from=0 HTTP/1.1\r\n${host}\r\n`, 200],
    [`GET /run?from=99999999999999999999 HTTP/1.1\r\n${host}\r\n`, 200],
    [`GET /run?from=-1 HTTP/1.1\r\n${host}\r\n`, 200],
    [`GET /ghost HTTP/1.1\r\n${host}\r\n`, 404],
    [`GET /../../etc/passwd HTTP/1.1\r\n${host}\r\n`, 404],
    [`GET /${"a".repeat(3000)} HTTP/1.1\r\n${host}\r\n`, 404],
    ["GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403],
    ["GET / HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n\r\n", 403],
    ["GET / HTTP/1.1\r\nHost: localhost:80x\r\n\r\n", 403],
    ["GET / HTTP/1.1\r\n\r\n", 400],
    [`POST / HTTP/1.1\r\n${host}\r\n`, 405],
    [`GET http://x/ HTTP/1.1\r\n${host}\r\n`, 400],
    [`GET / SPDY/3\r\n${host}\r\n`, 505],
    ["GET\r\n\r\n", 405],
    ["\r\n\r\n", 400],
    [`GET / HTTP/1.1\r\nX: \0\r\n${host}\r\n`, 400],
    ["x".repeat(9000), 431],
  ];
  for (const [request, status] of cases)
    assert.match(await ask(port, request), new RegExp(`^HTTP/1.1 ${status} `), JSON.stringify(request.slice(0, 60)));
}

// --- all of them --------------------------------------------------------------------------------

let failures = 0;
record("run.h5", "--csv", file("run.csv"));
record("ghost.h5", "--set", "mu=0.6");
run("view", file("run.h5"), "--html", file("run.html"));
run("view", file("run.h5"), "--ghost", file("ghost.h5"), "--html", file("ghost.html"));
assert.ok(statSync(file("run.html")).size < 500000, "the page is small");
const rows = readCsv(file("run.csv"));
const browser = await launch();
for (const [name, test] of Object.entries(tests)) {
  if (only && !name.includes(only)) continue;
  const start = Date.now();
  try {
    await test(browser, rows);
    console.log(`ok      ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failures++;
    console.log(`FAILED  ${name}: ${error.stack}`);
  }
}
await browser.close();
for (const child of children) child.kill("SIGKILL");
rmSync(folder, { recursive: true });
process.exit(failures ? 1 : 0);
