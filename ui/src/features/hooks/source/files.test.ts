import { describe, expect, it } from "vitest";
import type { HookRow } from "@/ipc";
import { HOOKS } from "@/testing/sampleData";
import { filesOf } from "./files";

const hook = (part: Partial<HookRow>): HookRow => ({ ...(HOOKS[0] as HookRow), ...part });

describe("the files of a hook", () => {
  it("are its own and the script of its folder", () => {
    const path = "/p/.agents/hooks/guard/HOOK.md";
    const script = "/p/.agents/hooks/guard/scripts/run";
    expect(filesOf(hook({ path, handler: "script", runs: script, definition: {} }))).toEqual([path, script]);
  });

  it("are its own and the text that it inserts", () => {
    const path = "/p/skills/house/hooks/hooks.json";
    const definition = { name: "rules", file: "rules.md" };
    const files = filesOf(hook({ path, handler: "insert", runs: "Be brief.", definition }));
    expect(files).toEqual([path, "/p/skills/house/hooks/rules.md"]);
  });

  it("are its own alone where it runs a command", () => {
    const command = hook({ handler: "shell", runs: "/bin/sh gate.sh", definition: { command: "/bin/sh gate.sh" } });
    expect(filesOf(command)).toEqual([command.path]);
  });
});
