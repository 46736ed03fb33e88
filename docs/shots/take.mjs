// Takes the pictures of the README from the real programs: `./dev shots [NAME…]`.
//
// A home of its own gets a project of one sample a hook system, a few fired events, of which `day.mjs` makes a day of history,
// and an engine; a headless Chromium opens the page that `hookwright serve --web` offers. `scene.mjs` makes all of that,
// `pictures.mjs` says what is taken. The pictures with agents at work come last, when the others cannot change any more.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pictures } from "./pictures.mjs";
import { runStaged, Scene } from "./scene.mjs";
import { smaller } from "./smaller.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { chromium } = createRequire(join(here, "..", "..", "ui", "package.json"))("playwright-core");
/** How long agents are at work before the first picture of them: their lanes then have marks from end to end. */
const AGENTS_FIRST_MS = 62_000;
/** Transitions last 320 ms at most. */
const REST_MS = 600;

/** Calls the page's own router, as the interface does. */
const call = (page, method, params) =>
  page.evaluate(
    async ([method, params]) => {
      const answer = await fetch("/rpc", {
        method: "POST",
        headers: { "content-type": "application/json", "x-hookwright-window": sessionStorage.getItem("hookwright.window") },
        body: JSON.stringify({ method, params }),
      });
      const { result, fault } = await answer.json();
      if (fault) throw new Error(fault.message);
      return result;
    },
    [method, params],
  );

/** Three traces of tool calls: the newest blocked one, an allowed one before it, and one of a tool called `bash`, not `Bash`. */
async function tracesOf(page, project) {
  const { traces } = await call(page, "history.page", { project, limit: 50 });
  const calls = traces.filter((row) => row.event === "pre_tool_execution");
  const blocked = calls.find((row) => row.verdict.kind === "skip");
  const allowed = calls.find((row) => row.verdict.kind === "proceed");
  const nearMiss = calls.find((row) => row.about.startsWith("bash"));
  return [blocked, allowed, nearMiss].map((row) => row.trace);
}

async function take(page, scene, name) {
  const { look, at, act, project = "project", when, size = { width: 1280, height: 800 }, rest = REST_MS } = pictures[name];
  for (const [key, value] of Object.entries(look)) await call(page, "settings.set", { key, value });
  if (when !== "first") await call(page, "projects.use", { path: scene[project] });
  await page.setViewportSize(size);
  await page.goto(new URL(at(...scene.traces), page.url()).href);
  await page.reload();
  await page.locator("main").waitFor();
  await page.evaluate(() => document.fonts.ready);
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
  if (act) await act(page);
  // The pointer rests where it tints nothing.
  await page.mouse.move(size.width / 2, size.height - 4);
  await page.waitForTimeout(rest);
  writeFileSync(join(here, `${name}.png`), smaller(await page.screenshot()));
  console.log(`docs/shots/${name}.png`);
}

async function takeAll(browser, scene, names) {
  const inPart = (part) => names.filter((name) => pictures[name].when === part);
  const { link } = await scene.serve();
  const page = await browser.newPage();
  // What a form has unsaved is left behind.
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto(link);
  await page.locator("main").waitFor();
  scene.traces = await tracesOf(page, scene.project);
  for (const name of inPart(undefined)) await take(page, scene, name);
  if (inPart("live").length > 0) {
    scene.changeApprovedScript();
    await scene.startAgents();
    await page.waitForTimeout(AGENTS_FIRST_MS);
    for (const name of inPart("live")) await take(page, scene, name);
  }
  await page.close();
}

/** The pictures of a home in which Hookwright was never started. */
async function takeFirst(browser, scene, names) {
  if (names.length === 0) return;
  await scene.end();
  const { link, engine } = await scene.serveFirst();
  const page = await browser.newPage();
  await page.goto(link);
  await page.locator("main").waitFor();
  for (const name of names) await take(page, scene, name);
  engine.kill();
  await once(engine, "exit");
}

async function main(names) {
  const scene = new Scene();
  let browser;
  try {
    await scene.prepare();
    browser = await chromium.launch({
      executablePath: process.env.HOOKWRIGHT_CHROMIUM,
      headless: true,
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    });
    await takeAll(browser, scene, names);
    await takeFirst(browser, scene, names.filter((name) => pictures[name].when === "first"));
  } finally {
    await browser?.close();
    await scene.end();
    scene.remove();
  }
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(pictures);
const unknown = names.find((name) => !Object.hasOwn(pictures, name));
if (unknown !== undefined) {
  console.error(`no picture is called ${unknown}; there are ${Object.keys(pictures).join(", ")}`);
  process.exitCode = 2;
} else {
  const code = runStaged([fileURLToPath(import.meta.url), ...names]);
  if (code === null) await main(names);
  else process.exitCode = code;
}
