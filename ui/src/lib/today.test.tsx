import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useToday } from "./today";

beforeEach(() => {
  vi.useFakeTimers({ now: new Date(2026, 10, 20, 23, 59, 50) });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the day", () => {
  it("is another one at midnight, and at the next one", () => {
    const drawn = vi.fn(useToday);
    const { result } = renderHook(drawn);
    expect(result.current).toBe("Fri Nov 20 2026");
    const before = drawn.mock.calls.length;
    act(() => vi.advanceTimersByTime(9_000));
    expect(drawn).toHaveBeenCalledTimes(before);
    act(() => vi.advanceTimersByTime(2_000));
    expect(result.current).toBe("Sat Nov 21 2026");
    act(() => vi.advanceTimersByTime(86_400_000));
    expect(result.current).toBe("Sun Nov 22 2026");
  });

  it("is found after the machine has slept", () => {
    vi.setSystemTime(new Date(2026, 10, 20, 12));
    const { result } = renderHook(useToday);
    vi.setSystemTime(new Date(2026, 10, 22, 8));
    act(() => vi.advanceTimersByTime(600_000));
    expect(result.current).toBe("Sun Nov 22 2026");
  });

  it("is not looked at while nothing shows it", () => {
    renderHook(useToday).unmount();
    expect(vi.getTimerCount()).toBe(0);
  });
});
