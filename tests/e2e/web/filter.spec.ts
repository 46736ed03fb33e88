/** The condition and the prompt of a hook, built in the window against what was recorded. */
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Engine, edit, expect, openHooks, row, test } from "./engine.ts";

const fileOf = (project: string) => join(project, ".jcli/hooks.yaml");

async function fireTools(engine: Engine, tools: readonly string[]): Promise<void> {
  const payload = join(engine.project, "payload.json");
  for (const tool of tools) {
    await writeFile(payload, JSON.stringify({ tool_name: tool, tool_arguments: '{"command": "ls"}' }));
    await engine.hookwright("fire", "--dialect", "jcli", "--event", "pre_tool_execution", "--payload", payload);
  }
}

test("a condition is built with live matches, widened by a near miss, written after its difference, and undone", async ({
  page,
  engine,
}) => {
  const file = fileOf(engine.project);
  const before = await readFile(file, "utf8");
  await openHooks(page, engine);
  await fireTools(engine, ["Bash", "Read", "bash", "Bash", "Grep"]);
  await row(page, "guard_shell.sh").click();
  await page.getByRole("button", { name: "Edit condition" }).click();
  const sheet = page.getByRole("dialog", { name: "Condition of guard_shell.sh" });
  await expect(sheet).toContainText("Matches 2 of the last 5 events");
  await expect(sheet.getByRole("option")).toHaveCount(5);
  await sheet.getByRole("textbox", { name: "tool_matcher" }).pressSequentially("Grep");
  await expect(sheet).toContainText("+1 would match");
  await sheet.getByRole("button", { name: "Add bash" }).click();
  await expect(sheet).toContainText("Matches 4 of the last 5 events");
  await sheet.getByRole("button", { name: "model_prefix" }).click();
  await sheet.getByRole("textbox", { name: "model_prefix" }).fill("gpt");
  await expect(sheet).toContainText("Never set at pre_tool_execution");
  await expect(sheet).toContainText("Counted without model_prefix");
  await sheet.getByRole("button", { name: "Remove model_prefix" }).click();
  expect(await readFile(file, "utf8")).toBe(before);
  await expect(sheet.getByRole("region", { name: "Change of the file" })).toContainText("Bash|Shell|Grep|bash");
  await sheet.getByRole("button", { name: /Save condition/ }).click();
  await expect(page.getByText("The condition of guard_shell.sh was changed.")).toBeVisible();
  expect(await readFile(file, "utf8")).toBe(
    before.replace(/(guard_shell[\s\S]*?)"Bash\|Shell"/, '$1"Bash|Shell|Grep|bash"'),
  );
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(async () => expect(await readFile(file, "utf8")).toBe(before)).toPass();
});

test("a prompt is mended, tried several times against the model, and written after its difference", async ({
  page,
  engine,
}) => {
  const asked: string[] = [];
  const model = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes) => (body += bytes));
    request.on("end", () => {
      asked.push(body);
      const content = asked.length % 3 === 0 ? "{}" : '{"action": "stop"}';
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ choices: [{ message: { content } }], usage: { prompt_tokens: 40, completion_tokens: 5 } }),
      );
    });
  }).listen(0, "127.0.0.1");
  await once(model, "listening");
  try {
    const { port } = model.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/v1`;
    await writeFile(
      join(engine.data, "settings.toml"),
      `[model]\nprovider = "openai"\nbase_url = "${url}"\nmodel = "small"\n`,
    );
    const file = fileOf(engine.project);
    await edit(
      file,
      (text) => `${text}\nstop:\n  - type: llm\n    prompt: "Review {{user_inptu}} in {{cwd}}, {{tool_name}}."\n`,
    );
    await openHooks(page, engine);
    await row(page, "Review {{user_inptu}}").click();
    await page.getByRole("button", { name: "Edit prompt" }).click();
    const sheet = page.getByRole("dialog", { name: /Prompt of Review/ });
    await expect(sheet).toContainText("tool_name is always empty at stop");
    await sheet.getByRole("button", { name: "Use user_input" }).click();
    await expect(sheet.getByRole("textbox", { name: "Template" })).toContainText("Review {{user_input}} in");
    await sheet.getByRole("button", { name: "Run" }).click();
    await expect(sheet).toContainText("Asked 5 times about the same event.");
    await expect(sheet).toContainText("4 / 5");
    await expect(sheet).toContainText("5 / 5");
    expect(asked).toHaveLength(5);
    await sheet.getByRole("button", { name: "Review change" }).click();
    await expect(sheet).toContainText("user_input");
    await sheet.getByRole("button", { name: /Save prompt/ }).click();
    await expect(page.getByText(/The prompt of .* was changed\./)).toBeVisible();
    expect(await readFile(file, "utf8")).toContain('prompt: "Review {{user_input}} in {{cwd}}, {{tool_name}}."');
  } finally {
    model.close();
  }
});
