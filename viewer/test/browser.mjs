// Debian's Chromium, driven by Playwright, with nothing but the page's own files in reach.
import { chromium } from "playwright-core";

export const ARGUMENTS = [
  "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--force-color-profile=srgb",
];

// How long anything may take on a slow machine, in milliseconds.
export const PATIENCE = 600000;

export async function launch() {
  return chromium.launch({ executablePath: "/usr/bin/chromium", headless: true, args: ARGUMENTS, timeout: PATIENCE });
}

// A page that collects whatever goes wrong in it; every request to elsewhere counts as wrong. first:
// what runs in it before its own code.
export async function open(browser, address, options = {}, first = null) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  if (first) await page.addInitScript(first);
  const wrong = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`exception: ${error.message}`));
  await page.route("**/*", (route) => {
    const to = new URL(route.request().url());
    const isOwn = ["file:", "data:", "blob:"].includes(to.protocol) || to.hostname === "127.0.0.1";
    if (isOwn) return route.continue();
    wrong.push(`request to ${to.href}`);
    return route.abort();
  });
  await page.goto(address);
  await page.waitForFunction(() => document.body.dataset.frame !== undefined, null, { timeout: PATIENCE });
  return { page, wrong, context };
}
