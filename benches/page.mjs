// Measures the page: the first paint of the list on loopback, each key in a condition until the new count of matching
// events is painted, and a minute of 1,000 live rows a second, in the list of History and in the live strip of Overview.
//
//   HOOKWRIGHT_BIN=target/release/hookwright node benches/page.mjs [--seconds 60] [--rows 1000] [--loads 10] [--keys 60]
//
// An engine of its own over the starter sample, in a temporary home, with its page in a headless Chromium. The live rows
// do not come from fired events, so that the page is measured and not the engine: beside the page's own stream of pushes
// a second one repeats a recorded row, in 20 batches a second as the engine sends them. Prints a table, asserts nothing.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

const root = resolve(import.meta.dirname, "..");
const { chromium } = createRequire(join(root, "tests/e2e/web/package.json"))("@playwright/test");
const hookwright = resolve(process.env.HOOKWRIGHT_BIN ?? join(root, "target/release/hookwright"));
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    rows: { type: "string", default: "1000" },
    loads: { type: "string", default: "10" },
    keys: { type: "string", default: "60" },
  },
});
const [seconds, rowsPerSecond, loads] = [Number(values.seconds), Number(values.rows), Number(values.loads)];
const keys = Number(values.keys);
const BATCHES_PER_SECOND = 20;

const place = mkdtempSync(join(tmpdir(), "hookwright-page-"));
const project = join(place, "starter");
const env = {
  PATH: process.env.PATH,
  LANG: "C.UTF-8",
  HOME: join(place, "home"),
  HOOKWRIGHT_DATA: join(place, "data"),
  XDG_RUNTIME_DIR: join(place, "run"),
};

/** Runs the command line in the project. */
function run(args, input = "") {
  const ended = spawnSync(hookwright, [...args, "--project", project], { env, cwd: env.HOME, input, encoding: "utf8" });
  if (ended.error) throw ended.error;
  return ended;
}

/** Starts the engine; gives its process and the link to its page. */
async function serve() {
  const engine = spawn(hookwright, ["serve", "--web"], { env, cwd: env.HOME, stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: engine.stdout })) {
    const link = /http:\/\/\S+/.exec(line)?.[0];
    if (link) return { engine, link };
  }
  throw new Error("the engine printed no link");
}

/** Calls a method of the engine from the page. */
function call(page, method, params) {
  return page.evaluate(
    async ([name, given]) => {
      const body = JSON.stringify({ method: name, params: given });
      const window = sessionStorage.getItem("hookwright.window");
      const headers = { "content-type": "application/json", "x-hookwright-window": window };
      const response = await fetch("/rpc", { method: "POST", headers, body });
      return (await response.json()).result;
    },
    [method, params],
  );
}

/** In the page: notes when the first row of the list was painted. */
function watchFirstRow() {
  const noteRow = () => {
    if (document.querySelector("[role=grid] tr[data-line]") === null) return;
    observer.disconnect();
    // The frame after the one in which it is drawn begins when that one was painted.
    requestAnimationFrame(() => requestAnimationFrame((time) => Object.assign(window, { firstRowAt: time })));
  };
  const observer = new MutationObserver(noteRow);
  observer.observe(document, { childList: true, subtree: true });
}

/** In the page: notes the time from each key to the frame in which another count of matching events is painted. */
function watchCount() {
  Object.assign(window, { keyTimes: [] });
  let pressed = 0;
  document.addEventListener("keydown", (event) => (pressed = event.timeStamp), true);
  const count = document.querySelector(".match-count");
  let shown = count.textContent;
  new MutationObserver(() => {
    if (count.textContent === shown) return;
    shown = count.textContent;
    const from = pressed;
    requestAnimationFrame(() => requestAnimationFrame((time) => window.keyTimes.push(time - from)));
  }).observe(count, { childList: true, characterData: true, subtree: true });
}

