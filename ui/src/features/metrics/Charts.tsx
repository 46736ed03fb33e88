/** Time per step and outcomes over time, of all hooks or of the chosen one, as charts or as tables. */
import { ChartColumn, Table2 } from "lucide-react";
import type { ReactNode } from "react";
import { Button, Outcome } from "@/components";
import { BarChart, DataTwin, Lines, logScale, runsOf } from "@/components/chart";
import { t } from "@/i18n";
import { clock, count, dayMonth, duration, limitText, time } from "@/i18n/format";
import { oneLine } from "@/lib/escape";
import { useMedia } from "@/lib/media";
import { baseName } from "@/lib/names";
import type { MetricsRange } from "@/routes/search";
import { lengthOf, spansDays } from "./range";
import { comparedLines, extentOf, linesOf, outcomeTable, type Series, seenOutcomes, spanOf, timeTable } from "./series";

const LOW = "(max-height: 719px)";
/** Room for the axis and its words below a plot, in px. */
const AXIS = 20;

interface ChartsProps {
  series: Series;
  /** The period before; undefined where nothing is compared. */
  before: Series | undefined;
  range: MetricsRange;
  /** The chosen hook's name; null for all hooks. */
  hook: string | null;
  tables: boolean;
  onTables: () => void;
}

export function Charts(props: ChartsProps) {
  const height = useMedia(LOW) ? 112 : 152;
  return (
    <div className="grid grid-cols-2 flex-none border-b border-line-2 max-[760px]:grid-cols-1">
      <TimeChart {...props} height={height} />
      <OutcomeChart {...props} height={height} />
    </div>
  );
}

function timesOf(range: MetricsRange) {
  return {
    tick: (at: number) => (spansDays(range) ? dayMonth(at) : clock(at)),
    row: (at: string | number) => time(at),
  };
}

interface PanelProps extends Pick<ChartsProps, "tables" | "onTables"> {
  title: string;
  about: string;
  legend: ReactNode;
  children: ReactNode;
}

function Panel({ title, about, legend, tables, onTables, children }: PanelProps) {
  return (
    <section
      className="metrics-chart min-w-0 px-4 pb-3 [&+.metrics-chart]:border-l [&+.metrics-chart]:border-line-2 max-[760px]:[&+.metrics-chart]:border-l-0 max-[760px]:[&+.metrics-chart]:border-t max-[760px]:[&+.metrics-chart]:border-t-line-2"
      aria-label={title}
    >
      <div className="[&>h3]:text-md/4 [&>h3]:font-strong [&>h3]:text-ink-1 flex items-center gap-2 h-11 mb-1">
        <h3 className="medium nowrap">{title}</h3>
        <span className="text-tiny dim trunc">{about}</span>
        <span className="spacer" />
        <span className="row flex-none [&_.row]:gap-1">{legend}</span>
        <Button
          kind="ghost"
          size="small"
          icon={tables ? ChartColumn : Table2}
          label={t(tables ? "metrics.asChart" : "metrics.asTable", { chart: title })}
          aria-pressed={tables}
          action="chart.table"
          onClick={onTables}
        />
      </div>
      {children}
    </section>
  );
}

function TimeChart({ series, before, range, hook, height, ...panel }: ChartsProps & { height: number }) {
  const times = timesOf(range);
  const extent = before === undefined ? extentOf(series) : extentOf(series, before);
  const { from, to } = spanOf(series);
  const last = series.buckets.findLast((bucket) => bucket.p95_ms !== null);
  const title = t("metrics.time.title");
  const marks = series.edits.map((edit) => ({
    at: Date.parse(edit.at),
    text: t("metrics.time.edited", {
      hook: edit.label === null ? baseName(edit.path) : oneLine(edit.label, 24),
      time: times.row(edit.at),
    }),
  }));
  const summary =
    last === undefined || last.p50_ms === null || last.p95_ms === null || last.p99_ms === null
      ? t("metrics.time.nothing")
      : t("metrics.time.summary", {
          time: times.row(last.at),
          p50: duration(last.p50_ms),
          p95: duration(last.p95_ms),
          p99: duration(last.p99_ms),
          edits: count(marks.length),
        });
  const about = t(hook === null ? "metrics.time.about" : "metrics.time.aboutHook", { hook: hook ?? "" });
  const words = { time: times.row, duration, count };
  return (
    <Panel
      title={title}
      about={about}
      legend={panel.tables ? null : <LineLegend isCompared={before !== undefined} />}
      {...panel}
    >
      {panel.tables ? (
        <DataTwin
          caption={t("metrics.asTable", { chart: title })}
          data={timeTable(series, [t("chart.time"), t("metrics.column.runs")], words)}
          height={height + AXIS}
        />
      ) : extent === null ? (
        <p className="text-small dim grid place-items-center" style={{ height: height + AXIS }}>
          {summary}
        </p>
      ) : (
        <Lines
          lines={
            before === undefined
              ? linesOf(series)
              : comparedLines(series, before, { now: t("metrics.compare.now"), before: t("metrics.compare.before") })
          }
          from={from}
          to={to}
          scale={logScale(...extent)}
          height={height}
          summary={summary}
          marks={marks}
          timeText={times.tick}
          valueText={limitText}
        />
      )}
    </Panel>
  );
}

function LineLegend({ isCompared }: { isCompared: boolean }) {
  const lines = isCompared
    ? ([
        [t("metrics.compare.p95"), "main"],
        [t("metrics.compare.p95Before"), "dashed"],
      ] as const)
    : ([
        ["p50", "thin"],
        ["p95", "main"],
        ["p99", "dashed"],
      ] as const);
  return lines.map(([name, look]) => {
    return (
      <span key={name} className="row text-tiny dim" aria-hidden="true">
        <svg width="16" height="4" aria-hidden="true">
          <path d="M0 2H16" className={`lines-path ${look}`} />
        </svg>
        {name}
      </span>
    );
  });
}

function OutcomeChart({ series, before, range, height, ...panel }: ChartsProps & { height: number }) {
  const times = timesOf(range);
  const title = t("metrics.outcomes.title");
  const seen = seenOutcomes(series);
  const { from, to } = spanOf(series);
  const width = lengthOf(series.width_ms);
  const steps = series.buckets.reduce((sum, bucket) => sum + runsOf(bucket.outcomes), 0);
  const summary = t("metrics.outcomes.summary", { count: steps, steps: count(steps) });
  const words = { time: times.row, outcome: (kind: (typeof seen)[number]) => t(`words.outcome.${kind}`), count };
  return (
    <Panel
      title={title}
      about={t(`metrics.outcomes.per.${width.unit}`, { count: width.count })}
      legend={panel.tables ? null : seen.map((kind) => <Outcome key={kind} kind={kind} size={14} variant="glyph" />)}
      {...panel}
    >
      {panel.tables ? (
        <DataTwin
          caption={t("metrics.asTable", { chart: title })}
          data={outcomeTable(series, t("chart.time"), words)}
          height={height + AXIS}
        />
      ) : (
        <BarChart
          bars={series.buckets}
          before={before?.buckets}
          from={from}
          to={to}
          height={height}
          summary={summary}
          timeText={times.tick}
          countText={count}
        />
      )}
    </Panel>
  );
}
