import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HistoryRow } from "@/ipc";
import { addLiveRows, clearLiveRows } from "@/live/rows";
import { historyRows } from "@/testing/sampleData";
import { rowsOf, useFollowed } from "./useFollowed";

const [base] = historyRows(1) as [HistoryRow];
const row = (trace: string, part: Partial<HistoryRow> = {}): HistoryRow => ({
  ...base,
  trace,
  dialect: "jcli",
  event: "stop",
  project: "/p",
  ...part,
});
const read = vi.fn();
const follow = () => renderHook(() => useFollowed(rowsOf("/p", "jcli", "stop"), read));
const come = (...rows: HistoryRow[]) => act(() => addLiveRows(rows));

beforeEach(() => {
  vi.useFakeTimers();
  clearLiveRows();
  read.mockClear();
});
afterEach(() => {
  vi.useRealTimers();
  act(clearLiveRows);
});

describe("rows of the history that are followed", () => {
  it("are asked for when a new one comes, once a second at most", () => {
    follow();
    for (let at = 0; at < 10; at += 1) {
      come(row(`a${at}`));
      vi.advanceTimersByTime(100);
    }
    expect(read).toHaveBeenCalledTimes(1);
    come(row("b"));
    vi.advanceTimersByTime(1000);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("are asked for again when one of them is recorded again", () => {
    come(row("a"));
    follow();
    come(row("a", { outcomes: ["denied"] }));
    vi.advanceTimersByTime(1000);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it("are not asked for because of others, or of those that were there before", () => {
    come(row("a"));
    follow();
    come(row("b", { event: "session_start" }), row("c", { dialect: "qoder" }), row("d", { project: "/q" }));
    vi.advanceTimersByTime(5000);
    expect(read).not.toHaveBeenCalled();
  });

  it("are not asked for by who has gone", () => {
    const { unmount } = follow();
    come(row("a"));
    unmount();
    vi.advanceTimersByTime(5000);
    expect(read).not.toHaveBeenCalled();
  });
});
