import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Outcome, Verdict, VerdictKind } from "@/ipc";
import { Came } from "./Came";

const verdict = (kind: VerdictKind): Verdict =>
  ({ kind, by: null, reason: null, feedback: null }) as unknown as Verdict;

function came(kind: VerdictKind, outcomes: Outcome[]): string {
  const { container, unmount } = render(<Came verdict={verdict(kind)} outcomes={outcomes} />);
  const text = [...container.querySelectorAll("span > span, em")].map((part) => part.textContent).join(" · ");
  unmount();
  return text;
}

describe("what an event came to", () => {
  it("is its verdict, whatever its hooks came to one by one", () => {
    expect(came("proceed", [])).toBe("Went ahead · no hook ran");
    expect(came("proceed", ["skipped", "not_matched"])).toBe("Went ahead · no hook ran");
    expect(came("proceed", ["no_opinion"])).toBe("Went ahead");
    expect(came("proceed", ["changed", "skipped"])).toBe("Went ahead · changed");
    expect(came("proceed", ["failed_open", "changed"])).toBe("Went ahead · unguarded");
    expect(came("skip", ["denied", "skipped"])).toBe("Denied");
    expect(came("skip", ["failed_closed"])).toBe("Held · failed");
    expect(came("ask", ["asked"])).toBe("Asks");
    expect(screen.queryByText("Skipped")).toBeNull();
  });
});
