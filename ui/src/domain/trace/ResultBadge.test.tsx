import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Outcome, Verdict, VerdictKind } from "@/ipc";
import { ResultBadge } from "./ResultBadge";

const verdict = (kind: VerdictKind): Verdict =>
  ({ kind, by: null, reason: null, feedback: null }) as unknown as Verdict;

function badgeText(kind: VerdictKind, outcomes: Outcome[]): string {
  const { container, unmount } = render(<ResultBadge verdict={verdict(kind)} outcomes={outcomes} />);
  const text = [...container.querySelectorAll("span > span, em")].map((part) => part.textContent).join(" · ");
  unmount();
  return text;
}

describe("what an event came to", () => {
  it("is its verdict, whatever its hooks came to one by one", () => {
    expect(badgeText("proceed", [])).toBe("No hook ran");
    expect(badgeText("proceed", ["skipped", "not_matched"])).toBe("No hook ran");
    expect(badgeText("proceed", ["no_opinion"])).toBe("Continued");
    expect(badgeText("proceed", ["changed", "skipped"])).toBe("Changed");
    expect(badgeText("proceed", ["failed_open", "changed"])).toBe("Failed · open");
    expect(badgeText("skip", ["denied", "skipped"])).toBe("Denied");
    expect(badgeText("skip", ["failed_closed"])).toBe("Call skipped · failed");
    expect(badgeText("ask", ["asked"])).toBe("Asks");
    expect(screen.queryByText("Skipped")).toBeNull();
  });
});
