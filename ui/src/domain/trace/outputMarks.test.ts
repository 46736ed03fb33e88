import { describe, expect, it } from "vitest";
import { excerptsOf } from "./outputMarks";

describe("the marked bytes of a stream", () => {
  it("are counted in bytes, and shown with the text around them", () => {
    expect(excerptsOf("é hi {}", [{ start: 3, end: 5 }])).toEqual([
      { at: 3, before: "é ", marked: "hi", after: " {}" },
    ]);
  });

  it("may be a byte-order mark", () => {
    expect(excerptsOf("\ufeff{}", [{ start: 0, end: 3 }])[0]).toMatchObject({ marked: "\ufeff", after: "{}" });
  });

  it("are shortened where they are long", () => {
    const [one] = excerptsOf(`${"a".repeat(100)}${"b".repeat(1000)}`, [{ start: 100, end: 1100 }]);
    expect(one?.before).toBe(`…${"a".repeat(40)}`);
    expect(one?.marked.length).toBe(401);
  });
});
