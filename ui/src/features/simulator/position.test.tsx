import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Position, usePlayer } from "./position";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const at = (call: number, step: () => boolean) => ({ turnIndex: 0, call, step }) as unknown as Position;

describe("a result that plays", () => {
  it("goes on in time, however often it is drawn again meanwhile", () => {
    const step = vi.fn(() => true);
    const { result, rerender } = renderHook(({ call }) => usePlayer(at(call, step)), { initialProps: { call: 0 } });
    act(() => result.current.setPlays(true));
    for (let time = 0; time < 1200; time += 200) {
      rerender({ call: 0 });
      act(() => vi.advanceTimersByTime(200));
    }
    expect(step).toHaveBeenCalledTimes(1);
    rerender({ call: 1 });
    act(() => vi.advanceTimersByTime(1200));
    expect(step).toHaveBeenCalledTimes(2);
  });

  it("ends at the last call", () => {
    const { result } = renderHook(() => usePlayer(at(3, () => false)));
    act(() => result.current.setPlays(true));
    act(() => vi.advanceTimersByTime(1200));
    expect(result.current.plays).toBe(false);
  });
});
