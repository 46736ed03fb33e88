/** What the engine notifies of: seen as a toast, opened at its place, and switched off. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Engine, expect, go, openApproved, SAMPLES, test } from "./engine.ts";

/** Plays the sample agent's conversation once in the engine's project. */
async function playAgent(engine: Engine): Promise<void> {
  const agent = join(SAMPLES, "agents/python/agent.py");
  const child = spawn("python3", [agent, "--dialect", "jcli", "--cwd", engine.project, "--once"], {
    env: engine.env,
    stdio: "ignore",
  });
  await once(child, "exit");
}

test("a guard that failed open and a new hook are told, and each toast leads to its place", async ({ page, engine }) => {
  await engine.writeHome(".jdata/agent/hooks.yaml", 'pre_tool_execution:\n  - command: "exit 3"\n    timeout: 5\n');
  await openApproved(page, engine);
  // A toast is on show for six seconds, and the conversation may go on for longer.
  const played = playAgent(engine);
  const failed = page.getByRole("alert").filter({ hasText: /^Guard .+ failed at pre_tool_execution; the agent continued\./ });
  await expect(failed).toBeVisible();
  await failed.hover();
  await page.screenshot({ path: test.info().outputPath("notice.png") });
  await failed.getByRole("button", { name: "Open" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "History" })).toBeVisible();
  await expect(page).toHaveURL(/\/history\?trace=\w+&step=\d+/);
  await expect(failed).toBeHidden();
  await played;

  // The next one comes ten seconds later at the earliest.
  const file = join(engine.project, ".jcli/hooks.yaml");
  const added = '\nsession_start:\n  - command: "sh .jcli/hooks/new_hook.sh"\n    timeout: 5\n';
  await writeFile(file, (await readFile(file, "utf8")) + added);
  const waits = page.getByRole("status").filter({ hasText: "Hook new_hook.sh at session_start waits for approval." });
  await expect(waits).toBeVisible({ timeout: 30_000 });
  await waits.hover();
  await expect(async () => {
    await page.keyboard.press("F6");
    await expect(page.locator("[data-sonner-toast]:focus")).toHaveCount(1, { timeout: 200 });
  }).toPass();
  await page.keyboard.press("Tab");
  await expect(waits.getByRole("button", { name: "Open" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Trust" })).toBeVisible();
  await expect(page).toHaveURL(/hook=jcli:project:session_start:0/);

  await go(page, "Settings");
  await page.getByRole("treeitem", { name: "Notifications" }).click();
  const switched = page.getByRole("switch", { name: "A guard failed open" });
  await expect(switched).toBeChecked();
  await switched.click();
  await expect(switched).not.toBeChecked();
  await page.screenshot({ path: test.info().outputPath("notice-settings.png") });
  expect(await readFile(join(engine.data, "settings.toml"), "utf8")).toContain("[notifications]\nfailed_open = false");
});
