import { act, renderHook } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { historyRows } from "@/testing/sampleData";
import { addLiveRows, clearLiveRows, hasGap, liveRows, queuedAfter, RING_ROWS, rowsAfter, useLiveRows } from "./rows";

const batch = (count: number) => historyRows(count).reverse();
afterEach(() => clearLiveRows());

describe("the live rows", () => {
  it("stand newest first and are counted", () => {
    addLiveRows(batch(3));
    addLiveRows([{ ...historyRows(1)[0], trace: "NEWER" } as never]);
    expect(liveRows().total).toBe(4);
    expect(liveRows().rows.map((row) => row.trace)).toEqual(["NEWER", ...historyRows(3).map((row) => row.trace)]);
  });

  it("drop the oldest when the ring is full, and say that there is a gap", () => {
    addLiveRows(batch(RING_ROWS));
    expect(hasGap(liveRows(), 0)).toBe(false);
    addLiveRows(batch(10));
    expect(liveRows().rows).toHaveLength(RING_ROWS);
    expect(liveRows().total).toBe(RING_ROWS + 10);
    expect([hasGap(liveRows(), 0), hasGap(liveRows(), 10)]).toEqual([true, false]);
  });

  it("are told apart by what was seen before", () => {
    addLiveRows(batch(3));
    const seen = liveRows().total;
    addLiveRows(batch(2));
    expect(rowsAfter(liveRows(), seen)).toHaveLength(2);
    expect(rowsAfter(liveRows(), liveRows().total)).toEqual([]);
  });

  it("reach a component that is opened later", () => {
    addLiveRows(batch(2));
    const { result } = renderHook(useLiveRows);
    expect(result.current.rows).toHaveLength(2);
    act(() => addLiveRows(batch(1)));
    expect(result.current.total).toBe(3);
  });

  it("that wait while a list is paused are counted once each, as far as the list wants them", () => {
    addLiveRows(batch(3));
    const seen = liveRows().total;
    const [again, other, fresh] = historyRows(3).map((row, index) =>
      index === 0 ? row : { ...row, trace: `NEW${index}` },
    );
    addLiveRows([again, other, fresh, fresh] as never);
    expect(queuedAfter(liveRows(), seen, () => true)).toEqual({ count: 2, more: false });
    expect(queuedAfter(liveRows(), seen, (row) => row.trace === "NEW1")).toEqual({ count: 1, more: false });
    addLiveRows(batch(RING_ROWS));
    expect(queuedAfter(liveRows(), seen, () => true).more).toBe(true);
  });
});
