/** What happens outside is seen in the page at once. */
import { join } from "node:path";
import { edit, expect, go, openHooks, row, test } from "./engine.ts";

test("an event that the command line fires appears in the history", async ({ page, engine }) => {
  await openHooks(page, engine);
  await go(page, "History");
  await expect(page.getByText("No events yet")).toBeVisible();
  const fired = await engine.hookwright("fire", "--dialect", "jcli", "--event", "pre_send_message", "--json");
  expect(fired, fired.stderr).toMatchObject({ code: 0 });
  const { trace } = JSON.parse(fired.stdout) as { trace: string };
  await row(page, "pre_send_message").click();
  await expect(page).toHaveURL(new RegExp(trace));
  await expect(page.getByText("inject_time.py").first()).toBeVisible();
});

test("an approval taken back on the command line shows at once", async ({ page, engine }) => {
  await openHooks(page, engine);
  await engine.hookwright("trust", "--revoke", "jcli:project:pre_tool_execution:2");
  await expect(row(page, "guard_shell.sh")).toContainText("Needs review");
  await expect(row(page, "house_rules.py")).toContainText("Ready");
});

test("a broken file names its line, and the last good version stays in force", async ({ page, engine }) => {
  await openHooks(page, engine);
  const file = join(engine.project, ".jcli/hooks.yaml");
  await edit(file, (text) => text.replace("pre_tool_execution:\n", "pre_tool_execution: [\n"));
  await expect(page.getByText(/its last valid version is used here/).first()).toBeVisible();
  await expect(row(page, "guard_shell.sh")).toContainText("Lost");
  await page.getByRole("tab", { name: /Problems/ }).click();
  await expect(row(page, "syntax")).toContainText("hooks.yaml");
  await edit(file, (text) => text.replace("pre_tool_execution: [\n", "pre_tool_execution:\n"));
  await expect(row(page, "syntax")).toBeHidden();
});

test("one broken entry is out and its neighbours go on", async ({ page, engine }) => {
  await openHooks(page, engine);
  await edit(join(engine.project, ".jcli/hooks.yaml"), (text) => text.replace("on_error: abort", "on_error: abrot"));
  await page.getByRole("tab", { name: /Problems/ }).click();
  await expect(page.getByRole("row").filter({ hasText: "abrot" }).first()).toBeVisible();
  await page.getByRole("tab", { name: "List" }).click();
  for (const name of ["guard_shell.sh", "tidy_call.py"]) {
    await expect(row(page, name)).toBeVisible();
    await expect(row(page, name)).not.toContainText("Lost");
  }
});

test("a switch mutes the hook in Hookwright and leaves the file alone", async ({ page, engine }) => {
  await openHooks(page, engine);
  await page.getByRole("switch", { name: "Run guard_shell.sh in Hookwright" }).click();
  await expect(row(page, "guard_shell.sh")).toContainText("Muted");
  const listed = await engine.hookwright("list", "--json");
  const { hooks } = JSON.parse(listed.stdout) as { hooks: { label: string; muted: boolean }[] };
  expect(hooks.filter((hook) => hook.muted).map((hook) => hook.label)).toEqual(["guard_shell.sh"]);
});

test("when the engine ends, the page says so", async ({ page, engine }) => {
  await openHooks(page, engine);
  // A part of the screen that is not loaded yet cannot come from an engine that has ended.
  await expect(page.getByRole("tree")).toBeVisible();
  expect(await engine.stop()).toBe(0);
  await expect(page.getByText("The engine stopped.").or(page.getByText("lost its connection to the engine")).first()).toBeVisible();
});
