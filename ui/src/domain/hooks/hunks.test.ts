import { describe, expect, it } from "vitest";
import { shownSides } from "./hunks";

describe("the places that an edit changes", () => {
  it("are shown without carriage returns only where every line has one", () => {
    expect(shownSides({ before: "a\r\n", after: "b\r\n" })).toEqual({ before: "a\n", after: "b\n" });
    expect(shownSides({ before: "a\r\n", after: "a\n" })).toEqual({ before: "a\r\n", after: "a\n" });
  });

  it("show that a file ends without a line feed", () => {
    expect(shownSides({ before: "a", after: "a\n" })).toEqual({
      before: "a\n\\ No newline at end of file\n",
      after: "a\n",
    });
    expect(shownSides({ before: "", after: "x\n" })).toEqual({ before: "", after: "x\n" });
  });
});
