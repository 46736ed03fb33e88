/** Hooks that are turned off for the agent: out of the file, kept, and put back to the byte. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { edit, expect, openHooks, row, speak, test } from "./engine.ts";

const WORDS = {
  en: {
    more: "More",
    hook: "Hook",
    off: "Hook that is turned off",
    turnOff: "Turn off for j-cli",
    turnOn: "Turn on for j-cli",
    isOff: "guard_shell.sh is off for j-cli. Its definition is kept.",
    isOn: "guard_shell.sh is on for j-cli again.",
    state: "Off",
    switchLabel: "Turn on guard_shell.sh for j-cli",
    text: "Removed from the file",
  },
  "zh-CN": {
    more: "更多",
    hook: "Hook",
    off: "已关闭的 Hook",
    turnOff: "在 j-cli 中关闭",
    turnOn: "在 j-cli 中启用",
    isOff: "已在 j-cli 中关闭 guard_shell.sh，定义已保留。",
    isOn: "已在 j-cli 中启用 guard_shell.sh。",
    state: "已关闭",
    switchLabel: "在 j-cli 中启用 guard_shell.sh",
    text: "从文件中移出的内容",
  },
} as const;

// The hook is turned off twice, and for Chinese the page is loaded once more.
test.slow();

for (const language of ["en", "zh-CN"] as const) {
  test(`a hook is turned off for the agent and on again (${language})`, async ({ page, engine }) => {
    const words = WORDS[language];
    const file = join(engine.project, ".jcli/hooks.yaml");
    const before = await readFile(file, "utf8");
    await openHooks(page, engine);
    if (language !== "en") await speak(page, language);
    await row(page, "guard_shell.sh").click();
    const turnOff = async () => {
      await page
        .getByRole("region", { name: words.hook, exact: true })
        .getByRole("button", { name: words.more })
        .click();
      await page.getByRole("menuitem", { name: words.turnOff }).click();
      // The toast of the time before can still be there.
      await expect(page.getByText(words.isOff).last()).toBeVisible();
      await expect(async () => expect(await readFile(file, "utf8")).not.toContain("guard_shell.sh")).toPass();
    };
    await turnOff();
    // The drawer follows the hook, and shows what is kept.
    const drawer = page.getByRole("region", { name: words.off });
    await expect(drawer.getByLabel(words.text)).toContainText("guard_shell.sh");
    await expect(row(page, "guard_shell.sh")).toContainText(words.state);
    // The file changes elsewhere, and the hook comes back in its place all the same.
    await edit(file, (text) => `# theirs\n${text}`);
    await page.getByRole("switch", { name: words.switchLabel }).click();
    await expect(page.getByText(words.isOn)).toBeVisible();
    expect(await readFile(file, "utf8")).toBe(`# theirs\n${before}`);
    await expect(page.getByRole("switch", { name: words.switchLabel })).toBeHidden();
    const listed = await engine.hookwright("list", "--json");
    expect(JSON.parse(listed.stdout).turned_off).toBeUndefined();
    await row(page, "guard_shell.sh").click();
    await turnOff();
    await page.keyboard.press("Control+z");
    await expect(async () => expect(await readFile(file, "utf8")).toBe(`# theirs\n${before}`)).toPass();
  });
}

test("a turned-off hook is turned on with the keyboard, in a narrow window", async ({ page, engine }) => {
  const file = join(engine.project, ".jcli/hooks.yaml");
  const before = await readFile(file, "utf8");
  await openHooks(page, engine);
  const list = JSON.parse((await engine.hookwright("list", "--json")).stdout);
  const guard = list.hooks.find((hook: { label: string }) => hook.label === "guard_shell.sh").hook;
  await engine.hookwright("turn-off", guard);
  await expect(row(page, "guard_shell.sh")).toContainText("Off");
  await page.setViewportSize({ width: 800, height: 700 });
  await row(page, "guard_shell.sh").click();
  const drawer = page.getByRole("region", { name: "Hook that is turned off" });
  await expect(drawer).toBeVisible();
  await drawer.getByRole("button", { name: "Turn on for j-cli" }).focus();
  await page.keyboard.press("Enter");
  await expect(async () => expect(await readFile(file, "utf8")).toBe(before)).toPass();
});
