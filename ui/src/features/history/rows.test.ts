import { describe, expect, it } from "vitest";
import type { HistoryRow } from "@/ipc";
import { merge } from "./rows";

const row = (trace: string, took_ms = 1): HistoryRow => ({ trace, took_ms }) as HistoryRow;
const ids = (rows: readonly HistoryRow[]) => rows.map((one) => one.trace).join("");

describe("the rows of History", () => {
  it("are live rows above pages, each trace once", () => {
    expect(ids(merge([row("E"), row("D"), row("C")], [row("C"), row("B"), row("A")], false))).toBe("EDCBA");
  });

  it("take the latest version of a trace", () => {
    const merged = merge([row("C", 9), row("C", 5)], [row("C", 1), row("A")], false);
    expect(merged.map((one) => [one.trace, one.took_ms])).toEqual([
      ["C", 9],
      ["A", 1],
    ]);
  });

  it("put what came late in its place, and leave what is older than the last page for that page", () => {
    expect(ids(merge([row("C"), row("A")], [row("D"), row("B")], false))).toBe("DCBA");
    expect(ids(merge([row("C"), row("A")], [row("D"), row("B")], true))).toBe("DCB");
    expect(ids(merge([row("A"), row("B")], [], false))).toBe("BA");
  });
});
