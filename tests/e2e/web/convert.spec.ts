/** A hook is written in another dialect, from its own menu. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, LANGUAGES, openHooks, row, test } from "./engine.ts";

const WORDS = {
  en: {
    hook: "Hook",
    more: "More",
    convert: "Convert to another hook system…",
    title: "Convert guard_shell.sh",
    dialect: "Hook system",
    files: "New files",
    losses: "What is different",
    wrapped: "The command is wrapped: j-cli blocks by action, Agent Hooks by exit 2",
    renamed: "Change the names that the script reads",
    write: /Write files/,
    written: /^\d+ files? (was|were) written\.$/,
    undo: "Undo",
  },
  "zh-CN": {
    hook: "Hook",
    more: "更多",
    convert: "转换为另一种 Hook 体系…",
    title: "转换 guard_shell.sh",
    dialect: "Hook 体系",
    files: "新文件",
    losses: "差异",
    wrapped: "已为命令添加转换：j-cli 通过 action 拦截，Agent Hooks 通过 exit 2",
    renamed: "修改脚本读取的名称",
    write: /写入文件/,
    written: /^已写入 \d+ 个文件。$/,
    undo: "撤销",
  },
} as const;

// For Chinese the page is loaded once more.
test.slow();

for (const language of LANGUAGES) {
  test(`a hook is converted from its menu, with what is lost shown first, and undone (${language})`, async ({
    page,
    engine,
  }) => {
    const words = WORDS[language];
    const written = join(engine.project, ".agents/hooks/guard-shell/HOOK.md");
    const hooks = await readFile(join(engine.project, ".jcli/hooks.yaml"), "utf8");
    await openHooks(page, engine, language);
    await row(page, "guard_shell.sh").click();
    await page.getByRole("region", { name: words.hook, exact: true }).getByRole("button", { name: words.more }).click();
    await page.getByRole("menuitem", { name: words.convert }).click();
    const sheet = page.getByRole("dialog", { name: words.title });
    await sheet.getByRole("combobox", { name: words.dialect }).click();
    await page.getByRole("option", { name: "Agent Hooks" }).click();
    await expect(sheet.getByRole("region", { name: words.files })).toContainText("HOOK.md");
    const losses = sheet.getByRole("region", { name: words.losses });
    await expect(losses).toContainText(words.wrapped);
    await expect(losses).toContainText(words.renamed);
    await expect(stat(written)).rejects.toThrow("ENOENT");
    await sheet.getByRole("button", { name: words.write }).click();
    await expect(page.getByText(words.written)).toBeVisible();
    expect(await readFile(written, "utf8")).toContain("before_tool");
    // The hook itself stays what it was.
    expect(await readFile(join(engine.project, ".jcli/hooks.yaml"), "utf8")).toBe(hooks);
    await page.getByRole("button", { name: words.undo, exact: true }).click();
    await expect(async () => expect(stat(written)).rejects.toThrow("ENOENT")).toPass();
  });
}
