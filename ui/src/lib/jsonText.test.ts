import { describe, expect, it } from "vitest";
import { indentJson, numberAs, tokensOf } from "./jsonText";

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

describe("a number that is sent on", () => {
  const keep = (text: string) => `raw ${text}`;

  it("is as it was written", () => {
    expect(numberAs("1e2", 100, keep)).toBe("raw 1e2");
    expect(numberAs("-0", -0, keep)).toBe("raw -0");
    expect(numberAs("12345678901234567890123", 1.2345678901234568e22, keep)).toBe("raw 12345678901234567890123");
  });

  it("is a plain one where that says the same, or where a browser has nothing else", () => {
    expect(numberAs("1.5", 1.5, keep)).toBe(1.5);
    expect(numberAs("1e2", 100, null)).toBe(100);
  });
});
