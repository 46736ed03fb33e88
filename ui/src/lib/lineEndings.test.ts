import { describe, expect, it } from "vitest";
import { toEditable, toFile } from "./lineEndings";

describe("the line ends of a file", () => {
  it.each([
    ["line feeds", "a\nb\n"],
    ["carriage returns and line feeds", "a\r\nb\r\n"],
    ["none at the end", "a\r\nb"],
    ["a mixture", "a\r\nb\nc\r\n"],
    ["a lone carriage return", "a\rb\r\n"],
    ["nothing", ""],
  ])("come back exactly: %s", (_, file) => {
    expect(toFile(toEditable(file))).toBe(file);
  });

  it("are line feeds for the editor where all of them are alike", () => {
    expect(toEditable("a\r\nb\r\n")).toEqual({ text: "a\nb\n", ending: "\r\n" });
    expect(toEditable("a\r\nb\n").text).toContain("\r");
  });

  it("are the file's own in what was typed", () => {
    expect(toFile({ ...toEditable("a\r\n"), text: "a\nnew\n" })).toBe("a\r\nnew\r\n");
  });
});
