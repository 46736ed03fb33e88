// Takes the screenshots of the README from the real programs: `./dev shots [NAME…]`.
//
// A temporary home gets a project of one sample a hook system, a few fired events, of which `day.mjs` makes a day of history,
// and an engine of its own; a headless Chromium opens the page that `hookwright serve --web` offers. Nothing of the person's own is read.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { dayOf, replaceHistory } from "./day.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..");
const { chromium } = createRequire(join(root, "ui", "package.json"))("playwright-core");
const hookwright = process.env.HOOKWRIGHT_BIN;

const bash = (command) => ({ tool_name: "Bash", tool_arguments: JSON.stringify({ command }) });
const dropTable = bash("psql $STAGING -c 'drop table carts' > ./build/../out.log");
/** What the project is made of. */
const samples = ["jcli/starter", "qoder/command-guard", "skill/research-desk", "agent-hooks/guard-python", "picoclaw/review-gate"];
/** What the history shows, oldest first. */
const fired = [
  ["jcli", "session_start", { messages: [] }],
  ["jcli", "pre_send_message", { user_input: "clean up the staging database" }],
  ["jcli", "pre_tool_execution", bash("ls -la build")],
  ["qoder", "PreToolUse", { tool_name: "Bash", tool_input: { command: "rm -rf /" } }],
  ["jcli", "post_tool_execution", { tool_name: "Bash", tool_result: "carts.sql\npassword=hunter22\n" }],
  ["jcli", "pre_tool_execution", { tool_name: "Write", tool_arguments: '{"path":"src/../.env","content":"A=1"}' }],
  ["skill", "after_tool_call", { messages: [], tool_name: "read_file", enabled_skills: ["cite", "reader"] }],
  ["jcli", "pre_tool_execution", bash("rm -rf ~")],
  ["agent-hooks", "before_tool", { tool_name: "Shell", tool_input: { command: 'echo "now"; rm -rf /' } }],
  ["picoclaw", "approve_tool", { tool: "bash", arguments: { command: "git push -f origin main" } }],
  ["jcli", "pre_tool_execution", bash("cargo test --workspace")],
  ["jcli", "pre_tool_execution", dropTable],
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
const simulate = async (page) => {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.keyboard.press("Control+Enter");
  await page.locator(".simulator-verdict").waitFor();
  for (let call = 0; call < 2; call += 1) await page.keyboard.press("ArrowRight");
};
const scenario = () => `#/simulator?scenario=${encodeURIComponent("file/play.yaml")}`;
const life = (dialect) => [dark, () => `#/hooks?view=lifecycle&dialect=${dialect}`];
/** name → settings, address (a function of the newest trace, and of the one it is compared with), what to do there, size. */
const shots = {
  "overview-dark": [dark, () => "#/overview"],
  "overview-light": [light, () => "#/overview"],
  "overview-zh": [chinese, () => "#/overview"],
  "overview-narrow": [dark, () => "#/overview", null, narrow],
  "hooks-dark": [dark, () => hooks],
  "hooks-light": [light, () => hooks],
  "hooks-zh": [chinese, () => hooks],
  "hooks-narrow": [dark, () => hooks, null, narrow],
  "lifecycle-dark": [dark, () => "#/hooks?view=lifecycle&dialect=jcli&event=pre_tool_execution"],
  "lifecycle-qoder": life("qoder"),
  "lifecycle-skill": life("skill"),
  "lifecycle-agent-hooks": life("agent-hooks"),
  "lifecycle-picoclaw": life("picoclaw"),
  "lifecycle-zh": [chinese, () => "#/hooks?view=lifecycle&dialect=qoder"],
  "fire-dark": [dark, (trace) => `#/fire?trace=${trace}`, fire],
  "fire-light": [light, (trace) => `#/fire?trace=${trace}`, fire],
  "fire-zh": [chinese, (trace) => `#/fire?trace=${trace}`, fire],
  "history-dark": [dark, (trace) => `#/history?trace=${trace}`],
  "history-light": [light, (trace) => `#/history?trace=${trace}`],
  "history-zh": [chinese, (trace) => `#/history?trace=${trace}`],
  "compare-dark": [dark, (trace, before) => `#/history?trace=${trace}&with=${before}`],
  "explain-dark": [dark, (trace) => `#/history/explain?trace=${trace}`],
  "metrics-dark": [dark, () => "#/metrics?range=15m"],
  "metrics-light": [light, () => "#/metrics?range=15m"],
  "simulator-dark": [dark, scenario, simulate],
  "simulator-light": [light, scenario, simulate],
  "simulator-zh": [chinese, scenario, simulate],
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
  const before = traces.find((row) => row.event === newest.event && row.verdict.kind === "proceed");
  await page.setViewportSize(size);
  await page.goto(new URL(address(newest.trace, before.trace), page.url()).href);
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
  for (const sample of samples) cpSync(join(root, "hooks-samples", sample), project, { recursive: true });
  run(["trust", "--all"]);
  for (const [dialect, event, payload] of fired) run(["fire", "--dialect", dialect, "--event", event, "--payload", "-"], JSON.stringify(payload));
  // The newest is listed first.
  const rows = JSON.parse(run(["history", "--json", "--limit", String(fired.length)])).traces.reverse();
  const traces = rows.map(({ trace }) => JSON.parse(run(["show", trace, "--json"])));
  replaceHistory(env.HOOKWRIGHT_DATA, dayOf(traces));
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
