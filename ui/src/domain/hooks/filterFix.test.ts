import { describe, expect, it } from "vitest";
import type { Gate, HookRow, NearMiss } from "@/ipc";
import { HOOKS } from "@/testing/sampleData";
import { fixesOf } from "./filterFix";

function missed(key: string, wanted: string, got: string, near_miss: NearMiss | null = null): Gate {
  const args = { field: "tool_name", key, wanted, got };
  return { gate: "filter", pass: false, why: "", near_miss, code: "filter_differs", args };
}

function hookWith(filter: Record<string, unknown>, definition: unknown = { command: "x", filter }): HookRow {
  return { ...(HOOKS[0] as HookRow), filter, definition };
}

const setTo = (field: string, value: unknown) => [{ do: "set", field, value }];

describe("the fix of a filter that did not match", () => {
  it("adds the tool to a list of names, or puts it in place of the one that is nearly the same", () => {
    const fixes = fixesOf(
      missed("tool_matcher", "Bash|Shell", "bash", "case"),
      hookWith({ tool_matcher: "Bash|Shell" }),
    );
    expect(fixes).toEqual([
      { kind: "add", from: null, to: "bash", steps: setTo("filter.tool_matcher", "Bash|Shell|bash") },
      { kind: "change", from: "Bash", to: "bash", steps: setTo("filter.tool_matcher", "bash|Shell") },
    ]);
  });

  it("changes an exact name only where it was nearly right", () => {
    const hook = hookWith({ tool_name: "psql" });
    expect(fixesOf(missed("tool_name", "psql", "Bash"), hook)).toEqual([]);
    expect(fixesOf(missed("tool_name", "psql", "plsq", "spelling"), hook)).toEqual([]);
    expect(fixesOf(missed("tool_name", "psql", "pslq", "spelling"), hook)).toEqual([
      { kind: "change", from: "psql", to: "pslq", steps: setTo("filter.tool_name", "pslq") },
    ]);
  });

  it.each([
    ["Bash", "Bash|Write"],
    ["^Bash$", "^(Bash|Write)$"],
    ["^(Bash|Edit)$", "^(Bash|Edit|Write)$"],
    ["^(?:Bash)$", "^(?:Bash|Write)$"],
  ])("writes a name into the pattern %s", (pattern, changed) => {
    const [fix] = fixesOf(missed("matcher", pattern, "Write"), hookWith({ matcher: pattern }, { command: "x" }));
    expect(fix?.steps).toEqual(setTo("matcher", changed));
  });

  it.each(["mcp__.*", "Ba?sh", "^Bash", "^Bash|Edit$", "(Bash", "[Bb]ash"])(
    "leaves the pattern %s alone",
    (pattern) => {
      expect(fixesOf(missed("matcher", pattern, "Write"), hookWith({ matcher: pattern }))).toEqual([]);
    },
  );

  it("adds to a list of names as a list", () => {
    const [fix] = fixesOf(
      missed("tool_filter", "a|b", "c"),
      hookWith({ tool_filter: ["a", "b"] }, { tool_filter: [] }),
    );
    expect(fix?.steps).toEqual(setTo("tool_filter", ["a", "b", "c"]));
  });

  it("is offered only where it is certain", () => {
    const hook = hookWith({ tool_matcher: "Bash" });
    // The hook was defined otherwise when it was checked.
    expect(fixesOf(missed("tool_matcher", "Shell", "bash"), hook)).toEqual([]);
    // A further clause may have failed, too.
    expect(fixesOf(missed("tool_matcher", "Bash", "bash"), hookWith({ tool_matcher: "Bash", model: "x" }))).toEqual([]);
    // No plain name.
    expect(fixesOf(missed("tool_matcher", "Bash", "a|b"), hook)).toEqual([]);
    expect(fixesOf({ ...missed("tool_matcher", "Bash", "bash"), pass: true }, hook)).toEqual([]);
  });
});
