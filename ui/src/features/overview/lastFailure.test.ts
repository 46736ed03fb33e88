import { describe, expect, it } from "vitest";
import { lastLine, withLastLines } from "./lastFailure";

const PYTHON = `Traceback (most recent call last):
  File "/p/guard.py", line 3, in <module>
    raise ValueError("no rule")
ValueError: no rule`;

const NODE = `/p/guard.mjs:3
  throw new Error("no rule");
        ^

Error: no rule
    at Object.<anonymous> (/p/guard.mjs:3:9)

Node.js v22.1.0`;

describe("the reason of a failure", () => {
  it.each([
    [PYTHON, "ValueError: no rule"],
    [NODE, "Error: no rule"],
    ["  only\n  indented\n", "indented"],
    ["one line", "one line"],
    ["", ""],
  ])("is the line in which a program says what went wrong", (text, line) => {
    expect(lastLine(text)).toBe(line);
  });

  it("keeps what the engine says around it", () => {
    const say = (stderr: string) => `exited with 1: ${stderr}`;
    expect(withLastLines(say(PYTHON), { code: 1, stderr: PYTHON })).toBe("exited with 1: ValueError: no rule");
    expect(withLastLines(say("no rule"), { code: 1, stderr: "no rule" })).toBe("exited with 1: no rule");
  });
});
