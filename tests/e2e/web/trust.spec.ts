/** What waits is read in a queue, and what was edited is undone. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { approveShown, edit, expect, go, openHooks, row, speak, test } from "./engine.ts";

test("all hooks of a file are approved at once, after each was read", async ({ page, engine }) => {
  await page.goto(engine.link);
  await page.getByRole("button", { name: /Open the sample project/ }).click();
  await go(page, "Hooks");
  await page.getByRole("note").getByRole("link", { name: "Review" }).click();
  await expect(page.getByText("1 of 6", { exact: true })).toBeVisible();
  const texts = page.getByRole("region", { name: "Approved and current text" });
  for (let read = 1; read <= 6; read += 1) {
    const done = page.getByRole("button", { name: read === 6 ? "Approve all 6" : `${read} of 6 read` });
    await expect(async () => {
      await texts.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await expect(done).toBeVisible({ timeout: 500 });
    }).toPass();
    if (read < 6) await page.keyboard.press("s");
  }
  await page.getByRole("button", { name: "Approve all 6" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Approve all 6" }).click();
  await expect(page.getByText("Nothing to review")).toBeVisible();
  await expect(page.getByText("6 hooks are approved.")).toBeVisible();
});

test("a script that changed after its approval is shown beside what was approved", async ({ page, engine }) => {
  await openHooks(page, engine);
  await edit(join(engine.project, ".jcli/hooks/house_rules.py"), (text) => text.replace("import re", "import re, os"));
  await go(page, "Trust");
  await expect(page.getByRole("heading", { name: "house_rules.py changed since you approved it" })).toBeVisible();
  const file = page.getByRole("region", { name: "house_rules.py", exact: true });
  await expect(file.locator(".cm-merge-a .cm-changedLine")).toHaveText(/import re$/);
  await expect(file.locator(".cm-merge-b .cm-changedText")).toHaveText(", os");
  await approveShown(page);
  await expect(page.getByText("Nothing to review")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("tab", { name: "Waiting 1" })).toBeVisible();
});

test("an edit is undone by its key and redone from the list of edits", async ({ page, engine }) => {
  await openHooks(page, engine);
  await row(page, "mask_secrets.py").click();
  await page.getByRole("region", { name: "Hook", exact: true }).getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Remove" }).click();
  await expect(page.getByText(/mask_secrets\.py was removed/)).toBeVisible();
  await expect(row(page, "mask_secrets.py")).toBeHidden();
  await page.keyboard.press("Control+z");
  await expect(page.getByText("Undone: Removed mask_secrets.py.")).toBeVisible();
  await expect(row(page, "mask_secrets.py")).toBeVisible();
  await page.getByRole("tab", { name: "Edits" }).click();
  await row(page, "Undo of “Removed mask_secrets.py”").click();
  const drawer = page.getByRole("region", { name: "Edit", exact: true });
  await expect(drawer.getByRole("group", { name: "Difference in" }).locator(".cm-changedLine").first()).toBeVisible();
  await drawer.getByRole("button", { name: "Redo what it undid" }).click();
  await page.getByRole("tab", { name: "List" }).click();
  await expect(row(page, "mask_secrets.py")).toBeHidden();
});

test("the user's own hooks are listed before a project is opened", async ({ page, engine }) => {
  await engine.writeHome(".jdata/agent/hooks.yaml", "stop:\n  - type: bash\n    command: ./tidy.sh\n");
  await page.goto(engine.link);
  await page.getByRole("button", { name: /1 hook of your own/ }).click();
  await expect(page.getByRole("grid", { name: "Your own hooks" })).toContainText("tidy.sh");
  await expect(page.getByRole("region", { name: "What now" })).toContainText("1 hook of your own");
  await expect(page.getByText(engine.sample)).toBeVisible();
});

const DENIAL = {
  en: { deny: /^Deny and keep it blocked/, done: "house_rules.py was denied.", tab: "Denied 1", again: "Review again", waits: "Waiting 1", found: "May send data out, new" },
  "zh-CN": { deny: /^拒绝，不予执行/, done: "已拒绝 house_rules.py。", tab: "已拒绝 1", again: "重新审阅", waits: "待审阅 1", found: "可能向外发送数据（新增）" },
} as const;

for (const language of ["en", "zh-CN"] as const) {
  test(`a change that sends data out is pointed at, denied, and reviewed again (${language})`, async ({ page, engine }) => {
    const words = DENIAL[language];
    await openHooks(page, engine);
    await edit(join(engine.project, ".jcli/hooks/house_rules.py"), (text) =>
      text.replace("import re", "import re\nfrom urllib.request import urlopen"),
    );
    await speak(page, language);
    await page.goto(`${engine.origin}/#/trust`);
    await expect(page.getByText(words.found)).toBeVisible();
    await expect(page.getByText("urlopen", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: words.deny }).click();
    await expect(page.getByText(words.done)).toBeVisible();
    const listed = JSON.parse((await engine.hookwright("trust", "--list", "--json")).stdout);
    expect([listed.pending.length, listed.denied.length]).toEqual([0, 1]);
    await page.getByRole("tab", { name: words.tab }).click();
    await page.getByRole("button", { name: words.again }).click();
    await expect(page.getByRole("tab", { name: words.waits })).toBeVisible();
  });
}

const RESTORE = {
  en: {
    changed: "house_rules.py changed since you approved it",
    restore: "Restore house_rules.py as it was approved",
    restored: "Restored the approved version of house_rules.py.",
    nothing: "Nothing to review",
    undo: "Undo",
    turnOff: "Turn off for j-cli",
    isOff: "house_rules.py is off for j-cli. Its definition is kept.",
  },
  "zh-CN": {
    changed: "house_rules.py 在批准后有改动",
    restore: "把 house_rules.py 恢复为已批准的内容",
    restored: "house_rules.py 已恢复为批准时的内容。",
    nothing: "没有待审阅的 Hook",
    undo: "撤销",
    turnOff: "在 j-cli 中关闭",
    isOff: "已在 j-cli 中关闭 house_rules.py，定义已保留。",
  },
} as const;

for (const language of ["en", "zh-CN"] as const) {
  test(`a changed script is restored as approved, and its hook turned off from the review (${language})`, async ({ page, engine }) => {
    const words = RESTORE[language];
    const script = join(engine.project, ".jcli/hooks/house_rules.py");
    const definitions = join(engine.project, ".jcli/hooks.yaml");
    await openHooks(page, engine);
    const approved = await readFile(script, "utf8");
    await edit(script, (text) => text.replace("import re", "import re, os"));
    const changed = await readFile(script, "utf8");
    await speak(page, language);
    await page.goto(`${engine.origin}/#/trust`);
    await expect(page.getByRole("heading", { name: words.changed })).toBeVisible();
    await page.getByRole("button", { name: words.restore }).click();
    await expect(page.getByText(words.restored)).toBeVisible();
    // The approval is in force again, without a second one.
    await expect(page.getByText(words.nothing)).toBeVisible();
    expect(await readFile(script, "utf8")).toBe(approved);
    await page.getByRole("button", { name: words.undo, exact: true }).click();
    await expect(page.getByRole("heading", { name: words.changed })).toBeVisible();
    expect(await readFile(script, "utf8")).toBe(changed);
    await page.getByRole("button", { name: words.turnOff }).click();
    await expect(page.getByText(words.isOff)).toBeVisible();
    await expect(page.getByText(words.nothing)).toBeVisible();
    expect(await readFile(definitions, "utf8")).not.toContain("house_rules.py");
  });
}
