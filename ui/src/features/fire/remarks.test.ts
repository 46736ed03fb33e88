import { describe, expect, it } from "vitest";
import { remarksOf } from "./remarks";

describe("the text of a payload", () => {
  it("names a key that comes twice in one object, with its line", () => {
    const text = '{\n  "a": {"b": 1},\n  "b": [{"a": 1}, {"a": 2}],\n  "\\u0061": 3\n}';
    expect(remarksOf(text)).toEqual([{ key: "a", line: 4 }]);
  });
});
