// The viewer in a real Chromium: pages from files without network, perp view --serve, perp run --live.
// Usage: node test_viewer.mjs PERP VIEWER.html [FOLDER FOR SCREENSHOTS [PART OF A NAME]],
// from the sources' folder. The folder may be "".
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { launch, open, PATIENCE } from "../../viewer/test/browser.mjs";

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
const until = (page, test, argument) => page.waitForFunction(test, argument, { timeout: PATIENCE });

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

const press = async (page, ...keys) => { for (const key of keys) await page.keyboard.press(key); };
// What keys change is drawn with the next pictures.
const settle = (page) => page.evaluate(() => new Promise((done) => {
  const wait = (frames) => requestAnimationFrame(() => (frames > 0 ? wait(frames - 1) : done()));
  wait(3);
}));

// The address, which follows the camera after a while, no longer changes.
const rest = (page) => page.waitForFunction(() => {
  const [before, now] = [window.lastHash, location.hash];
  window.lastHash = now;
  return before === now;
}, null, { timeout: PATIENCE, polling: 700 });

// The picture as it is seen: red, green, blue and opacity of its pixels, for a function in the page.
async function lookAt(page, judge, ...more) {
  const pictures = more.filter((one) => typeof one === "string");
  pictures.push((await page.locator("#stage canvas").screenshot()).toString("base64"));
  return page.evaluate(async ([sources, values, text]) => {
    const pixels = await Promise.all(sources.map(async (source) => {
      const picture = new Image();
      picture.src = `data:image/png;base64,${source}`;
      await picture.decode();
      const pen = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
      pen.drawImage(picture, 0, 0);
      return pen.getImageData(0, 0, picture.width, picture.height).data;
    }));
    const differ = (a, k, b, l, most) =>
      Math.abs(a[k] - b[l]) + Math.abs(a[k + 1] - b[l + 1]) + Math.abs(a[k + 2] - b[l + 2]) >= most;
    let count = 0;
    for (let k = 0; k < pixels[0].length; k += 4)
      if (text === "like" ? !differ(pixels[0], k, values[0], 0, values[1]) : differ(pixels[0], k, pixels[1], k, 60)) count++;
    return count;
  }, [pictures, more.filter((one) => typeof one !== "string"), judge]);
}

// Pixels that are nearly of a colour.
const countPixels = (page, colour, near = 60) => lookAt(page, "like", colour, near);

// Pixels that a key changes.
async function countChanged(page, key) {
  const before = (await page.locator("#stage canvas").screenshot()).toString("base64");
  await press(page, key);
  await settle(page);
  return lookAt(page, "changed", before);
}

// What stands behind a name in the legends of the curves.
const legend = async (page, name) => {
  const texts = await page.locator(".legend i").allTextContents();
  return Number(texts.find((text) => text.startsWith(`${name} `))?.slice(name.length + 1) ?? NaN);
};

// --- tests --------------------------------------------------------------------------------------

