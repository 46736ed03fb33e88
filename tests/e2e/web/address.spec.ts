/** What the address names, and what Settings say of what was saved. */
import { expect, go, openHooks, row, test } from "./engine.ts";

test("the address names screen and selection: back, forward, a reload and a second window show the same", async ({ page, context, engine }) => {
  await openHooks(page, engine);
  await row(page, "guard_shell.sh").click();
  const drawer = page.getByRole("region", { name: "Hook", exact: true });
  await expect(drawer).toContainText("guard_shell.sh");
  const address = page.url();
  await go(page, "History");
  await expect(page).toHaveURL(/#\/history$/);
  await page.goBack();
  await expect(page).toHaveURL(address);
  await expect(drawer).toContainText("guard_shell.sh");
  await page.goForward();
  await expect(page.getByRole("link", { name: "History", exact: true })).toHaveAttribute("aria-current", "page");
  const another = await context.newPage();
  await another.goto(await engine.newLink());
  await expect(another.getByRole("navigation", { name: "Navigation" })).toBeVisible();
  await another.goto(address);
  await expect(another.getByRole("region", { name: "Hook", exact: true })).toContainText("guard_shell.sh");
  await another.goto(`${engine.origin}/#/no-such-screen`);
  await expect(another).toHaveURL(/#\/overview$/);
  await expect(another.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
});

test("a setting says at its field that it was saved, and undoes it there", async ({ page, engine }) => {
  await openHooks(page, engine);
  await page.goto(`${engine.origin}/#/settings?section=history`);
  const field = page.getByRole("textbox", { name: "Keep outcomes for" });
  const before = await field.inputValue();
  await field.fill("45");
  await field.press("Enter");
  await expect(page.getByRole("status").filter({ hasText: "Saved." })).toBeVisible();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await expect(field).toHaveValue(before);
});
