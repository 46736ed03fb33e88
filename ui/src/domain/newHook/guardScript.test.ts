import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isName, nameIn, patternOf, plainOf, renamed, ruleOf, TESTS, withName, withRule } from "./guardScript";

/** A script as the engine fills its template. */
function scriptOf(template: "command" | "process", value = '"rm -rf /tmp/x"'): string {
  const folder = join(process.cwd(), "../crates/dialects/src/guard");
  const holes: Record<string, string> = {
    value,
    name: '"guard_bash_1"',
    where: "`tool_input.command` is the value below",
  };
  const text = readFileSync(join(folder, `${template}.py`), "utf8");
  return text.replace(/@(\w+)@/g, (_, name: string) => holes[name] ?? `<${name}>`);
}

describe.each(["command", "process"] as const)("the script of a %s", (template) => {
  const script = scriptOf(template);

  it("compares for equality as the engine writes it", () => {
    expect(ruleOf(script)).toEqual({ test: "is", value: "rm -rf /tmp/x" });
  });

  it("says every rule that was written into it, in code and comment", () => {
    for (const from of TESTS) {
      for (const test of TESTS) {
        const changed = withRule(withRule(script, { test: from, value: "a" }), { test, value: 'rm "-rf"\n\\ é' });
        expect(ruleOf(changed)).toEqual({ test, value: 'rm "-rf"\n\\ é' });
        expect(changed.split("\n").filter((line) => line === "import re")).toHaveLength(test === "pattern" ? 1 : 0);
        expect(changed.match(/(?:value|pattern) below/g)).toHaveLength(1);
      }
    }
  });

  it("is the engine's again when the rule is", () => {
    const other = withRule(script, { test: "pattern", value: "^rm" });
    expect(withRule(other, { test: "is", value: "rm -rf /tmp/x" })).toBe(script);
  });

  it("keeps what was changed elsewhere", () => {
    const own = `${script}# mine\n`;
    expect(withRule(own, { test: "contains", value: "rm" })).toMatch(/# mine\n$/);
  });
});

describe("the rule of a script", () => {
  it("is unknown where the value is no text, or the script compares in its own way", () => {
    expect(ruleOf(scriptOf("command", 'json.loads("[1]")'))).toBeNull();
    expect(ruleOf(scriptOf("command").replace("found == BLOCKED", "found.lower() == BLOCKED"))).toBeNull();
    expect(ruleOf(scriptOf("command", '"\\x41"'))).toBeNull();
    expect(ruleOf(scriptOf("command", '"\\Uffffffff"'))).toBeNull();
  });

  it("hides no character of its value", () => {
    const changed = withRule(scriptOf("command"), { test: "is", value: "a\u202eb" });
    expect(changed).toContain('BLOCKED = "a\\U0000202eb"');
    expect(ruleOf(changed)?.value).toBe("a\u202eb");
  });

  it("becomes a pattern that finds the same text, and the text again", () => {
    expect(patternOf("rm -rf ./* (a)")).toBe("rm -rf \\./\\* \\(a\\)");
    expect(plainOf(patternOf("a\\b.c"))).toBe("a\\b.c");
  });
});

describe("the name of a guard", () => {
  it("is the engine's until another one is chosen, in path, definition and script", () => {
    const path = ".agents/hooks/guard-bash-f842fb40/scripts/run.py";
    expect(nameIn(path)).toBe("guard-bash-f842fb40");
    expect(nameIn(".jcli/hooks/guard_bash_f842fb40.py")).toBe("guard_bash_f842fb40");
    expect(renamed({ name: "guard-bash-f842fb40" }, nameIn(path), "no-rm")).toEqual({ name: "no-rm" });
    expect(withName(scriptOf("process"), "no_rm")).toContain('\nNAME = "no_rm"\n');
    expect(withName(scriptOf("command"), "no_rm")).toBe(scriptOf("command"));
  });

  it("is one that every file system and hook system takes", () => {
    expect(["no_rm", "no-rm2"].every(isName)).toBe(true);
    expect(["", "No", "a/b", "-a", "a b", "..", "a".repeat(65)].some(isName)).toBe(false);
  });
});
