import { describe, expect, it } from "vitest";
import type { Problem } from "@/ipc";
import { PROBLEMS } from "@/testing/sampleHooks";
import { followProblem, pathOfProblem, problemKey, problemKeys } from "./problemKey";

const [base] = PROBLEMS as [Problem];
const at = (line: number, field = "a"): Problem => ({ ...base, path: "/p/x y.yaml", line, args: { field } });

describe("the name of a problem", () => {
  it("does not depend on its place in the list", () => {
    expect(problemKeys([at(4), at(9)])[1]).toBe(problemKeys([at(9)])[0]);
    expect(problemKeys([at(4)])).toEqual([problemKey(at(4))]);
  });

  it("is another one for an equal problem of the same line", () => {
    expect(new Set(problemKeys([at(4), at(4, "b"), at(4, "c")])).size).toBe(3);
  });

  it("names its file", () => {
    expect(problemKeys([at(4), at(4)]).map(pathOfProblem)).toEqual(["/p/x y.yaml", "/p/x y.yaml"]);
    expect(["3", "", "[1]"].map(pathOfProblem)).toEqual([null, null, null]);
  });
});

describe("a problem in a changed list", () => {
  it.each<[string, Problem[], number, Problem[], number]>([
    ["is found behind one that came before it", [at(4)], 0, [at(1, "b"), at(4)], 1],
    ["is found at another line", [at(4, "b"), at(4)], 1, [at(6, "b"), at(6)], 1],
    ["is not mistaken for its neighbour of the same kind", [at(4), at(5)], 0, [at(5), at(6)], 0],
    ["is gone when it was put right", [at(4)], 0, [{ ...at(4), code: "unknown_field" }], -1],
    ["is the same one when what it says of its line changes", [at(4)], 0, [at(4, "b")], 0],
    ["is gone, though another one of its kind is left", [at(4), at(9)], 0, [at(9)], -1],
    ["stays when another one of its kind is gone", [at(4), at(9)], 0, [at(4)], 0],
    ["of an empty list is gone", [], 0, [at(4)], -1],
  ])("%s", (_, before, place, now, expected) => {
    expect(followProblem(before, place, now)).toBe(expected);
  });
});
