/** A span of time from the histogram, and two chains side by side. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Engine, expect, go, openHooks, row, test } from "./engine.ts";

async function fire(engine: Engine, command: string): Promise<void> {
  const payload = join(engine.project, "payload.json");
  await writeFile(payload, JSON.stringify({ tool_name: "Bash", tool_arguments: JSON.stringify({ command }) }));
  const fired = await engine.hookwright("fire", "--dialect", "jcli", "--event", "pre_tool_execution", "--payload", payload);
  expect([0, 2], fired.stderr).toContain(fired.code);
}

test("the histogram's brush narrows the list to a span of time, with the mouse and with the keyboard", async ({ page, engine }) => {
  await openHooks(page, engine);
  await go(page, "History");
  await fire(engine, "ls -la build");
  await expect(row(page, "ls -la build")).toBeVisible();

  const from = page.getByRole("slider", { name: "From" });
  const brush = page.getByRole("group", { name: "Span of time" });
  const box = await brush.boundingBox();
  if (box === null) throw new Error("there is no histogram");
  const drag = async (start: number, end: number) => {
    await page.mouse.move(box.x + box.width * start, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * end, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
  };
  const chip = page.getByRole("button", { name: "Remove time" });
  await drag(0.2, 0.5);
  await expect(page.getByText(/No event matches/)).toBeVisible();
  await page.reload();
  await expect(chip).toBeVisible();
  await chip.click();
  await expect(row(page, "ls -la build")).toBeVisible();

  // To the right end: what comes now belongs to it.
  await drag(0.5, 1.1);
  await expect(chip).toBeVisible();
  await fire(engine, "cargo test");
  await expect(row(page, "cargo test")).toBeVisible();
  await brush.dblclick({ position: { x: 4, y: 4 } });
  await expect(chip).toBeHidden();

  await page.getByRole("slider", { name: "Until" }).focus();
  await page.keyboard.press("PageDown");
  await expect(page.getByText(/No event matches/)).toBeVisible();
  await from.focus();
  await page.keyboard.press("ArrowRight");
  await expect(from).toHaveAttribute("aria-valuenow", "1");
  await page.keyboard.press("Escape");
  await expect(row(page, "cargo test")).toBeVisible();
});

test("two chains are compared: chosen with Ctrl and a click or with C, their differences marked", async ({ page, engine }) => {
  await openHooks(page, engine);
  await fire(engine, "ls -la build");
  await fire(engine, "ls -la dist");
  await fire(engine, "rm -rf ~");
  await go(page, "History");
  await row(page, "rm -rf ~").click();
  await row(page, "ls -la build").click({ modifiers: ["Control"] });
  const compare = page.getByRole("region", { name: "Compare", exact: true });
  await expect(compare.getByRole("status")).toHaveText(/^[2-4] of 4 steps differ\.$/);
  const guard = compare.getByRole("button", { name: /guard_shell\.sh/ });
  await expect(guard).toContainText("No opinion");
  await expect(guard).toContainText("Denied");
  await expect(guard.getByText("outcome", { exact: true })).toBeVisible();
  if ((await guard.getAttribute("aria-expanded")) === "false") await guard.click();
  await expect(compare.getByRole("listitem").filter({ hasText: "guard_shell.sh" }).getByRole("region", { name: "Output" })).toContainText("action");
  await expect(compare.getByRole("region", { name: "Payload as fired" }).locator(".cm-changedText").first()).toBeVisible();

  await page.keyboard.press("Escape");
  await expect(compare).toBeHidden();
  await row(page, "ls -la dist").click();
  await page.keyboard.press("c");
  await expect(page.getByText(/Choose another event/)).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await expect(compare).toBeVisible();
  await expect(page.getByRole("row", { selected: true })).toHaveCount(2);
});