const tests = {
  async "a page from a file plays, steps and scrubs, without network"(browser) {
    const { page, wrong, context } = await open(browser, `file://${file("run.html")}`);
    assert.equal(await page.textContent("#title h1"), "workshop");
    await until(page, () => parseFloat(document.getElementById("clock").textContent) > 0.05);
    await page.keyboard.press(" ");
    const stopped = await clock(page);
    await settle(page);
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
    await settle(page);
    assert.match(await page.textContent("#key"), / N$/);
    await shoot(page, "contacts");
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "a picked body says its name, mass, pose and velocity"(browser, rows) {
    const { page, wrong, context } = await open(browser, `file://${file("run.html")}#t=0.5`);
    await page.keyboard.press("ArrowRight"); // exactly to a frame; the camera comes into the address
    await until(page, () => location.hash.includes("camera="));
    await settle(page); // the key's step is drawn with the next picture
    const row = rowAt(rows, Number(await page.getAttribute("body", "data-recorded")));
    const canvas = await page.locator("#stage canvas").boundingBox();
    const at = ["x", "y", "z"].map((axis) => row[`crate.${axis}`]);
    await page.mouse.click(...project(new URL(page.url()).hash, canvas, at));
    await until(page, () => document.getElementById("body-name")?.textContent === "crate");
    await settle(page);
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
    await rest(page);
    const address = page.url();
    const again = await open(browser, address);
    await again.page.keyboard.press("p");
    await until(again.page, (time) => document.getElementById("clock").textContent === time,
      await page.locator("#clock").textContent());
    await rest(again.page);
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

  async "the start of a scene, without a run"(browser) {
    run("view", "scenes/arm.yaml", "--html", file("start.html"));
    const { page, wrong, context } = await open(browser, `file://${file("start.html")}`);
    await settle(page);
    const names = await page.locator("#labels span:not([hidden])").allTextContents();
    for (const name of ["upper", "lower", "shoulder · shoulder-servo · shoulder-hold", "tip"])
      assert.ok(names.includes(name), `${name} among ${names}`);
    assert.ok(!(await page.locator("#dock").isVisible()), "nothing to play");
    assert.match(await page.textContent("#tab-run"), /actuators4sensors5filearm.yamlstatethe start of a scene/);
    await page.click("#to-sensors");
    assert.match(await page.textContent("#tab-sensors"), /grip *joint-force of hand/);
    await press(page, "e");
    await until(page, () => !document.querySelector("#labels span:not([hidden])"));
    await shoot(page, "start");
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "actuators between sites are rods with a name"(browser) {
    run("view", "scenes/examples/cylinder.yaml", "--html", file("cylinder.html"));
    const { page, wrong, context } = await open(browser, `file://${file("cylinder.html")}`);
    await settle(page);
    const names = await page.locator("#labels span:not([hidden])").allTextContents();
    assert.ok(names.includes("head · cylinder"), `among ${names}`);
    await press(page, "e", "o");
    await settle(page);
    const rod = await countChanged(page, "j");
    assert.ok(rod > 400, `the pin and the cylinder change ${rod} pixels`);
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "forces of joints and actuators, sensors and their curves"(browser) {
    run("run", "scenes/arm.yaml", "-t", "0.5", "--quiet", "-o", file("arm.h5"), "--csv", file("arm.csv"));
    run("view", file("arm.h5"), "--html", file("arm.html"));
    const { page, wrong, context } = await open(browser, `file://${file("arm.html")}#t=0.25&plot=grip.z&plot=elbow-hold.force`);
    const row = readCsv(file("arm.csv"))[Number(await page.getAttribute("body", "data-recorded"))];
    const isNear = (a, b) => Math.abs(a - b) <= 2e-3 * Math.abs(b) + 1e-9;
    assert.ok(isNear(await legend(page, "grip.z"), row["grip.z"]), "the curve has the sensor's value");
    assert.ok(!Number.isNaN(await legend(page, "elbow-hold.force")));
    // the sensor grip is the force of the joint hand
    await page.click("#to-joints");
    await until(page, () => document.querySelector("#tab-joints td:nth-child(3)")?.textContent); // filled with the next picture
    const hand = await page.locator("#tab-joints tr:has-text('hand') td").allTextContents();
    assert.ok(isNear(Number(hand[2]), Math.hypot(row["grip.x"], row["grip.y"], row["grip.z"])), `force ${hand}`);
    for (const [key, colour, name] of [["r", [123, 92, 196], "joints"], ["u", [29, 138, 91], "actuators"]]) {
      const before = await countPixels(page, colour);
      await press(page, key);
      await settle(page);
      const after = await countPixels(page, colour);
      assert.ok(after > before + 40, `arrows of ${name}: ${before}, then ${after} pixels`);
      assert.match(await page.textContent("#key"), new RegExp(name));
    }
    assert.match(await page.textContent("#key"), / N.* N m$/);
    await shoot(page, "loads");
    await page.click("#to-sensors");
    assert.equal(await page.locator(".measure input:checked").count(), 2);
    await page.click("[aria-label='draw tip.x']");
    await until(page, () => location.hash.includes("plot=tip.x"));
    assert.ok(isNear(await legend(page, "tip.x"), row["tip.x"]));
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "every recorded step of a window"(browser, rows) {
    run("view", file("run.h5"), "--window", "0.5:0.56", "--html", file("window.html"));
    const { page, wrong, context } = await open(browser, `file://${file("window.html")}#t=0.5`);
    await press(page, "m");
    for (let recorded = 125; recorded <= 132; recorded++) { // steps of 4 ms
      await until(page, (n) => Number(document.body.dataset.recorded) === n, recorded);
      await until(page, (n) => document.getElementById("contacts-count")?.textContent === `${n} contacts`,
        rowAt(rows, recorded).contacts);
      await press(page, "ArrowRight");
    }
    await goTo(page, 0.9);
    const [here] = (await page.textContent("#tab-run")).match(/\d+ here of 301/);
    assert.ok(parseInt(here) > 76 + 10 && parseInt(here) < 100, here);
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "names that would be markup are text"(browser) {
    const names = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(3)>", "__proto__"];
    writeFileSync(file("<b>x<img src=x>.yaml"), `about: "${names[0]}<img src=x onerror=alert(2)>"
run: {t: 0.2, h: 1e-2}
bodies:
${names.map((name, k) => `  "${name}": {sphere: 0.1, at: [${k}, 0, 1]}`).join("\n")}
sites:
  "${names[1]}": {body: "${names[0]}"}
sensors:
  "${names[0]}": {position: "${names[1]}"}
`);
    run("run", file("<b>x<img src=x>.yaml"), "--quiet", "-o", file("hostile.h5"));
    run("view", file("hostile.h5"), "--html", file("hostile.html"));
    const { page, wrong, context } = await open(browser, `file://${file("hostile.html")}#t=0.1&show=names,sites`);
    page.on("dialog", (dialog) => { wrong.push(`dialog ${dialog.message()}`); void dialog.dismiss(); });
    assert.equal(await page.textContent("#title h1"), "<b>x<img src=x>");
    for (const tab of ["sensors", "events", "run", "body"]) await page.click(`#to-${tab}`);
    assert.deepEqual(await page.locator("#bodies-list button").allTextContents(), names);
    await page.click("#bodies-list button >> nth=0");
    await until(page, (name) => document.getElementById("body-name")?.textContent === name, names[0]);
    await until(page, () => location.hash.includes("body="));
    await page.reload();
    await until(page, (name) => document.getElementById("body-name")?.textContent === name, names[0]);
    assert.equal(await page.locator("img, #title b").count(), 0);
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "contact points keep their size when the resolution falls"(browser) {
    const slow = `const real = requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (draw) => setTimeout(() => real(draw), window.isSlow ? 90 : 0);`;
    const { page, wrong, context } = await open(browser, `file://${file("run.html")}#t=0.3`, {}, slow);
    await settle(page);
    const width = () => page.evaluate(() => document.querySelector("#stage canvas").width);
    const whole = await width();
    const dots = await countChanged(page, "p");
    assert.ok(dots > 400, `${dots} pixels`);
    await page.selectOption("#speed", "0.01");
    await page.evaluate(() => { window.isSlow = true; });
    await press(page, "p", " ");
    await until(page, (w) => document.querySelector("#stage canvas").width <= w / 4, whole);
    const coarse = await countChanged(page, "p");
    assert.ok(coarse > dots / 5 && coarse < 2.5 * dots, `${dots} pixels, then ${coarse}`);
    assert.deepEqual(wrong, []);
    await context.close();
  },

  async "search by name; potential from its lowest; the scene's camera; keyboard and licences"(browser, rows) {
    const { page, wrong, context } = await open(browser, `file://${file("run.html")}#t=0`);
    await press(page, "/");
    await page.keyboard.type("OMINO-3");
    assert.deepEqual(await page.locator("#bodies-list button").allTextContents(), ["domino-3"]);
    await press(page, "Enter");
    await until(page, () => document.getElementById("body-name")?.textContent === "domino-3");
    const potential = rows.map((row) => row.gravity + row.spring);
    const recorded = Number(await page.getAttribute("body", "data-recorded"));
    assert.equal(recorded, 0);
    assert.ok(Math.abs(await legend(page, "potential") - (potential[0] - potential.at(-1))) < 0.01 * potential[0]);
    await page.focus("#to-run");
    await press(page, "ArrowLeft", "ArrowLeft", "ArrowLeft");
    assert.equal(await page.getAttribute("#to-contacts", "aria-selected"), "false"); // there is a tab of joints
    assert.equal(await page.getAttribute("#to-joints", "aria-selected"), "true");
    const unnamed = await page.evaluate(() => Array.from(document.querySelectorAll("button, input, select, canvas"))
      .filter((one) => !(one.textContent.trim() || one.getAttribute("aria-label") || one.closest("[aria-hidden]"))).length);
    assert.equal(unnamed, 0, "everything that acts has a name");
    await press(page, "?");
    await page.click("#help summary");
    assert.match(await page.textContent("#help pre"), /three\n[^]*Permission is hereby granted[^]*uplot\n[^]*Permission is hereby granted/i);
    assert.deepEqual(wrong, []);
    await context.close();
    run("view", "scenes/examples/enabled.yaml", "--html", file("enabled.html"));
    const camera = await open(browser, `file://${file("enabled.html")}`);
    await until(camera.page, () => location.hash.includes("camera="));
    assert.match(new URL(camera.page.url()).hash, /camera=2,-4,1.5,0,0,1.5/);
    assert.ok(await countPixels(camera.page, [213, 94, 0], 120) > 100, "the ball has the scene's colour");
    assert.deepEqual(camera.wrong, []);
    await camera.context.close();
  },

  async "help, themes, colours and ghost"(browser) {
    const { page, wrong, context } = await open(browser, `file://${file("ghost.html")}#t=1.1`, { colorScheme: "dark" });
    assert.equal(await page.getAttribute("html", "data-theme"), "dark");
    await page.keyboard.press("x");
    await settle(page);
    assert.match(await page.textContent("#key"), /^penetration/);
    await shoot(page, "dark");
    await page.keyboard.press("t");
    assert.equal(await page.getAttribute("html", "data-theme"), "light");
    assert.equal(await page.locator("#tools [data-action=ghost]").getAttribute("aria-pressed"), "true");
    assert.match(await page.textContent("#key"), /ghost: ghost.h5/);
    assert.ok(await countPixels(page, [145, 110, 220], 130) > 300, "the ghost is seen");
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
    const tools = await page.locator("#tools").boundingBox();
    assert.ok(tools.height < 60, `the tools are ${tools.height} high`);
    assert.ok(!(await page.locator("#tools [data-action=arrows]").isVisible()));
    await page.tap(".tool.more");
    await page.tap("#tools [data-action=arrows]");
    assert.equal(await page.getAttribute("#tools [data-action=arrows]", "aria-pressed"), "true");
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
    bare.setDefaultTimeout(PATIENCE);
    await bare.goto(`file://${file("broken.html")}`);
    await bare.waitForSelector(".trouble");
    await bare.goto(`file://${template}`);
    await bare.waitForSelector(".trouble:has-text('holds no recording')");
    await bare.close();
  },

  async "a run is followed live by its own page"(browser) {
    const writer = spawn(perp, ["run", "scenes/pile.yaml", "-t", "1000", "--quiet", "--live", "-o", file("own.h5")]);
    children.push(writer);
    let text = "";
    writer.stderr.on("data", (data) => { text += data; });
    await waitFor(() => /http:\S+:\d+\//.test(text));
    const address = /http:\S+:\d+\//.exec(text)[0];
    const { page, wrong, context } = await open(browser, address);
    await until(page, () => document.body.classList.contains("live"));
    await until(page, () => Number(document.getElementById("scrubber").max) > 0.5);
    // every step of a time, which the page then holds beside one in three
    await goTo(page, 0.3);
    await press(page, "w");
    await until(page, () => /^Every recorded step from/.test(document.getElementById("toast").textContent));
    const at = Number(await page.getAttribute("body", "data-recorded"));
    await press(page, "ArrowRight");
    await until(page, (n) => Number(document.body.dataset.recorded) === n, at + 1);
    assert.deepEqual(wrong, []);
    const ended = new Promise((done) => writer.on("exit", done));
    writer.kill("SIGINT");
    assert.equal(await ended, 130);
    await assert.rejects(fetch(address), "the page ends with the run");
    assert.match(run("info", file("own.h5")), /ended early/);
    await context.close();
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
    [`GET /run?from=0&to=3 HTTP/1.1\r\n${host}\r\n`, 200],
    [`GET /run?to=&from= HTTP/1.1\r\n${host}\r\n`, 200],
    [`GET /run HTTP/1.1\r\n${host}Origin: http://127.0.0.1:${port}\r\n\r\n`, 200],
    [`GET /run HTTP/1.1\r\n${host}Origin: http://evil.example\r\n\r\n`, 403],
    [`GET /run HTTP/1.1\r\n${host}Origin: http://127.0.0.1:${port}.evil.example\r\n\r\n`, 403],
    [`GET /run HTTP/1.1\r\n${host}Origin: null\r\n\r\n`, 403],
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
