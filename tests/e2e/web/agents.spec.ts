/** A connected agent: seen, read, fired at, and disconnected. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Engine, expect, go, openApproved, SAMPLES, test } from "./engine.ts";

/** Starts the sample agent in the engine's project. Without further words it stays connected after its conversation. */
function startAgent(engine: Engine, session: string, ...more: string[]): ChildProcess {
  const agent = join(SAMPLES, "agents/python/agent.py");
  return spawn("python3", [agent, "--dialect", "jcli", "--session", session, "--cwd", engine.project, ...more], {
    env: engine.env,
    stdio: "ignore",
  });
}

test("an agent is seen, its messages are read, it is fired at, and it is disconnected", async ({ page, engine }) => {
  await openApproved(page, engine);
  await page.keyboard.press("6");
  await expect(page.getByRole("heading", { name: "No agent is connected" })).toBeVisible();
  await expect(page.getByText("hookwright connect jcli")).toBeVisible();
  await page.screenshot({ path: test.info().outputPath("agents-none.png") });

  const agent = startAgent(engine, "journey");
  const ended = once(agent, "exit");
  try {
    await expect(page.getByRole("heading", { name: "1 agent is connected" })).toBeVisible();
    const detail = page.getByRole("region", { name: "Agent", exact: true });
    await expect(detail).toContainText("runs its own hooks on test events");
    const messages = page.getByRole("grid", { name: "Messages" });
    await expect(
      messages
        .getByRole("row")
        .filter({ hasText: "session_end" })
        .or(messages.getByRole("row").filter({ hasText: "stop" }))
        .first(),
    ).toBeVisible();
    const fired = messages.getByRole("row").filter({ hasText: "event.fire" }).first();
    await fired.click();
    await expect(page.getByRole("region", { name: "Text of the message" })).toContainText('"jsonrpc"');
    await page.screenshot({ path: test.info().outputPath("agents.png") });

    await page.getByRole("tab", { name: "Executions" }).click();
    await expect(page.getByRole("list", { name: "Executions" }).getByRole("button").first()).toBeVisible();
    await page.getByRole("tab", { name: /^Session hooks/ }).click();
    await page.screenshot({ path: test.info().outputPath("agents-hooks.png") });

    await page.getByRole("button", { name: "Fire at this agent" }).click();
    await expect(page.getByRole("combobox", { name: "Target" })).toContainText("sample");
    await page.keyboard.press("Control+Enter");
    const reply = page.getByRole("region", { name: /^Replies of/ });
    await expect(reply).toContainText(/replies differ|same reply/);
    await expect(reply.getByRole("row").filter({ hasText: "Exit code" })).toBeVisible();
    await page.screenshot({ path: test.info().outputPath("agents-fire.png") });

    await go(page, "Agents");
    await page.getByRole("button", { name: "Disconnect" }).click();
    const sure = page.getByRole("alertdialog");
    await expect(sure.getByRole("button", { name: "Stay connected" })).toBeFocused();
    await sure.getByRole("button", { name: "Disconnect" }).click();
    await expect(page.getByRole("heading", { name: "No agent is connected" })).toBeVisible();
    await ended;
    expect(agent.exitCode).toBe(1);
  } finally {
    agent.kill("SIGKILL");
  }
});

test("what an agent does is counted while it works", async ({ page, engine }) => {
  await openApproved(page, engine);
  const agent = startAgent(engine, "works", "--loop", "0.1", "--pace", "0.1");
  try {
    await page.keyboard.press("6");
    const facts = page.getByRole("region", { name: "Agent", exact: true }).locator("dl.facts");
    const fact = async (name: string) =>
      Number(await facts.locator("div", { has: page.locator("dt", { hasText: name }) }).locator("dd").innerText());
    await expect(facts).toBeVisible();
    for (const name of ["Events", "Last minute"]) {
      await expect.poll(() => fact(name)).toBeGreaterThan(0);
      // The agent begins its conversation again and again, and its counts begin again with it.
      const before = await fact(name);
      await expect.poll(() => fact(name)).not.toBe(before);
    }
    await go(page, "Overview");
    await expect(page.getByRole("region", { name: "Needs you, and agents" }).getByRole("list")).toContainText(/[1-9]\d* \/ min/);
  } finally {
    agent.kill("SIGKILL");
  }
});

test("an agent is connected by its files after the change was shown, and Undo gives back every byte", async ({ page, engine }) => {
  const before = "stop:\n  # mine\n  - command: 'true'\n";
  await engine.writeHome(".jdata/agent/hooks.yaml", before);
  const file = () => readFile(join(engine.home, ".jdata/agent/hooks.yaml"), "utf8");
  await openApproved(page, engine);
  await page.keyboard.press("6");
  await page.getByRole("button", { name: "Connect j-cli" }).click();
  const dialog = page.getByRole("dialog", { name: "Connect j-cli" });
  await expect(dialog).toContainText("hookwright-relay");
  expect(await file()).toBe(before);
  await dialog.getByRole("button", { name: /^Connect j-cli/ }).click();
  await expect(dialog).toContainText("A first event arrives from j-cli");
  expect(await file()).toContain("hookwright-relay");
  await dialog.getByRole("button", { name: "Undo" }).click();
  await expect(dialog).toBeHidden();
  expect(await file()).toBe(before);
});
