/** What every hook system brings to the window as data: its life, its payloads, its files. */
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, go, openHooks, row, test } from "./engine.ts";

const NAMES = ["j-cli", "Qoder", "Skill hooks", "Agent Hooks", "PicoClaw"];

test("each dialect's life is drawn, with what hooks came to", async ({ page, engine }) => {
  await openHooks(page, engine);
  const payload = join(engine.project, "payload.json");
  await writeFile(payload, JSON.stringify({ tool_name: "Bash", tool_arguments: '{"command":"rm -rf ~"}' }));
  await page.getByRole("tab", { name: "Lifecycle" }).click();
  const node = page.getByRole("list", { name: "Lifecycle of j-cli" }).getByRole("button", { name: /^pre_tool_execution,/ });
  await expect(node).toHaveAccessibleName(/, 4 hooks, can change, skip, stop, send back$/);
  const fired = await engine.hookwright(
    "fire",
    "--dialect",
    "jcli",
    "--event",
    "pre_tool_execution",
    "--payload",
    payload,
  );
  expect(fired.code, fired.stderr).toBe(2);
  await expect(node).toHaveAccessibleName(/, 4 hooks, .*last time: .*Denied/);
  await node.click();
  const beside = page.getByRole("region", { name: "Event", exact: true });
  await expect(beside).toContainText("tool_arguments");
  await expect(beside).toContainText("1 event, 1 blocked");
  await expect(beside.getByRole("button", { name: /guard_shell\.sh/ })).toBeVisible();

  const shown = page.getByRole("radiogroup", { name: "Hook system" }).getByRole("radio");
  for (const name of await shown.allInnerTexts()) {
    expect(NAMES).toContain(name);
    await page.getByRole("radio", { name, exact: true }).click();
    const list = page.getByRole("list", { name: `Lifecycle of ${name}` });
    await expect(list.getByRole("button").first()).toBeVisible();
    // The picture is as large as it says, and every event stands inside it.
    const picture = await list.locator("..").boundingBox();
    for (const event of await list.getByRole("button").all()) {
      const box = await event.boundingBox();
      if (picture === null || box === null) throw new Error("nothing is drawn");
      expect(box.x + box.width).toBeLessThanOrEqual(picture.x + picture.width);
      expect(box.y + box.height).toBeLessThanOrEqual(picture.y + picture.height);
    }
  }
});

test("a payload is kept as a private file, masked, with its numbers as they were typed, and comes back after it was removed", async ({ page, engine }) => {
  await openHooks(page, engine);
  await go(page, "Fire");
  await expect(page.getByText("Not fired yet.")).toBeVisible();
  const numbers = ["1e2", "-0", "12345678901234567890123"];
  await page.getByRole("radio", { name: "Text" }).click();
  const payload = page.getByRole("textbox", { name: "Payload" });
  await payload.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(`{"tool_name": "Bash", "numbers": [${numbers.join(", ")}]}`);
  await page.getByRole("button", { name: "Save payload" }).click();
  const dialog = page.getByRole("dialog", { name: "Save payload" });
  await dialog.getByLabel("Name").fill("drop a table");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  const kept = page.getByRole("treeitem", { name: "drop a table" });
  await expect(kept).toHaveAttribute("aria-selected", "true");
  const file = join(engine.data, "fixtures/jcli/pre_tool_execution/drop a table.json");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const before = await readFile(file, "utf8");
  await page.reload();
  for (const number of numbers) {
    expect(before).toContain(number);
    await expect(payload).toContainText(number);
  }

  await page.getByRole("button", { name: "More actions for the payload" }).click();
  await page.getByRole("menuitem", { name: "Remove saved payload" }).click();
  await expect(kept).toBeHidden();
  await page.getByText("drop a table was removed.").locator("..").getByRole("button", { name: "Undo" }).click();
  await expect(kept).toBeVisible();
  expect(await readFile(file, "utf8")).toBe(before);
});

test("hooks change places in their file, and what was removed comes back byte for byte", async ({ page, engine }) => {
  await openHooks(page, engine);
  const file = join(engine.project, ".jcli/hooks.yaml");
  const before = await readFile(file, "utf8");
  const place = async (name: string) => (await readFile(file, "utf8")).indexOf(name);

  await row(page, "guard_shell.sh").click();
  await page.keyboard.press("Alt+ArrowUp");
  await expect(page.getByText(/guard_shell\.sh is now at position 2/)).toBeVisible();
  expect(await place("guard_shell.sh")).toBeLessThan(await place("protect_files.py"));
  // A person moved it, so nobody has to review it again.
  await expect(row(page, "guard_shell.sh")).toContainText("Ready");
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect.poll(() => readFile(file, "utf8")).toBe(before);

  await row(page, "mask_secrets.py").click();
  await page.getByRole("region", { name: "Hook", exact: true }).getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Remove", exact: true }).click();
  await expect(row(page, "mask_secrets.py")).toBeHidden();
  expect(await place("mask_secrets.py")).toBe(-1);
  await page
    .getByText(/mask_secrets\.py was removed/)
    .locator("..")
    .getByRole("button", { name: "Undo" })
    .click();
  await expect(row(page, "mask_secrets.py")).toContainText("Ready");
  expect(await readFile(file, "utf8")).toBe(before);
});

