import { render, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Axis } from "./Axis";
import { Budget } from "./Budget";
import { Line, linePath } from "./Line";
import { Sparkline } from "./Sparkline";
import { Strip } from "./Strip";
import { linearScale, percent, timeScale } from "./scale";

const AT = Date.parse("2026-11-20T13:00:00Z");
const minute = (n: number) => AT + n * 60_000;

describe("a scale", () => {
  it("places values from 0 to 1 and never outside", () => {
    const scale = linearScale(0, 200);
    expect([0, 50, 200, 900, -5].map(scale.at)).toEqual([0, 0.25, 1, 1, 0]);
  });

  it("has room even where all values are the same", () => {
    expect([linearScale(0, 0).at(0), timeScale(AT, AT).at(AT)]).toEqual([0, 0]);
  });

  it("has round ticks that end with its values", () => {
    const ticks = linearScale(0, 104).ticks(5);
    expect(ticks.map(({ value }) => value)).toEqual([0, 20, 40, 60, 80, 100]);
    expect(ticks.at(-1)?.at).toBeLessThan(1);
  });

  it("of time has ticks at round times", () => {
    const ticks = timeScale(minute(0), minute(60)).ticks(4);
    expect(ticks.every(({ value }) => value % (15 * 60_000) === 0)).toBe(true);
    expect(ticks.map(({ at }) => percent(at))).toContain("50%");
  });
});

describe("an axis", () => {
  it("keeps the words at its ends inside", () => {
    const { container } = render(<Axis ticks={linearScale(0, 100).ticks(2)} text={String} />);
    expect([...container.querySelectorAll(".axis-tick")].map((tick) => tick.className)).toEqual([
      "axis-tick first",
      "axis-tick",
      "axis-tick last",
    ]);
  });
});

describe("a line", () => {
  const points = [
    { at: minute(0), value: 0 },
    { at: minute(1), value: 10 },
    { at: minute(2), value: null },
    { at: minute(3), value: 5 },
  ];

  it("goes from the bottom to the top of its box, with gaps where nothing was measured", () => {
    expect(linePath(points, 300, 100)).toBe("M0,100L100,0M300,50Z");
  });

  it("says the same in a table", () => {
    render(
      <Line
        points={points}
        height={60}
        summary="Latency"
        head={["Time", "p95"]}
        timeText={(at) => String((at - AT) / 60_000)}
        valueText={(value) => `${value} ms`}
      />,
    );
    expect(screen.getByRole("img", { name: "Latency" })).toBeInTheDocument();
    const rows = within(screen.getByRole("table", { name: "Latency" })).getAllByRole("row");
    expect(rows.map((row) => row.textContent)).toEqual(["Timep95", "00 ms", "110 ms", "2", "35 ms"]);
  });
});

describe("a sparkline", () => {
  it("has a summary, and a table where it is given one", () => {
    const table = { head: ["Time", "Runs"], rows: [["13:00", 3]] };
    render(<Sparkline values={[3, 9, 0]} width={60} height={16} summary="Runs per hour" table={table} />);
    expect(screen.getByRole("img", { name: "Runs per hour" })).toBeInTheDocument();
    expect(screen.getByRole("table", { name: "Runs per hour" })).toHaveTextContent("13:003");
  });
});

describe("a strip", () => {
  it("draws a lane each and lists what happened", () => {
    const bucket = (n: number, outcomes: Record<string, number>) => ({
      at: new Date(minute(n)).toISOString(),
      outcomes,
    });
    const { container } = render(
      <Strip
        lanes={[
          { label: "qoder", buckets: [bucket(0, { denied: 2 }), bucket(1, {})] },
          { label: "j-cli", buckets: [bucket(0, {}), bucket(1, { changed: 1 })] },
        ]}
        from={minute(0)}
        to={minute(2)}
        height={20}
        summary="Last minutes"
      />,
    );
    expect(container.querySelectorAll(".strip-lane")).toHaveLength(2);
    const rows = within(screen.getByRole("table", { name: "Last minutes" })).getAllByRole("row");
    expect(rows.map((row) => row.textContent?.replace(/\d\d:\d\d:\d\d/, ""))).toEqual([
      "TimeChangedDenied",
      "qoder 02",
      "j-cli 10",
    ]);
  });
});

describe("a time budget", () => {
  it("is a meter that turns to warning at 60 % and to alarm at 90 %", () => {
    const tones = [500, 600, 950].map((used) => {
      const { container, unmount } = render(<Budget label="Budget" used={used} p50={100} limit={1000} text="t" />);
      const tone = container.querySelector(".budget")?.className;
      unmount();
      return tone;
    });
    expect(tones).toEqual(["budget", "budget warn", "budget alarm"]);
    render(<Budget label="Budget" used={500} p50={0} limit={1000} text="500 ms / 1 s" />);
    expect(screen.getByRole("meter", { name: "Budget" })).toHaveAttribute("aria-valuetext", "500\u00a0ms / 1\u00a0s");
  });
});
