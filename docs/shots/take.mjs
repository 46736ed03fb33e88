// Takes the screenshots of the README from the real programs: `./dev shots [NAME…]`.
//
// A temporary home gets the starter sample as its project, a few fired events as its history, and an engine of its own;
// a headless Chromium opens the page that `hookwright serve --web` offers. Nothing of the person's own is read.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..");
const { chromium } = createRequire(join(root, "ui", "package.json"))("playwright-core");
const hookwright = process.env.HOOKWRIGHT_BIN;

const bash = (command) => ({ tool_name: "Bash", tool_arguments: JSON.stringify({ command }) });
const dropTable = bash("psql $STAGING -c 'drop table carts' > ./build/../out.log");
/** What the history shows, oldest first. */
const fired = [
  ["session_start", { messages: [] }],
  ["pre_send_message", { user_input: "clean up the staging database" }],
  ["pre_tool_execution", bash("ls -la build")],
  ["post_tool_execution", { tool_name: "Bash", tool_result: "carts.sql\npassword=hunter22\n" }],
  ["pre_tool_execution", { tool_name: "Write", tool_arguments: '{"path":"src/../.env","content":"A=1"}' }],
  ["pre_tool_execution", bash("rm -rf ~")],
  ["pre_tool_execution", bash("cargo test --workspace")],
  ["pre_tool_execution", dropTable],
];

const dark = { "ui.language": "en", "ui.theme": "dark" };
const light = { "ui.language": "en", "ui.theme": "light" };
const chinese = { "ui.language": "zh-CN", "ui.theme": "light" };
const narrow = { width: 960, height: 640 };
const denied = "jcli:project:pre_tool_execution:3";
const hooks = `#/hooks?hook=${encodeURIComponent(JSON.stringify(denied)).replaceAll("%22", "")}`;
const fire = async (page) => {
  await page.getByText("tool_name").first().waitFor();
  await page.keyboard.press("Control+Enter");
  await page.locator(".verdict[role=status]").waitFor();
  await page.locator(".steps, main").getByText("tidy_call.py").last().click();
};
/** name → settings, address (a function of the newest trace), what to do there, size. */
const shots = {
  "hooks-dark": [dark, () => hooks],
  "hooks-light": [light, () => hooks],
  "hooks-zh": [chinese, () => hooks],
  "hooks-narrow": [dark, () => hooks, null, narrow],
  "lifecycle-dark": [dark, () => "#/hooks?view=lifecycle&dialect=jcli&event=pre_tool_execution"],
  "lifecycle-zh": [chinese, () => "#/hooks?view=lifecycle&dialect=qoder"],
  "fire-dark": [dark, (trace) => `#/fire?trace=${trace}`, fire],
  "fire-light": [light, (trace) => `#/fire?trace=${trace}`, fire],
  "fire-zh": [chinese, (trace) => `#/fire?trace=${trace}`, fire],
  "history-dark": [dark, (trace) => `#/history?trace=${trace}`],
  "history-light": [light, (trace) => `#/history?trace=${trace}`],
  "history-zh": [chinese, (trace) => `#/history?trace=${trace}`],
  "explain-dark": [dark, (trace) => `#/history/explain?trace=${trace}`],
  "settings-dark": [dark, () => "#/settings?section=redaction"],
  "settings-light": [light, () => "#/settings?section=model"],
  "settings-zh": [chinese, () => "#/settings?section=history"],
};

const place = mkdtempSync(join(tmpdir(), "hookwright-shots-"));
const project = join(place, "orchard-api");
const env = { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8", HOME: join(place, "home"), HOOKWRIGHT_DATA: join(place, "data") };
let engine;
let browser;

function run(words, input) {
  const { status, stdout, stderr } = spawnSync(hookwright, ["--project", project, ...words], { env, input, encoding: "utf8" });
  if (status !== 0 && status !== 2) throw new Error(`hookwright ${words.join(" ")} ended with ${status}: ${stderr}`);
  return stdout;
}

/** Starts the engine and waits for the one-time link that it prints. */
async function serve() {
  engine = spawn(hookwright, ["--project", project, "serve", "--web"], { env, stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: engine.stdout })) {
    const link = line.match(/http:\/\/\S+/);
    if (link) return link[0];
  }
  throw new Error("the engine ended without printing a link");
}

/** Calls the page's own router, as the interface does. */
const call = (page, method, params) =>
  page.evaluate(
    async ([method, params]) => {
      const answer = await fetch("/rpc", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ method, params }),
      });
      const { result, fault } = await answer.json();
      if (fault) throw new Error(fault.message);
      return result;
    },
    [method, params],
  );

async function take(page, name) {
  const [settings, address, act, size = { width: 1280, height: 800 }] = shots[name];
  for (const [key, value] of Object.entries(settings)) await call(page, "settings.set", { key, value });
  const { traces } = await call(page, "history.page", { project, limit: 50 });
  const newest = traces.find((row) => row.event === "pre_tool_execution" && row.verdict.kind === "skip");
  await page.setViewportSize(size);
  await page.goto(new URL(address(newest.trace), page.url()).href);
  await page.reload();
  await page.locator("main").waitFor();
  await page.evaluate(() => document.fonts.ready);
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
  if (act) await act(page);
  // Transitions last 320 ms at most; the pointer rests where it tints nothing.
  await page.mouse.move(size.width / 2, size.height - 4);
  await page.waitForTimeout(600);
  await page.screenshot({ path: join(here, `${name}.png`) });
  console.log(`docs/shots/${name}.png`);
}

try {
  mkdirSync(env.HOME);
  cpSync(join(root, "hooks-samples", "jcli", "starter"), project, { recursive: true });
  run(["trust", "--all"]);
  for (const [event, payload] of fired) run(["fire", "--dialect", "jcli", "--event", event, "--payload", "-"], JSON.stringify(payload));
  const link = await serve();
  browser = await chromium.launch({
    executablePath: process.env.HOOKWRIGHT_CHROMIUM,
    headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  const page = await browser.newPage();
  await page.goto(link);
  await page.locator("main").waitFor();
  await call(page, "projects.use", { path: project });
  for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(shots)) await take(page, name);
} finally {
  await browser?.close();
  if (engine?.exitCode === null) {
    engine.kill();
    await once(engine, "exit");
  }
  rmSync(place, { recursive: true, force: true });
}
