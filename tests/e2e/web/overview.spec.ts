/** The first screen of a project: what needs the user, what happens now, and the way to each of it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { edit, type Engine, expect, openApproved, SAMPLES, speak, test } from "./engine.ts";

/** Starts the sample agent in the engine's project. It stays connected after its conversation. */
function startAgent(engine: Engine, session: string): ChildProcess {
  const agent = join(SAMPLES, "agents/python/agent.py");
  return spawn("python3", [agent, "--dialect", "jcli", "--session", session, "--cwd", engine.project], {
    env: engine.env,
    stdio: "ignore",
  });
}

const fire = (engine: Engine, event: string) => engine.hookwright("fire", "--dialect", "jcli", "--event", event, "--json");

test("a project that nothing happened in says what to do, and an event fills the screen", async ({ page, engine }) => {
  await openApproved(page, engine);
  const verdict = page.getByRole("region", { name: "What needs you first" });
  await expect(verdict.getByRole("status")).toContainText("Every hook can do its work.");
  await expect(verdict).toContainText("of 6 hooks");
  await expect(page.getByText("No events yet")).toBeVisible();
  await expect(page.getByRole("list", { name: /^Figures/ })).toBeHidden();
  await page.screenshot({ path: test.info().outputPath("overview-empty.png") });

  const fired = await fire(engine, "pre_send_message");
  expect(fired, fired.stderr).toMatchObject({ code: 0 });
  const { trace } = JSON.parse(fired.stdout) as { trace: string };
  const table = page.getByRole("grid", { name: "Recent" });
  await expect(table.getByRole("row").filter({ hasText: "pre_send_message" })).toBeVisible();
  const strip = page.getByRole("region", { name: "Events of the last 60 s" });
  const mark = strip.getByRole("link");
  await expect(mark).toHaveAccessibleName(/pre_send_message/);
  await expect(strip).toContainText("this machine");
  const tiles = page.getByRole("list", { name: "Figures in the last hour" });
  await expect(tiles.getByRole("link", { name: /^Events 1/ })).toBeVisible();

  await test.step("the mark opens its chain in History", async () => {
    await mark.focus();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`history.*trace=${trace}`));
    await page.goBack();
    await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  });

  await test.step("the range is in the address", async () => {
    await page.getByRole("radio", { name: "7 d" }).click();
    await expect(page).toHaveURL(/range=7d$/);
    await page.reload();
    await expect(page.getByRole("list", { name: "Figures in the last 7 days" }).getByRole("link", { name: /^Events 1/ })).toBeVisible();
  });
});

test("while it is paused, nothing moves and what comes is counted", async ({ page, engine }) => {
  await openApproved(page, engine);
  await fire(engine, "pre_send_message");
  const table = page.getByRole("grid", { name: "Recent" });
  await expect(table.getByRole("row").filter({ hasText: "pre_send_message" })).toBeVisible();
  await page.keyboard.press("Space");
  await fire(engine, "post_tool_execution");
  const button = page.getByRole("button", { name: /^Paused/ });
  await expect(button).toContainText("1 new");
  await expect(table.getByRole("row").filter({ hasText: "post_tool_execution" })).toBeHidden();
  await page.keyboard.press("Space");
  await expect(table.getByRole("row").filter({ hasText: "post_tool_execution" })).toBeVisible();
});

test("a hook that fails each time is named with its reason, a changed hook waits, and an agent has a lane", async ({ page, engine }) => {
  const hooks = join(engine.project, ".jcli/hooks.yaml");
  await edit(join(engine.project, ".jcli/hooks/tidy_call.py"), () => 'raise SystemExit("the table of paths is missing")\n');
  await openApproved(page, engine);
  for (let run = 0; run < 3; run += 1) await fire(engine, "pre_tool_execution");
  const status = page.getByRole("region", { name: "What needs you first" }).getByRole("status");
  await expect(status).toContainText(/(guard|hook)s? (is|are) failing/);
  const side = page.getByRole("region", { name: "Needs you, and agents" });
  await expect(side).toContainText("tidy_call.py is failing");
  await expect(side).toContainText("the table of paths is missing");
  await expect(side).toContainText(/3 of 3 runs failed/);

  await edit(hooks, (text) => text.replace('"Bash|Shell"', '"Terminal"'));
  await expect(status).toContainText("1 hook waits for your review");
  const agent = startAgent(engine, "overview");
  const ended = once(agent, "exit");
  try {
    await expect(side.getByRole("link", { name: /overview/ })).toBeVisible();
    await expect(page.getByRole("region", { name: "Events of the last 60 s" })).toContainText("· overview");
    await page.screenshot({ path: test.info().outputPath("overview.png") });
    for (const [language, words] of [["zh-CN", /持续失败/], ["en", /failing/]] as const) {
      await speak(page, language);
      await expect(page.getByRole("status").first()).toContainText(words);
      await page.screenshot({ path: test.info().outputPath(`overview-${language}.png`) });
    }
  } finally {
    agent.kill("SIGKILL");
    await ended;
  }

  await test.step("E explains the failure, and the sentence leads to the review", async () => {
    await expect(side.getByRole("link", { name: /^Explain: tidy_call\.py/ })).toBeVisible();
    await expect(page.getByRole("button", { name: /^Explain failure/ })).toBeVisible();
    await page.keyboard.press("e");
    await expect(page).toHaveURL(/history\/explain\?trace=/);
    await page.goBack();
    await page.getByRole("link", { name: "1 hook waits for your review" }).click();
    await expect(page.getByRole("heading", { name: /^Review|changed since you approved it/ }).first()).toBeVisible();
  });
});
