/** What keeps a hook from working is named with a fix: a script that cannot start, an output that cannot be read, conflicts. */
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { edit, expect, openHooks, test } from "./engine.ts";

const fileOf = (project: string) => join(project, ".jcli/hooks.yaml");

test("a script without the executable bit is made executable after its change is shown, and undone", async ({
  page,
  engine,
}) => {
  const script = join(engine.project, "late.sh");
  await writeFile(script, "#!/bin/sh\nexit 0\n", { mode: 0o644 });
  await chmod(script, 0o644);
  await edit(fileOf(engine.project), (text) => `${text}\nstop:\n  - command: ./late.sh\n`);
  await openHooks(page, engine);
  await page.getByRole("tab", { name: /^Problems/ }).click();
  await page.getByRole("gridcell", { name: /`?\.\/late\.sh`? is not executable/ }).click();
  await page.getByRole("button", { name: "Make late.sh executable" }).click();
  const dialog = page.getByRole("dialog", { name: "Make late.sh executable" });
  await expect(dialog).toContainText("Mode 0644 becomes 0755");
  await dialog.getByRole("button", { name: "Apply the fix" }).click();
  await expect(page.getByText("late.sh was changed.")).toBeVisible();
  expect((await stat(script)).mode & 0o777).toBe(0o755);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(async () => expect((await stat(script)).mode & 0o777).toBe(0o644)).toPass();
});

test("the effective order lists a hook that two files define, and removes one of them", async ({ page, engine }) => {
  const file = fileOf(engine.project);
  await edit(file, (text) => `${text}\nstop:\n  - command: "true"\n`);
  await engine.writeHome(".jdata/agent/hooks.yaml", 'stop:\n  - command: "true"\n');
  await openHooks(page, engine);
  await page.getByRole("tab", { name: "Effective order" }).click();
  const conflicts = page.getByRole("list", { name: "Conflicts" });
  await expect(conflicts).toContainText("runs the same command at");
  await conflicts.getByRole("button", { name: /^Remove / }).click();
  await expect(conflicts.getByText("runs the same command at")).toHaveCount(0);
  expect(await readFile(file, "utf8")).not.toContain("stop:");
});
