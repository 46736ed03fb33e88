/** What is seen before the application runs. */
import { expect, set, test } from "./engine.ts";

test("the first paint is in the chosen theme, on a system that has the other one", async ({ page, engine }) => {
  await page.goto(engine.link);
  await page.getByRole("button", { name: /Open the sample project/ }).waitFor();
  await set(page, "ui.theme", "light");
  await set(page, "ui.language", "zh-CN");
  // As on the next day: another port, and with it nothing that this page kept.
  await page.evaluate(() => localStorage.clear());
  await page.route("**/assets/**", () => undefined);
  await page.goto(engine.origin, { waitUntil: "commit" });
  const canvas = page.locator("html");
  await expect(canvas).toHaveAttribute("data-theme", "light");
  await expect(canvas).toHaveCSS("background-color", "rgb(251, 252, 252)");
  await page.unroute("**/assets/**");
  await page.goto(engine.origin);
  await expect(page.getByRole("link", { name: "历史" })).toBeVisible();
  await expect(canvas).toHaveCSS("background-color", "rgb(251, 252, 252)");
});
