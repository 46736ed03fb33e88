import { act, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { useTextState } from "@/i18n";
import { time } from "@/i18n/format";
import type { HistoryRow } from "@/ipc";
import { TextState } from "@/lib/memoCache";
import { historyRows } from "@/testing/sampleData";
import { dayGroups } from "./columns";

function Texts({ children }: { children: ReactNode }) {
  return <TextState value={useTextState()}>{children}</TextState>;
}

function Days({ of: rows }: { of: HistoryRow[] }) {
  const groupOf = dayGroups();
  return <ul>{rows.map((row) => groupOf(row)[0]?.content).join(", ")}</ul>;
}

function Drawn({ at }: { at: string }) {
  return <p>{time(at)}</p>;
}

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
    const morning = at(2026, 10, 21, 0, 0);
    render(<Days of={[evening, morning]} />, { wrapper: Texts });
    expect(screen.getByRole("list")).toHaveTextContent(/^Today, /);
    act(() => vi.advanceTimersByTime(3_000));
    expect(screen.getByRole("list")).toHaveTextContent(/^Yesterday, Today$/);
  });

  it("give times of yesterday their date after midnight", () => {
    vi.useFakeTimers({ now: new Date(2026, 10, 20, 23, 59, 58) });
    const evening = at(2026, 10, 20, 23, 50);
    render(<Drawn at={evening.at} />, { wrapper: Texts });
    expect(screen.getByText("23:50:00")).toBeInTheDocument();
    act(() => vi.advanceTimersByTime(3_000));
    expect(screen.getByText(/20.*23:50$/)).toBeInTheDocument();
  });
});
