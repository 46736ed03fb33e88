/** Nobody needs a mouse. */
import { expect, test } from "./engine.ts";

test("from the first start to the reason of a verdict with keys alone", async ({ page, engine }) => {
  const keys = page.keyboard;
  await page.goto(engine.link);
  const door = page.getByRole("button", { name: /Open the sample project/ });
  await expect(door).toBeVisible();
  for (let presses = 0; presses < 20 && !(await door.evaluate((one) => one === document.activeElement)); presses += 1) {
    await keys.press("Tab");
  }
  await keys.press("Enter");
  await expect(page.getByRole("link", { name: "6 hooks wait for your review" })).toBeVisible();
  await keys.press("2");
  const table = page.getByRole("grid", { name: "Hooks in run order" });
  await expect(table.getByRole("row", { name: /house_rules\.py/ })).toBeVisible();

  // Review and approve the second hook of the list.
  await keys.press("j");
  await keys.press("j");
  await expect(table.getByRole("row", { selected: true })).toContainText("tidy_call.py");
  await keys.press("a");
  await expect(page.getByRole("heading", { name: "Review tidy_call.py" })).toBeVisible();
  const sure = page.getByRole("alertdialog");
  // The key reads on until the texts were seen to their end.
  await expect(async () => {
    await keys.press("a");
    await expect(sure).toBeVisible({ timeout: 500 });
  }).toPass();
  // The safe choice has the focus.
  await expect(sure.getByRole("button", { name: "Keep blocked" })).toBeFocused();
  await keys.press("Tab");
  await keys.press("Enter");
  await expect(page.getByText("tidy_call.py was approved.")).toBeVisible();

  await keys.press("3");
  await expect(page.getByText("Not fired yet.")).toBeVisible();
  await keys.press("Control+Enter");
  const steps = page.getByRole("list", { name: "Steps", exact: true });
  await expect(steps.getByRole("button", { name: /tidy_call\.py.*Changed/ })).toBeVisible();
  await keys.press("]");
  await expect(steps.locator("[aria-current=step]")).toContainText("tidy_call.py");

  await keys.press("4");
  await expect(page.getByRole("row", { name: /cargo test login/ })).toBeVisible();
  await keys.press("j");
  await keys.press("Enter");
  await expect(page).toHaveURL(/trace=/);
  await keys.press("e");
  await expect(page).toHaveURL(/explain/);
  await keys.press("Control+k");
  await expect(page.getByRole("dialog", { name: "Find or run" })).toBeVisible();
  await keys.press("Escape");
  await keys.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
});
