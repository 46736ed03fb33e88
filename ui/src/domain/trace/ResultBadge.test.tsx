import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { TooltipProvider } from "@/components";
import type { Outcome, Step, Trace, Verdict, VerdictKind } from "@/ipc";
import { TRACE } from "@/testing/sampleData";
import { ResultBadge } from "./ResultBadge";
import { type Chain, chainOf } from "./verdict";

const verdict = (kind: VerdictKind): Verdict =>
  ({ kind, by: null, reason: null, feedback: null }) as unknown as Verdict;

function badgeOf(chain: Chain): string {
  const { container, unmount } = render(<ResultBadge chain={chain} />, { wrapper: TooltipProvider });
  const text = [...container.querySelectorAll("span > span, em")].map((part) => part.textContent).join(" · ");
  unmount();
  return text;
}

/** `skipped cancelled` is an outcome with its reason. */
function badgeText(kind: VerdictKind, steps: string[], origin: Trace["origin"] = "window"): string {
  const words = steps.map((step) => step.split(" "));
  const outcomes = words.map(([outcome]) => outcome as Outcome);
  return badgeOf({ verdict: verdict(kind), outcomes, reasons: words.map(([, reason]) => reason ?? null), origin });
}

describe("what an event came to", () => {
  it("is its verdict, whatever its hooks came to one by one", () => {
    expect(badgeText("proceed", [])).toBe("No hook ran");
    expect(badgeText("proceed", ["skipped muted", "not_matched"])).toBe("No hook ran");
    expect(badgeText("proceed", ["no_opinion"])).toBe("Continued");
    expect(badgeText("proceed", ["changed", "skipped"])).toBe("Changed");
    expect(badgeText("proceed", ["failed_open", "changed"])).toBe("Failed · open");
    expect(badgeText("skip", ["denied", "skipped"])).toBe("Denied");
    expect(badgeText("skip", ["failed_closed"])).toBe("Call skipped · failed");
    expect(badgeText("ask", ["asked"])).toBe("Asks");
    expect(screen.queryByText("Skipped")).toBeNull();
  });

  it("is that it was stopped, where the user stopped it", () => {
    expect(badgeText("proceed", ["skipped cancelled"])).toBe("Stopped by you");
    expect(badgeText("proceed", ["changed", "skipped cancelled", "skipped cancelled"])).toBe("Stopped by you");
    expect(badgeText("proceed", ["skipped cancelled"], "cli")).toBe("Stopped by you");
  });

  it("does not say who stopped the chain of an agent, which the record does not tell", () => {
    expect(badgeText("proceed", ["skipped cancelled"], "agent")).toBe("Stopped early");
  });

  it("is still a guard that failed open, or what was decided before the stop", () => {
    expect(badgeText("proceed", ["failed_open", "skipped cancelled"])).toBe("Failed · open");
    expect(badgeText("deny", ["denied", "skipped cancelled"])).toBe("Denied");
  });

  it("is not that it was stopped, where only what ran beside the chain was", () => {
    const [step] = TRACE.steps as [Step];
    const beside: Step = { ...step, mode: "detach", outcome: "skipped", reason: "cancelled" };
    const steps: Step[] = [{ ...step, outcome: "no_opinion" }, beside];
    expect(badgeOf(chainOf({ verdict: verdict("proceed"), origin: "window", steps }))).toBe("Continued");
  });
});
