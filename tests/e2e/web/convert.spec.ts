/** A hook is written in another dialect, from its own menu. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, LANGUAGES, openHooks, row, test } from "./engine.ts";

const WORDS = {
  en: {
    hook: "Hook",
    more: "More",
    convert: "Convert to another hook system…",
    title: "Convert protect_files.py",
    dialect: "Hook system",
    files: "New files",
    losses: "What is different",
    adapted: "An adapter next to the script converts events and output for Agent Hooks, and blocks if the script fails",
    renamed: "Check the names of tools in the script too",
    write: /Write files/,
    written: /^\d+ files? (was|were) written\.$/,
    undo: "Undo",
  },
  "zh-CN": {
    hook: "Hook",
    more: "更多",
    convert: "转换为另一种 Hook 体系…",
    title: "转换 protect_files.py",
    dialect: "Hook 体系",
    files: "新文件",
    losses: "差异",
    adapted: "脚本旁的适配程序为 Agent Hooks 转换事件和输出，脚本失败时会拦截",
    renamed: "同时检查脚本中的工具名",
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
    const written = join(engine.project, ".agents/hooks/protect-files/HOOK.md");
    const hooks = await readFile(join(engine.project, ".jcli/hooks.yaml"), "utf8");
    await openHooks(page, engine, language);
    await row(page, "protect_files.py").click();
    await page.getByRole("region", { name: words.hook, exact: true }).getByRole("button", { name: words.more }).click();
    await page.getByRole("menuitem", { name: words.convert }).click();
    const sheet = page.getByRole("dialog", { name: words.title });
    await sheet.getByRole("combobox", { name: words.dialect }).click();
    await page.getByRole("option", { name: "Agent Hooks" }).click();
    await expect(sheet.getByRole("region", { name: words.files })).toContainText("HOOK.md");
    const losses = sheet.getByRole("region", { name: words.losses });
    await expect(losses).toContainText(words.adapted);
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
