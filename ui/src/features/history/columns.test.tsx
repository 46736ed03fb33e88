import { act, renderHook } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { useFormats } from "@/i18n/format";
import type { HistoryRow } from "@/ipc";
import { historyRows } from "@/testing/sampleData";
import { useDayGroups } from "./columns";

const [base] = historyRows(1) as [HistoryRow];
const at = (...time: [number, number, number, number, number]): HistoryRow => ({
  ...base,
  at: new Date(...time).toISOString(),
});

afterEach(() => {
  vi.useRealTimers();
});

describe("the days of the list", () => {
  it("are called anew after midnight, and yesterday's rows no longer stand under Today", () => {
    vi.useFakeTimers({ now: new Date(2026, 10, 20, 23, 59, 58) });
    const evening = at(2026, 10, 20, 23, 50);
    const { result } = renderHook(() => ({ groupOf: useDayGroups() }));
    const before = result.current;
    expect(before.groupOf(evening).content).toBe("Today");
    act(() => vi.advanceTimersByTime(3_000));
    expect(result.current.groupOf(evening).content).toBe("Yesterday");
    expect(result.current.groupOf(at(2026, 10, 21, 0, 0)).content).toBe("Today");
    expect(result.current.groupOf(evening).key).not.toBe(result.current.groupOf(at(2026, 10, 21, 0, 0)).key);
  });

  it("give times of yesterday their date after midnight", () => {
    vi.useFakeTimers({ now: new Date(2026, 10, 20, 23, 59, 58) });
    const { result } = renderHook(useFormats);
    const { time } = result.current;
    expect(time(new Date(2026, 10, 20, 23, 50))).toBe("23:50:00");
    act(() => vi.advanceTimersByTime(3_000));
    expect(result.current).not.toHaveProperty("time", time);
    expect(result.current.time(new Date(2026, 10, 20, 23, 50))).toMatch(/20.*23:50$/);
  });
});
