import { describe, expect, it } from "vitest";
import { indentJson, tokensOf } from "./jsonText";

describe("JSON that is indented", () => {
  it.each([
    ["an object", '{"a":1,"b":[1,{"c":null}],"d":"x, y: {z}"}'],
    ["nothing in its braces", '{"a":{},"b":[],"c":[[],{}]}'],
    ["one value", '"text"'],
    ["spaces and line ends of its own", ' {\n\t"a" : [ 1 ,2 ]\r\n} '],
    ["escapes", '{"a":"\\"\\\\\\u4e2d\\n"}'],
  ])("is what a value of it would be: %s", (_, json) => {
    expect(indentJson(json)).toBe(JSON.stringify(JSON.parse(json), null, 2));
  });

  it("has its numbers as they were written", () => {
    const numbers = ["12345678901234567890123", "1e2", "-0", "0.1000000000000000055", "1.0"];
    const json = indentJson(`[${numbers.join(",")}]`);
    expect(json?.match(/[-\d.e]+/g)).toEqual(numbers);
  });

  it("has a key twice that was written twice", () => {
    expect(indentJson('{"a":1,"a":2}')).toBe('{\n  "a": 1,\n  "a": 2\n}');
  });

  it("is none where it is no JSON", () => {
    expect(['{"a":', "{a: 1}", "[1,]", ""].map(indentJson)).toEqual([null, null, null, null]);
  });
});

describe("the tokens of JSON", () => {
  it("have their places, and strings are whole", () => {
    const json = '{"a, b" : -1.5e3}';
    expect(tokensOf(json).map(({ text }) => text)).toEqual(["{", '"a, b"', ":", "-1.5e3", "}"]);
    expect(tokensOf(json).every(({ text, at }) => json.startsWith(text, at))).toBe(true);
  });
});