test("a hook is dragged by its grip to another place of its list", async ({ page, engine }) => {
  await openHooks(page, engine);
  const file = join(engine.project, ".jcli/hooks.yaml");
  const before = await readFile(file, "utf8");
  await row(page, "guard_shell.sh").hover();
  const grip = row(page, "guard_shell.sh").locator(".grip-handle");
  await grip.waitFor();
  const from = await grip.boundingBox();
  const to = await row(page, "tidy_call.py").boundingBox();
  if (from === null || to === null) throw new Error("there is nothing to drag");
  // At its left edge, where it lies beside the split of the pane.
  await page.mouse.move(from.x + 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + 20, to.y + to.height / 2, { steps: 8 });
  await expect(row(page, "tidy_call.py")).toHaveClass(/drop-before/);
  await page.mouse.up();
  await expect(page.getByText(/guard_shell\.sh is now at position 1/)).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect.poll(() => readFile(file, "utf8")).toBe(before);
});

test("a hook is turned off for its agent where the file has a switch", async ({ page, engine }) => {
  const file = join(engine.project, ".picoclaw/config.json");
  await mkdir(join(engine.project, ".picoclaw"));
  const before =
    '{\n  "hooks": {\n    "processes": {\n      // watches the turns\n      "watch": {"enabled": true, "command": ["cat"], "observe": ["turn_start"]}\n    }\n  }\n}\n';
  await writeFile(file, before);
  await openHooks(page, engine);
  await row(page, "watch").click();
  const hook = page.getByRole("region", { name: "Hook", exact: true });
  await hook.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Turn off for PicoClaw" }).click();
  await expect(row(page, "watch")).toContainText("Off");
  expect(await readFile(file, "utf8")).toBe(before.replace("true", "false"));
  await page
    .getByText(/watch is now off in its file/)
    .locator("..")
    .getByRole("button", { name: "Undo" })
    .click();
  await expect(row(page, "watch")).toContainText("Ready");
  expect(await readFile(file, "utf8")).toBe(before);
});

/** Every file below a folder, with its mode. */
async function contents(folder: string): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  // A folder that is being removed cannot be walked: the next look sees it gone.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    try {
      all[path] = `${(await stat(path)).mode & 0o777} ${await readFile(path, "base64")}`;
    } catch (error) {
      // A text on its way to its place goes when it is there.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return all;
}

const QODER =
  '{\n\t"hooks": {\n\t\t// guards first\n\t\t"PreToolUse": [\n\t\t\t{ "matcher": "Bash", "hooks": [\n\t\t\t\t{ "type": "command", "command": "echo one", "name": "first" }, // one\n\t\t\t\t{ "type": "command", "command": "echo two", "name": "second" }\n\t\t\t] }\n\t\t]\n\t}\n}\n';

for (const { dialect, sample, hook, moves } of [
  {
    dialect: "qoder",
    sample: null,
    hook: "first",
    moves: ["Duplicate", "Move down", "Move to your own hooks", "Remove"],
  },
  { dialect: "skill", sample: "step-discipline", hook: "goal", moves: ["Duplicate", "Move down", "Remove"] },
  {
    dialect: "agent-hooks",
    sample: "guard-python",
    hook: "guard-python",
    moves: ["Duplicate", "Move to your own hooks", "Remove"],
  },
]) {
  test(`a hook of ${dialect} is changed from the window, and Undo gives back every byte`, async ({ page, engine }) => {
    const project = sample === null ? engine.project : await engine.copyOf(dialect, sample);
    if (sample === null) {
      await mkdir(join(project, ".qoder"));
      await writeFile(join(project, ".qoder/settings.json"), QODER);
    }
    const approved = await engine.hookwrightIn(project, "trust", "--all");
    expect(approved, approved.stderr).toMatchObject({ code: 0 });
    await page.goto(engine.link);
    await page.getByRole("button", { name: "Open a folder" }).click();
    await page.getByLabel("Path of the folder").fill(project);
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
    await go(page, "Hooks");
    const before = await contents(project);
    await expect(row(page, hook).first()).toBeVisible();
    const shown = () => page.getByRole("grid", { name: "Hooks in run order" }).getByRole("row").allTextContents();
    const rows = await shown();
    for (const move of moves) {
      await row(page, hook).first().click();
      const drawer = page.getByRole("region", { name: "Hook", exact: true });
      await expect(drawer.getByRole("heading", { name: hook })).toBeVisible();
      await drawer.getByRole("button", { name: "More" }).click();
      await page.getByRole("menuitem", { name: new RegExp(`^${move}`) }).click();
      await expect.poll(() => contents(project), move).not.toEqual(before);
      await page.getByRole("button", { name: "Undo" }).first().click();
      await expect.poll(() => contents(project), `${move}, undone`).toEqual(before);
      // As before it needs no review.
      await expect(row(page, hook).first()).not.toContainText("Needs review");
      await expect(page.getByRole("button", { name: "Undo" })).toHaveCount(0);
      // Ids are places: the list is read anew before somebody clicks into it.
      await expect.poll(shown, `${move}, undone`).toEqual(rows);
    }
  });
}
