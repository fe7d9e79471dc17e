// Builds the page: Vite bundles, then everything goes into one file that needs no network. The
// script is deflated (a third of its size) and unpacked by the browser.
// Usage: node build.mjs OUTPUT.html
import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { build } from "vite";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? `${here}/dist/viewer.html`;
const result = await build({
  root: here, logLevel: "warn", configFile: false,
  build: {
    write: false, target: "es2022", cssCodeSplit: false, modulePreload: false,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { input: `${here}/src/main.ts`, output: { format: "iife" } },
  },
});
const files = result.output;
const script = files.find((file) => file.type === "chunk").code;
const style = files.filter((file) => file.fileName.endsWith(".css")).map((file) => file.source).join("\n");
const packed = deflateSync(script, { level: 9 }).toString("base64");

// What is inside goes with its licences.
const licence = (name) => `${name}\n\n${readFileSync(`${here}/node_modules/${name}/LICENSE`, "utf8").trim()}`;
const licences = `perp: Apache-2.0. This page contains three and uPlot:\n\n${licence("three")}\n\n${licence("uplot")}\n`;
if (licences.includes("</script")) throw new Error("a licence would end its script");

// Runs once the data stand in the document.
const start = `
addEventListener("DOMContentLoaded", async () => {
  const trouble = (text) => { document.getElementById("stage").textContent = text; };
  if (typeof DecompressionStream === "undefined") return trouble("This page needs a browser of 2023 or later.");
  const text = atob(document.getElementById("perp-program").textContent);
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const program = document.createElement("script");
  program.textContent = await new Response(stream).text();
  document.body.append(program);
});`;
const page = readFileSync(`${here}/index.html`, "utf8")
  .replace("</head>", () => `<style>\n${style}</style>\n</head>`)
  .replace(/<script type="module".*<\/script>/, () =>
    `<script type="text/plain" id="perp-licences">\n${licences}</script>\n` +
    `<script type="text/plain" id="perp-program">${packed}</script>\n` +
    `<script>${start}</script>\n<!--perp-data-->`);
if (!page.includes("<!--perp-data-->") || !page.includes("perp-program")) throw new Error("index.html changed its shape");
writeFileSync(output, page);
