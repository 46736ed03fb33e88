import { describe, expect, it } from "vitest";
import type { RailStep } from "./rail";
import { railOf } from "./rail";

const lines = (steps: RailStep[]) => railOf(steps).map((node) => node.after);
const kinds = (steps: RailStep[]) => railOf(steps).map((node) => node.kind);
const skipped = (reason: string): RailStep => ({ outcome: "skipped", reason });

describe("the chain rail", () => {
  it("stays plain while the payload is the original", () => {
    expect(lines([{ outcome: "no_opinion" }, { outcome: "allowed" }, { outcome: "not_matched" }])).toEqual([
      "plain",
      "plain",
      null,
    ]);
  });

  it("carries the change from the step that made it, past a guard that let go", () => {
    expect(
      lines([{ outcome: "changed" }, { outcome: "failed_open" }, { outcome: "no_opinion" }, { outcome: "allowed" }]),
    ).toEqual(["changed", "failed_open", "changed", null]);
  });

  it("is dashed after a guard that was too slow, too", () => {
    expect(lines([{ outcome: "timed_out_open" }, { outcome: "allowed" }])).toEqual(["timed_out_open", null]);
  });

  it("is dotted after the step that ended the chain, and draws what was not reached as dots", () => {
    const steps = [
      { outcome: "changed" },
      { outcome: "denied" },
      skipped("chain_ended"),
      skipped("chain_ended"),
    ] as RailStep[];
    expect(lines(steps)).toEqual(["changed", "ended", "ended", null]);
    expect(kinds(steps)).toEqual(["changed", "denied", "not_reached", "not_reached"]);
  });

  it("ends at a denial after which nothing ran, also where the rest did not match", () => {
    expect(lines([{ outcome: "changed" }, { outcome: "denied" }, { outcome: "not_matched" }])).toEqual([
      "changed",
      "ended",
      null,
    ]);
  });

  it("passes a hook that did not match, and ends at the one that denied", () => {
    const steps: RailStep[] = [
      { outcome: "changed" },
      { outcome: "not_matched" },
      { outcome: "denied" },
      { outcome: "not_matched" },
    ];
    expect(lines(steps)).toEqual(["changed", "changed", "ended", null]);
  });

  it("draws what will run with a shape of its own", () => {
    expect(kinds([{ outcome: "planned" }, { outcome: "not_matched" }])).toEqual(["planned", "not_matched"]);
    expect(lines([{ outcome: "planned" }, { outcome: "planned" }])).toEqual(["plain", null]);
  });

  it("does not end where a denial did not end the chain", () => {
    expect(lines([{ outcome: "denied" }, { outcome: "no_opinion" }])).toEqual(["plain", null]);
  });

  it("is not touched by a step that ran beside the chain", () => {
    const beside = { outcome: "failed_open", mode: "detach" } as RailStep;
    expect(lines([{ outcome: "changed" }, beside, { outcome: "no_opinion" }])).toEqual(["changed", "changed", null]);
    expect(lines([{ ...beside, outcome: "changed" }, { outcome: "no_opinion" }])).toEqual(["plain", null]);
  });

  it("keeps an arc for a hook that a rule kept from running", () => {
    expect(kinds([{ outcome: "no_opinion" }, skipped("muted")])).toEqual(["no_opinion", "skipped"]);
  });
});
