/** The simulator: a scenario is chosen, run, read call by call, edited in the form and saved; a session becomes one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, go, openApproved, SAMPLES, speak, test } from "./engine.ts";

test("a scenario is run, its chains are read, and it is edited in the form and saved", async ({ page, engine }) => {
  await openApproved(page, engine);
  await page.keyboard.press("8");
  await expect(page.getByRole("heading", { name: "Choose a scenario" })).toBeVisible();
  await page.getByRole("button", { name: /^play\.yaml/ }).click();
  await expect(page.getByRole("heading", { name: "Not run yet" })).toBeVisible();
  await page.screenshot({ path: test.info().outputPath("simulator-idle.png") });

  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("heading", { name: "1 event was blocked." })).toBeVisible();
  const calls = page.getByRole("list", { name: "Model calls" });
  await expect(calls.getByRole("button")).toHaveCount(4);
  await page.keyboard.press("ArrowRight");
  await expect(calls.locator('[aria-current="step"]')).toContainText("Step 2");
  const before = page.getByRole("list", { name: "Events before Step 2" });
  await before.getByRole("button", { name: /pre_tool_execution/ }).click();
  const chain = page.getByRole("region", { name: "Chain of the event" });
  await expect(chain.getByRole("button", { name: /guard_shell\.sh/ })).toHaveAttribute("aria-expanded", "true");
  await page.screenshot({ path: test.info().outputPath("simulator-chain.png") });
  await page.keyboard.press("Escape");
  await expect(page.getByRole("list", { name: "Messages of Step 3" })).toContainText("password=[removed]");

  await page.getByRole("textbox", { name: "User" }).fill("Clean up, please.");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("img", { name: "Edited, not saved" })).toBeVisible();
  await page.getByRole("button", { name: "Remove: step 1 of request 1" }).click();
  await page.keyboard.press("Control+s");
  await expect(page.getByText("play.yaml was saved.")).toBeVisible();
  const text = await readFile(join(engine.project, "play.yaml"), "utf8");
  expect(text).toContain("# The first command is skipped.");
  expect(text).toContain("  - user: Clean up, please.");
  expect(text).not.toContain("rm -rf");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("heading", { name: "No event was blocked." })).toBeVisible();
});

test("each call of skill hooks shows its exact messages, coloured by lifetime", async ({ page, engine }) => {
  const sample = join(SAMPLES, "skill/research-desk");
  await cp(join(sample, "skills"), join(engine.project, "skills"), { recursive: true });
  await cp(join(sample, "play.yaml"), join(engine.project, "tests/hooks/papers.scenario.yaml"));
  await openApproved(page, engine);
  await page.keyboard.press("8");
  await page.getByRole("button", { name: /papers\.scenario\.yaml/ }).click();
  await page.keyboard.press("Control+Enter");
  await expect(page.getByText(/Step 2 sees 2 copies of/)).toBeVisible();
  await expect(page.getByRole("list", { name: "How long inserted texts stay" })).toContainText("read-on");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("list", { name: "Messages of Step 2" })).toContainText("Keep page numbers with quotes.");
  await page.getByRole("button", { name: "Exact text" }).click();
  await expect(page.getByRole("region", { name: "Exact text of the call" })).toContainText('"role": "user"');
  await page.screenshot({ path: test.info().outputPath("simulator-skill.png") });
});

test("every dialect has scenarios of its own, in Chinese, too", async ({ page, engine }) => {
  const calls = "      - calls: [{tool: Shell, arguments: {command: ls}, result: README.md}]";
  await mkdir(join(engine.project, "tests/hooks"), { recursive: true });
  const dialects = {
    jcli: "starter/.jcli",
    qoder: "guard-bash/.qoder",
    skill: "house-rules/skills",
    "agent-hooks": "tidy-commands/.agents",
    picoclaw: "plugin-tool/.picoclaw",
  };
  for (const [dialect, files] of Object.entries(dialects)) {
    await cp(join(SAMPLES, dialect, files), join(engine.project, files.split("/")[1] ?? ""), { recursive: true });
    const text = `dialect: ${dialect}\nturns:\n  - user: Look around.\n    steps:\n${calls}\n      - reply: One file.\n`;
    await writeFile(join(engine.project, `tests/hooks/${dialect}.scenario.yaml`), text);
  }
  await cp(join(SAMPLES, "picoclaw/plugin-tool/plugin.py"), join(engine.project, "plugin.py"));
  await openApproved(page, engine);
  await speak(page, "zh-CN");
  for (const dialect of Object.keys(dialects)) {
    await page.evaluate(() => location.assign("#/simulator"));
    await expect(page.getByRole("heading", { name: "选择场景" })).toBeVisible();
    await page.getByRole("button", { name: new RegExp(`^tests/hooks/${dialect}\\.scenario`) }).click();
    await expect(page.getByRole("heading", { name: "尚未执行" })).toBeVisible();
    await page.keyboard.press("Control+Enter");
    await expect(page.getByRole("heading", { name: "没有事件被拦截。" })).toBeVisible();
    const stops = page.getByRole("list", { name: "模型调用" }).getByRole("button");
    // Planning or the first step, what follows the tool call, and the end.
    expect(await stops.count(), dialect).toBeGreaterThanOrEqual(3);
    await page.screenshot({ path: test.info().outputPath(`simulator-${dialect}-zh-CN.png`) });
  }
});

test("a recorded session becomes a scenario", async ({ page, engine }) => {
  await openApproved(page, engine);
  const program = join(SAMPLES, "agents/python/agent.py");
  const agent = spawn("python3", [program, "--dialect", "jcli", "--session", "journey", "--cwd", engine.project], {
    env: engine.env,
    stdio: "ignore",
  });
  const ended = once(agent, "exit");
  try {
    await go(page, "Agents");
    const messages = page.getByRole("grid", { name: "Messages" });
    await expect(messages.getByRole("row").filter({ hasText: "stop" }).first()).toBeVisible();
    await go(page, "Simulator");
    await page.getByRole("button", { name: /From a recorded session/ }).click();
    // The history has an event a moment after it was shown live.
    const session = page.getByRole("dialog").getByRole("button", { name: /journey/ });
    await expect(session).toHaveText(/([4-9]|\d\d) events/);
    await session.click();
    await expect(page.getByRole("region", { name: "Request 1" })).toBeVisible();
    await page.keyboard.press("Control+Enter");
    await expect(page.getByRole("list", { name: "Model calls" })).toBeVisible();
    await page.screenshot({ path: test.info().outputPath("simulator-session.png") });
  } finally {
    agent.kill("SIGKILL");
    await ended;
  }
});
