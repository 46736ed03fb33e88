import { describe, expect, it } from "vitest";
import type { HookRow, Step, Trace } from "@/ipc";
import { HOOKS, TRACE } from "@/testing/sampleData";
import { hooksChanged } from "./hooksChanged";

const [base] = HOOKS as [HookRow];
const [ran] = TRACE.steps as [Step];
const row = (hook: string, part: Partial<HookRow> = {}): HookRow => ({
  ...base,
  hook,
  dialect: "jcli",
  event: TRACE.event,
  layer: "project",
  version: "1",
  ...part,
});
const step = (hook: string, part: Partial<Step> = {}): Step => ({ ...ran, hook, version: "1", ...part });
const of = (...steps: Step[]): Trace => ({ ...TRACE, steps });

describe("the hooks of a result", () => {
  it("are the same while nothing of their event changed", () => {
    const others = [row("b", { event: "stop" }), row("c", { dialect: "qoder" }), row("d", { layer: "session" })];
    expect(hooksChanged(of(step("a")), [row("a", { line: 9 }), ...others])).toBe(false);
  });

  it.each([
    ["one has another definition", [row("a", { version: "2" })]],
    ["one is gone", []],
    ["one was added", [row("a"), row("b")]],
    ["one waits for approval", [row("a", { trusted: false })]],
    ["one is off", [row("a", { enabled: false })]],
    ["one is muted", [row("a", { muted: true })]],
    ["one has an error", [row("a", { valid: false })]],
  ])("changed when %s", (_, rows) => {
    expect(hooksChanged(of(step("a")), rows)).toBe(true);
  });

  it.each(["untrusted", "muted"])("changed when one that was %s is no longer", (reason) => {
    const trace = of(step("a", { outcome: "skipped", reason }));
    expect(hooksChanged(trace, [row("a", { trusted: reason !== "untrusted", muted: reason === "muted" })])).toBe(false);
    expect(hooksChanged(trace, [row("a")])).toBe(true);
  });

  it("of old traces are compared without their versions", () => {
    expect(hooksChanged(of(step("a", { version: undefined })), [row("a", { version: "2" })])).toBe(false);
  });
});
