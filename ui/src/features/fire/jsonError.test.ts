import { describe, expect, it } from "vitest";
import { findJsonError } from "./jsonError";

describe("the place where a text stops being JSON", () => {
  it.each([
    ['{"a": 1,\n "b" 2}', { line: 2, column: 6, found: "2" }],
    ['{"a": }', { line: 1, column: 7, found: "}" }],
    ['{"a": 1 "b": 2}', { line: 1, column: 9, found: '"' }],
    ["[1, 2", { line: 1, column: 6, found: null }],
    ['{"a": 1}\n\n x', { line: 3, column: 2, found: "x" }],
    ["", { line: 1, column: 1, found: null }],
    ['{"a": 😀}', { line: 1, column: 7, found: "😀" }],
    ['{"a": "\t"}', { line: 1, column: 7, found: '"' }],
  ])("of %j is found", (text, at) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(findJsonError(text)).toEqual(at);
  });

  it("is not found in JSON", () => {
    expect(findJsonError('{"a": [1, {"b": null}]}')).toBeNull();
  });
});