/** In the page: makes it possible to add pushes to the stream that comes from the engine. */
function openSecondStream() {
  const streams = new Set();
  const realFetch = window.fetch;
  window.fetch = async (...given) => {
    const answer = await realFetch(...given);
    if (given[0] !== "/pushes" || !answer.ok) return answer;
    const shared = new TransformStream({ start: (stream) => void streams.add(stream) });
    return new Response(answer.body.pipeThrough(shared), { headers: answer.headers });
  };
  window.sendPush = (push) => {
    const bytes = new TextEncoder().encode(`data: ${JSON.stringify(push)}\n\n`);
    for (const stream of streams) stream.enqueue(bytes);
  };
}

/** In the page: sends rows for a while; gives the length of every frame and of every long task, in ms. */
async function sendRows({ row, duration, perBatch, every }) {
  const OUTCOMES = ["no_opinion", "allowed", "changed", "denied", "failed_open", "timed_out_open"];
  const frames = [];
  const tasks = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
  observer.observe({ type: "longtask" });
  let before = performance.now();
  let on = true;
  const next = (now) => {
    frames.push(now - before);
    before = now;
    if (on) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
  const begin = performance.now();
  let batch = 0;
  const sentBefore = window.rowsSent ?? 0;
  let sent = sentBefore;
  while (performance.now() - begin < duration) {
    const rows = Array.from({ length: perBatch }, (_, index) => ({
      ...row,
      // Four agents and this machine, and every outcome that a strip marks.
      ...(index % 5 === 0 ? {} : { origin: "agent", agent: `bench${index % 5}`, session: `s${index % 5}` }),
      outcomes: [OUTCOMES[(sent + index) % OUTCOMES.length]],
      verdict: { ...row.verdict, kind: OUTCOMES[(sent + index) % OUTCOMES.length] === "denied" ? "skip" : "proceed" },
      // Ids are ULIDs: their order is the order in time.
      trace: `0Z${String(sent + perBatch - index).padStart(24, "0")}`,
      at: new Date().toISOString(),
    }));
    window.sendPush({ kind: "traces", rows });
    sent += perBatch;
    batch += 1;
    const wait = begin + batch * every - performance.now();
    await new Promise((done) => setTimeout(done, Math.max(0, wait)));
  }
  on = false;
  observer.disconnect();
  window.rowsSent = sent;
  return { frames: frames.slice(1), tasks, sent: sent - sentBefore };
}

const sorted = (list) => [...list].sort((a, b) => a - b);
const at = (list, share) => sorted(list)[Math.min(list.length - 1, Math.floor(list.length * share))] ?? 0;
const ms = (value) => `${value.toFixed(1)} ms`;
const mb = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

async function measureLoads(context, address) {
  const times = [];
  for (let load = 0; load < loads; load += 1) {
    const page = await context.newPage();
    await page.addInitScript(watchFirstRow);
    await page.goto(address);
    await page.waitForFunction(() => window.firstRowAt !== undefined);
    times.push(await page.evaluate(() => window.firstRowAt));
    await page.close();
  }
  return times;
}

/** Keys in the condition of a hook, over as many recorded events as it counts; each key changes the count. */
async function measureKeys(context, address) {
  const page = await context.newPage();
  await page.goto(address);
  for (let event = 0; event < 200; event += 1) {
    const payload = { tool_name: ["Bash", "Grep", "Read", "Edit"][event % 4], tool_arguments: '{"command": "ls"}' };
    await call(page, "fire", { run: `${event}`, project, dialect: "jcli", event: "pre_tool_execution", payload });
  }
  await page.getByRole("grid").getByText("guard_shell.sh").first().click();
  await page.getByRole("button", { name: "Edit condition" }).click();
  await page.getByRole("textbox", { name: "tool_matcher" }).pressSequentially("Gre");
  await page.getByText(/of the last 200 events/).waitFor();
  await page.evaluate(watchCount);
  for (let key = 0; key < keys; key += 1) {
    await page.keyboard.press(key % 2 === 0 ? "p" : "Backspace");
    await page.waitForFunction((count) => window.keyTimes.length === count, key + 1);
  }
  const times = await page.evaluate(() => window.keyTimes);
  await page.close();
  return times;
}

async function heapOf(session) {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize;
}

async function measureRows(context, address) {
  const page = await context.newPage();
  await page.addInitScript(openSecondStream);
  await page.goto(address);
  await page.locator("[role=grid] tr[data-line]").first().waitFor();
  const { traces } = await call(page, "history.page", { project, limit: 1 });
  const session = await context.newCDPSession(page);
  const send = (duration) =>
    page.evaluate(sendRows, {
      row: traces[0],
      duration,
      perBatch: Math.round(rowsPerSecond / BATCHES_PER_SECOND),
      every: 1000 / BATCHES_PER_SECOND,
    });
  // Fills the ring of live rows and a minute of marks first, so that the heap is compared at the same number of both.
  await send(Math.max(6000, Math.min(seconds, 60) * 1000));
  const before = await heapOf(session);
  const measured = await send(seconds * 1000);
  const after = await heapOf(session);
  await page.close();
  return { ...measured, before, after };
}

let engine;
let browser;
try {
  mkdirSync(env.HOME);
  mkdirSync(env.XDG_RUNTIME_DIR, { mode: 0o700 });
  cpSync(join(root, "hooks-samples/jcli/starter"), project, { recursive: true });
  run(["trust", "--all"]);
  const payload = { tool_name: "Bash", tool_arguments: JSON.stringify({ command: "cargo test --workspace" }) };
  run(["fire", "--dialect", "jcli", "--event", "pre_tool_execution", "--payload", "-"], JSON.stringify(payload));
  const served = await serve();
  engine = served.engine;
  browser = await chromium.launch({
    executablePath: process.env.HOOKWRIGHT_CHROMIUM || "/usr/bin/chromium",
    headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const first = await context.newPage();
  await first.goto(served.link);
  await first.locator("main").waitFor();
  await call(first, "projects.use", { path: project });
  // Every tab has a secret of its own, by its own link: here all use the first one's.
  const secret = await first.evaluate(() => sessionStorage.getItem("hookwright.window"));
  await context.addInitScript((value) => sessionStorage.setItem("hookwright.window", value), secret);
  await first.close();
  const { origin } = new URL(served.link);
  const times = await measureLoads(context, `${origin}/#/hooks`);
  const keyTimes = await measureKeys(context, `${origin}/#/hooks`);
  const list = await measureRows(context, `${origin}/#/history`);
  const strip = await measureRows(context, `${origin}/#/overview`);
  const measured = (name, live) => ({
    [`${name}: live rows sent`]: { value: `${live.sent} in ${seconds} s`, goal: `${rowsPerSecond} a second` },
    [`${name}: frame, median`]: { value: ms(at(live.frames, 0.5)), goal: "" },
    [`${name}: frame, p95`]: { value: ms(at(live.frames, 0.95)), goal: "20 ms with a GPU, 33 ms without" },
    [`${name}: longest frame`]: { value: ms(Math.max(0, ...live.frames)), goal: "50 ms" },
    [`${name}: frames over 50 ms`]: { value: `${live.frames.filter((length) => length > 50).length}`, goal: "0" },
    [`${name}: longest task`]: { value: ms(Math.max(0, ...live.tasks)), goal: "100 ms" },
    [`${name}: heap before`]: { value: mb(live.before), goal: "" },
    [`${name}: heap after`]: { value: mb(live.after), goal: "as before" },
  });
  console.table({
    "first paint of the list, median": { value: ms(at(times, 0.5)), goal: "300 ms" },
    "first paint of the list, slowest": { value: ms(Math.max(...times)), goal: "" },
    "key in a condition to its count of 200 events, median": { value: ms(at(keyTimes, 0.5)), goal: "100 ms" },
    "key in a condition to its count of 200 events, p95": { value: ms(at(keyTimes, 0.95)), goal: "100 ms" },
    ...measured("list", list),
    ...measured("strip", strip),
  });
  console.log(`${loads} loads, ${keyTimes.length} keys, ${list.frames.length} and ${strip.frames.length} frames, ${cpus().length} cores: ${cpus()[0]?.model}`);
} finally {
  await browser?.close();
  if (engine?.exitCode === null) {
    engine.kill();
    await once(engine, "exit");
  }
  rmSync(place, { recursive: true, force: true });
}
