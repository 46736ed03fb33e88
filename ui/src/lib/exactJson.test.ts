import { describe, expect, it } from "vitest";
import { readExactly, readReply, toJson, WrittenNumber } from "./exactJson";
import { indentJson } from "./jsonText";

const NUMBERS = ["12345678901234567890123", "1e2", "1E+2", "-0", "-0.0", "0.1000000000000000055", "1e400", "1.0", "7"];

describe("JSON that is read exactly", () => {
  it("has its numbers as they were written when it is written again", () => {
    const json = `{"n":[${NUMBERS}],"1e2":"1e2, -0","d":{"e":-0}}`;
    expect(toJson(readExactly(json))).toBe(json);
    expect(toJson({ payload: readExactly(json) }, 2)).toBe(indentJson(`{"payload":${json}}`));
  });

  it("has plain numbers where those say the same", () => {
    expect(readExactly('{"a":[1,-1.5,1e2]}')).toEqual({ a: [1, -1.5, new WrittenNumber("1e2")] });
    expect(JSON.stringify(readExactly("[1e2]"))).toBe("[100]");
  });

  it("is JSON, or nothing", () => {
    for (const text of ["01", "1.", "{a: 1e2}", ""]) expect(() => readExactly(text)).toThrow(SyntaxError);
    expect(toJson(undefined)).toBe("");
  });
});

describe("a reply of the engine", () => {
  it("has exact numbers in the values of agents and hooks, and plain ones elsewhere", () => {
    const numbers = `[${NUMBERS}]`;
    const trace = `{"took_ms":12.0,"payload_before":{"n":${numbers}},"reply":{"json":${numbers},"exit_code":0}}`;
    const edits = `{"edits":[{"before":1e2,"after":-0}],"started_ms":1e2}`;
    const read = readReply(`{"result":{"trace":${trace},"steps":[${edits}]}}`) as Record<string, unknown>;
    expect(toJson(read)).toBe(
      `{"result":{"trace":${trace.replace("12.0", "12")},"steps":[${edits.replace('ms":1e2', 'ms":100')}]}}`,
    );
  });
});
