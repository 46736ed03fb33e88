import { describe, expect, it } from "vitest";
import type { AgentAnswer, Step } from "@/ipc";
import { ANSWER } from "@/testing/agentData";
import { pairsOf, stepsOf, strictest } from "./agentSteps";

const answer = (steps: unknown): AgentAnswer => ({ ...ANSWER, steps });
const step = (hook: string, outcome: Step["outcome"]): Step => ({
  ...(ANSWER.engine.steps[0] as Step),
  hook,
  label: hook,
  outcome,
});

describe("the steps of an agent", () => {
  it("are read as far as they have a name, with the outcomes that are known", () => {
    expect(stepsOf(answer(null))).toBeNull();
    expect(stepsOf(answer("none"))).toBeNull();
    expect(stepsOf(answer([null, 7, {}, { hook: "a", outcome: "denied" }, { label: "b", outcome: "maybe" }]))).toEqual([
      { hook: "a", label: "a", outcome: "denied" },
      { hook: "", label: "b", outcome: null },
    ]);
  });

  it("are paired with the engine's by id, else by name, and the rest comes last", () => {
    const own = stepsOf(answer([{ label: "b", outcome: "allowed" }, { hook: "a", outcome: "denied" }, { hook: "c" }]));
    const pairs = pairsOf(own ?? [], [
      step("a", "denied"),
      step("b", "denied"),
      step("d", "allowed"),
      step("e", "not_matched"),
    ]);
    expect(pairs.map(({ label, differs }) => [label, differs])).toEqual([
      ["a", false],
      ["b", true],
      ["d", true],
      ["e", false],
      ["c", true],
    ]);
  });

  it("are as strict as the strictest of them", () => {
    expect(strictest(stepsOf(ANSWER))).toBe("denied");
    expect(strictest([])).toBeNull();
    expect(strictest(null)).toBeNull();
  });
});
