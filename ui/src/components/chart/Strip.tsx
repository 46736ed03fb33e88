/** Outcomes over a span of time: one lane of bars or several, a time axis, and the same numbers as a table. */
import type { ReactNode } from "react";
import { t } from "@/i18n";
import { clock, timeOfDay } from "@/i18n/format";
import type { Bar } from "@/ipc";
import { Axis } from "./Axis";
import { Bars, STACK } from "./Bars";
import { ChartTable } from "./ChartTable";
import { timeScale } from "./scale";

export interface Lane {
  /** Said before the lane where there are several. */
  label?: string;
  buckets: readonly Pick<Bar, "at" | "outcomes">[];
}

interface StripProps {
  lanes: readonly Lane[];
  /** ms since 1970. */
  from: number;
  to: number;
  /** Of one lane, in px. */
  height: number;
  summary: string;
  /** Lies over the lanes, such as a brush. */
  children?: ReactNode;
}

const TICKS = 6;

export function Strip({ lanes, from, to, height, summary, children }: StripProps) {
  const named = lanes.some((lane) => lane.label !== undefined);
  return (
    <div className="strip">
      <div className={named ? "strip-lanes named" : "strip-lanes"} role="img" aria-label={summary}>
        {lanes.map((lane, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a lane is its place
          <div key={index} className="strip-lane">
            {named ? <span className="text-tiny dim trunc">{lane.label}</span> : null}
            <Bars bars={lane.buckets} height={height} all fit />
          </div>
        ))}
      </div>
      {children}
      <Axis ticks={timeScale(from, to).ticks(TICKS)} text={clock} />
      <StripTable lanes={lanes} summary={summary} />
    </div>
  );
}

/** Buckets in which anything happened, with what. */
function StripTable({ lanes, summary }: Pick<StripProps, "lanes" | "summary">) {
  const seen = STACK.filter((kind) => lanes.some(({ buckets }) => buckets.some((bar) => bar.outcomes[kind])));
  const rows = lanes.flatMap(({ label, buckets }) =>
    buckets
      .filter((bar) => seen.some((kind) => bar.outcomes[kind]))
      .map((bar) => [
        [label, timeOfDay(bar.at)].filter(Boolean).join(" "),
        ...seen.map((kind) => bar.outcomes[kind] ?? 0),
      ]),
  );
  const head = [t("chart.time"), ...seen.map((kind) => t(`words.outcome.${kind}`))];
  return <ChartTable caption={summary} data={{ head, rows }} />;
}
