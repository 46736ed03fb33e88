/** The smallest window the design draws. */
import { expect, go, openHooks, row, test } from "./engine.ts";

test.use({ viewport: { width: 960, height: 640 } });

test("every screen fits into 960 by 640, and nothing is cut off sideways", async ({ page, engine }) => {
  await openHooks(page, engine);
  const fits = async (screen: string) => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide, `${screen} is wider than the window`).toBeLessThanOrEqual(960);
    await page.screenshot({ path: test.info().outputPath(`${screen}.png`) });
  };
  await go(page, "Overview");
  await expect(page.getByRole("region", { name: "Your guards" })).toBeInViewport();
  await fits("overview");

  await go(page, "Hooks");
  await row(page, "guard_shell.sh").click();
  await expect(page.getByRole("heading", { name: "guard_shell.sh" })).toBeVisible();
  await fits("hooks");
  await page.keyboard.press("Escape");

  await page.getByRole("tab", { name: "Lifecycle" }).click();
  await page.getByRole("list", { name: "Lifecycle of j-cli" }).getByRole("button", { name: /^stop,/ }).click();
  await expect(page.getByRole("button", { name: "Open in Fire" })).toBeInViewport();
  await fits("lifecycle");
  await page.keyboard.press("Escape");

  await go(page, "Fire");
  await expect(page.getByText("Not fired yet.")).toBeVisible();
  await page.keyboard.press("Control+Enter");
  const verdict = page.getByRole("region", { name: "Result" }).getByRole("status");
  await expect(verdict).toContainText("Denied");
  await expect(verdict).toBeInViewport();
  await fits("fire");

  await go(page, "History");
  await row(page, "pre_tool_execution").click();
  await fits("history");
  await page.keyboard.press("Escape");

  await go(page, "Metrics");
  await expect(page.getByRole("grid", { name: "By hook" })).toBeInViewport();
  await fits("metrics");
  await go(page, "Simulator");
  await page.getByRole("button", { name: /^play\.yaml/ }).click();
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("heading", { name: "1 event was blocked." })).toBeInViewport();
  await fits("simulator");

  await go(page, "Settings");
  await expect(page.getByRole("radio", { name: "Dark" })).toBeInViewport();
  await fits("settings");
});
