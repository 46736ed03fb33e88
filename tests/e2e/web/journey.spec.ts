/** What a person does on the first day, from the link to the second language. */
import { join } from "node:path";
import { approveShown, edit, expect, go, row, test } from "./engine.ts";

test("from the first start to the history, in two languages", async ({ page, engine }) => {
  await test.step("open the sample", async () => {
    await page.goto(engine.link);
    await page.getByRole("button", { name: /Open the sample project/ }).click();
    await expect(page.getByRole("link", { name: "6 hooks wait for your review" })).toBeVisible();
    await go(page, "Hooks");
    await expect(page.getByText("6 hooks", { exact: true })).toBeVisible();
    await expect(row(page, "house_rules.py")).toContainText("Needs review");
  });

  await test.step("approve every hook after seeing what it is", async () => {
    await row(page, "inject_time.py").click();
    await page.getByRole("region", { name: "Hook", exact: true }).getByRole("button", { name: "Review" }).click();
    for (let waiting = 6; waiting > 0; waiting -= 1) {
      await expect(page.getByRole("tab", { name: `Waiting ${waiting}` })).toBeVisible();
      await expect(page.getByRole("region", { name: "Definition" })).toBeVisible();
      await expect(page.getByText("Not covered.")).toBeVisible();
      await approveShown(page);
    }
    await expect(page.getByText("Nothing to review")).toBeVisible();
    await go(page, "Hooks");
    await expect(row(page, "house_rules.py")).toContainText("Ready");
  });

  await test.step("fire, and see the chain", async () => {
    await go(page, "Fire");
    await expect(page.getByText("Not fired yet.")).toBeVisible();
    await page.getByRole("button", { name: "Fire", exact: true }).click();
    await expect(page.getByRole("region", { name: "Result" }).getByRole("status")).toContainText("Denied");
    const steps = page.getByRole("list", { name: "Steps", exact: true });
    await expect(steps.getByRole("button", { name: /tidy_call\.py.*Changed/ })).toBeVisible();
    await expect(steps.getByRole("button", { name: /guard_shell\.sh.*No opinion/ })).toBeVisible();
    await expect(steps.getByRole("button", { name: /house_rules\.py.*Denied/ })).toBeVisible();
    await expect(steps.getByRole("button", { name: /protect_files\.py.*Not matched/ })).toBeVisible();
    await steps.getByRole("button", { name: /tidy_call\.py/ }).click();
    await expect(page.getByRole("tabpanel", { name: "Diff" })).toContainText("tool_arguments");
  });

  await test.step("edit the file outside, and see it change", async () => {
    await go(page, "Hooks");
    await expect(row(page, "guard_shell.sh")).toContainText("Bash|Shell");
    await edit(join(engine.sample, ".jcli/hooks.yaml"), (text) => text.replace('"Bash|Shell"', '"Terminal"'));
    await expect(row(page, "guard_shell.sh")).toContainText("Terminal");
    // What was approved was another definition.
    await expect(row(page, "guard_shell.sh")).toContainText("Needs review");
    await expect(row(page, "house_rules.py")).toContainText("Ready");
  });

  await test.step("find the event in the history", async () => {
    await go(page, "History");
    await row(page, "cargo test login").click();
    const trace = page.getByRole("region", { name: /pre_tool_execution|Event/ }).last();
    await expect(trace).toContainText("house_rules.py");
    await expect(trace).toContainText("Denied");
  });

  await test.step("switch the language", async () => {
    await go(page, "Settings");
    await page.getByRole("radio", { name: "简体中文" }).click();
    await expect(page.getByRole("link", { name: "历史" })).toBeVisible();
    await go(page, "历史");
    await expect(row(page, "cargo test login")).toContainText("拒绝");
    // The settings file keeps it: a new page speaks it from the start.
    await page.reload();
    await expect(page.getByRole("link", { name: "历史" })).toBeVisible();
  });
});
