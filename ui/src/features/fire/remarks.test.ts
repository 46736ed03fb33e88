import { describe, expect, it } from "vitest";
import { remarksOf } from "./remarks";

describe("the text of a payload", () => {
  it("names a key that comes twice in one object, with its line", () => {
    const text = '{\n  "a": {"b": 1},\n  "b": [{"a": 1}, {"a": 2}],\n  "\\u0061": 3\n}';
    expect(remarksOf(text, true)).toEqual([{ kind: "twice", key: "a", line: 4 }]);
  });

  it("names a number that would arrive as another text, where the browser cannot keep it", () => {
    const text = '{"a": 12345678901234567890123,\n"b": [1e2, -0, 1.5, "1e2"]}';
    expect(remarksOf(text, false)).toEqual([
      { kind: "number", written: "12345678901234567890123", sent: "1.2345678901234568e+22", line: 1 },
      { kind: "number", written: "1e2", sent: "100", line: 2 },
      { kind: "number", written: "-0", sent: "0", line: 2 },
    ]);
    expect(remarksOf(text, true)).toEqual([]);
  });
});
