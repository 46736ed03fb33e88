import { describe, expect, it } from "vitest";
import type { HistoryRow } from "@/ipc";
import { mergeRows } from "./mergeRows";

const row = (trace: string, took_ms = 1): HistoryRow => ({ trace, took_ms }) as HistoryRow;
const ids = (rows: readonly HistoryRow[]) => rows.map((one) => one.trace).join("");

describe("rows of the history", () => {
  it("are live rows above pages, each trace once", () => {
    expect(ids(mergeRows([row("E"), row("D"), row("C")], [row("C"), row("B"), row("A")], false))).toBe("EDCBA");
  });

  it("take the latest version of a trace", () => {
    const merged = mergeRows([row("C", 9), row("C", 5)], [row("C", 1), row("A")], false);
    expect(merged.map((one) => [one.trace, one.took_ms])).toEqual([
      ["C", 9],
      ["A", 1],
    ]);
  });

  it("put what came late in its place, and leave what is older than the last page for that page", () => {
    expect(ids(mergeRows([row("C"), row("A")], [row("D"), row("B")], false))).toBe("DCBA");
    expect(ids(mergeRows([row("C"), row("A")], [row("D"), row("B")], true))).toBe("DCB");
    expect(ids(mergeRows([row("A"), row("B")], [], false))).toBe("BA");
  });
});
