import { describe, expect, it } from "vitest";
import { HELD } from "@/testing/stories/stories";
import { heldBack } from "./heldBack";

const HELD_EVENTS = (HELD.events ?? []).slice(0, 3);

describe("what passed without a hook that waits", () => {
  it("is the events since it last ran, without those that it is not for", () => {
    expect(heldBack(HELD)).toEqual({ since: HELD_EVENTS[2]?.at, count: 2, isLeast: false });
  });

  it("counts an event whose payload was removed", () => {
    const cells = (HELD.cells ?? []).map((cell) => ({ ...cell, matches: null }));
    expect(heldBack({ ...HELD, cells })?.count).toBe(3);
  });

  it("may be more where not every event was looked at", () => {
    const cut = { ...HELD, events: HELD_EVENTS, incomplete: true };
    expect(heldBack(cut)?.isLeast).toBe(true);
    expect(heldBack({ ...cut, incomplete: false })?.isLeast).toBe(false);
  });

  it("is nothing where the hook ran last, or does not run for another reason", () => {
    expect(heldBack({ ...HELD, events: (HELD.events ?? []).slice(3) })).toBeNull();
    const reasons = (HELD.reasons ?? []).map((one) => ({ ...one, gate: "enabled" as const }));
    expect(heldBack({ ...HELD, reasons })).toBeNull();
  });
});
