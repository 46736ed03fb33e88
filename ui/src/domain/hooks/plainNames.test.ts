import { describe, expect, it } from "vitest";
import { nearestName, readNames, writeNames } from "./plainNames";

describe("a condition of plain names", () => {
  it.each([
    ["Bash", "Bash|Write"],
    ["^Bash$", "^(Bash|Write)$"],
    ["^(Bash|Edit)$", "^(Bash|Edit|Write)$"],
    ["^(?:Bash)$", "^(?:Bash|Write)$"],
  ])("writes a name into the pattern %s", (pattern, changed) => {
    const read = readNames(pattern);
    expect(read && writeNames({ ...read, names: [...read.names, "Write"] })).toBe(changed);
  });

  it.each(["mcp__.*", "Ba?sh", "^Bash", "^Bash|Edit$", "(Bash", "[Bb]ash"])("is not the pattern %s", (pattern) => {
    expect(readNames(pattern)).toBeNull();
  });

  it("names the one that the event nearly had, if it is the only one", () => {
    expect(nearestName(["Bash", "Shell"], "bash", "case")).toBe("Bash");
    expect(nearestName(["psql"], "pslq", "spelling")).toBe("psql");
    expect(nearestName(["psql"], "plsq", "spelling")).toBeNull();
    expect(nearestName(["Bash", "BASH"], "bash", "case")).toBeNull();
    expect(nearestName(["Bash"], "bash", null)).toBeNull();
  });
});
