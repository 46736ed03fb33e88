/** The columns of the table by hook. */
import { useMemo } from "react";
import { type Column, Cut, DialectTag, Tooltip } from "@/components";
import { Budget, Sparkline } from "@/components/chart";
import { t } from "@/i18n";
import { count, duration, limitText, time as timeText } from "@/i18n/format";
import type { HookStats } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { useMedia } from "@/lib/media";
import { baseName } from "@/lib/names";
import { Link } from "@/routes/router";
import type { MetricsSort } from "@/routes/search";
import {
  blockedShare,
  CLOSE,
  FEW_RUNS,
  factorOf,
  factorText,
  failedShare,
  hasOtherVersions,
  isClose,
  letGo,
  shareText,
} from "./rows";

/** From these widths on there is room for more columns; the drawer takes as much as lies between two of them. */
const WIDTHS = ["(min-width: 800px)", "(min-width: 1240px)", "(min-width: 1540px)", "(min-width: 1840px)"] as const;
const SPARK = { width: 56, height: 18 };
/** Room for the head of the trend in px: in Chinese, a range in minutes takes most of it. */
export const TREND_WIDTH = 116;

interface ColumnsOf {
  rows: readonly HookStats[];
  /** Rows of several projects are listed. */
  projects: boolean;
  sort: MetricsSort;
  onSort: (sort: MetricsSort) => void;
  /** Rows have their change since the period before. */
  compared: boolean;
  /** A drawer lies beside the table. */
  beside: boolean;
  /** What the sparkline spans, such as `24 h`. */
  range: string;
}

export function useColumns({ rows, projects, sort, onSort, compared, beside, range }: ColumnsOf): Column<HookStats>[] {
  const [over800, over1240, over1540, over1840] = [
    useMedia(WIDTHS[0]),
    useMedia(WIDTHS[1]),
    useMedia(WIDTHS[2]),
    useMedia(WIDTHS[3]),
  ];
  const isNarrow = !(beside ? over1240 : over800);
  const isWide = beside ? over1540 : over1240;
  const isWidest = beside ? over1840 : over1540;
  return useMemo(() => {
    const hasTokens = rows.some((row) => row.tokens !== null);
    const sortable = (by: MetricsSort) => ({
      sorted: sort === by ? ("down" as const) : undefined,
      onSort: () => onSort(by),
    });
    const time = (id: string, head: string, width: string, ms: (row: HookStats) => number): Column<HookStats> => ({
      id,
      head,
      width,
      align: "right",
      cell: (row) => <Time text={row.attempts === 0 ? "–" : duration(ms(row))} few={row.runs < FEW_RUNS} />,
    });
    // Between them there is room for either the percentiles or the comparison.
    const hasPercentiles = !compared || isWidest;
    const before: Column<HookStats> = {
      id: "before",
      head: t("metrics.column.before"),
      width: "72px",
      align: "right",
      cell: ({ before }) => <Time text={before === null ? "–" : duration(before.p95_ms)} few />,
    };
    const change: Column<HookStats> = {
      id: "change",
      head: t("metrics.column.change"),
      width: "92px",
      align: "right",
      ...sortable("change"),
      cell: (row) => <Change row={row} />,
    };
    const columns: (Column<HookStats> | null)[] = [
      {
        id: "hook",
        head: t("metrics.column.hook"),
        cell: (row) => <HookName row={row} all={rows} project={projects} />,
      },
      isWide
        ? {
            id: "event",
            head: t("metrics.column.event"),
            width: "150px",
            cell: (row) => <span className="mono dim trunc block">{row.event}</span>,
          }
        : null,
      {
        id: "runs",
        head: t("metrics.column.runs"),
        width: compared ? "108px" : "64px",
        align: "right",
        ...sortable("runs"),
        cell: (row) => <Runs row={row} />,
      },
      compared && !isWidest ? before : null,
      isNarrow || !hasPercentiles ? null : time("p50", "p50", "64px", (row) => row.p50_ms),
      { ...time("p95", "p95", "72px", (row) => row.p95_ms), ...sortable("p95") },
      compared && !isWidest ? change : null,
      isWide && hasPercentiles ? time("p99", "p99", "64px", (row) => row.p99_ms) : null,
      isWidest ? time("max", t("metrics.column.max"), "68px", (row) => row.max_ms) : null,
      {
        id: "failed",
        head: t("metrics.column.failed"),
        width: "66px",
        align: "right",
        ...sortable("failed"),
        cell: (row) => <Share of={failedShare(row)} tone={row.failed > 0 ? "ink-fail" : "dim"} />,
      },
      isNarrow || !hasPercentiles
        ? null
        : {
            id: "blocked",
            head: t("metrics.column.blocked"),
            width: "74px",
            align: "right",
            ...sortable("blocked"),
            cell: (row) => <Share of={blockedShare(row)} tone={row.blocked > 0 ? "" : "dim"} />,
          },
      {
        id: "budget",
        head: t("metrics.column.budget"),
        // What the head of the trend needs, the bar can spare.
        width: isWidest ? "22%" : isWide ? "184px" : "216px",
        ...sortable("budget"),
        cell: (row) => <BudgetCell row={row} tick={compared ? (row.before?.p95_ms ?? 0) : row.p50_ms} />,
      },
      compared && isWidest ? before : null,
      compared && isWidest ? change : null,
      compared && isWide
        ? {
            id: "edit",
            head: t("metrics.column.edit"),
            width: "140px",
            cell: ({ edit }) =>
              edit === null ? (
                <span className="dim">–</span>
              ) : (
                <Link to="/hooks" search={{ view: "edits", edit: edit.edit }} className="link text-small nowrap">
                  {timeText(edit.at)}
                </Link>
              ),
          }
        : null,
      hasTokens && !isNarrow && hasPercentiles
        ? {
            id: "tokens",
            head: t("metrics.column.tokens"),
            width: "70px",
            align: "right",
            cell: (row) =>
              row.tokens === null ? null : (
                <Tooltip
                  text={t("metrics.tokensOf", { input: count(row.tokens.input), output: count(row.tokens.output) })}
                >
                  <span className="mono nowrap">{count(row.tokens.input + row.tokens.output)}</span>
                </Tooltip>
              ),
          }
        : null,
      isWide && !compared
        ? {
            id: "trend",
            head: t("metrics.column.trend", { range }),
            width: `${TREND_WIDTH}px`,
            align: "right",
            cell: (row) => <Trend row={row} />,
          }
        : null,
    ];
    return columns.filter((column) => column !== null);
  }, [isNarrow, isWide, isWidest, compared, rows, projects, sort, onSort, range]);
}

function HookName({ row, all, project }: { row: HookStats; all: readonly HookStats[]; project: boolean }) {
  const notes = [
    row.version !== "" && hasOtherVersions(row, all) ? `#${row.version.slice(0, 6)}` : null,
    project ? (row.project === null ? t("metrics.userFiles") : baseName(row.project)) : null,
  ].filter((note) => note !== null);
  return (
    <span className="row">
      <DialectTag dialect={row.dialect} />
      <Cut className="medium" text={oneLine(row.label)} />
      {notes.length > 0 ? <span className="mono text-tiny dim nowrap">{notes.join(" ")}</span> : null}
    </span>
  );
}

function Time({ text, few }: { text: string; few: boolean }) {
  return <span className={few ? "mono nowrap dim" : "mono nowrap"}>{text}</span>;
}

/** With how many more or fewer than before. */
function Runs({ row: { runs, before } }: { row: HookStats }) {
  const more = before === null || before.runs < FEW_RUNS ? null : runs / before.runs;
  return (
    <span className="nowrap">
      {runs < FEW_RUNS ? <span className="dim">{t("metrics.few", { count: runs })}</span> : count(runs)}
      {more === null ? null : <span className="dim text-tiny inline-block w-11">{factorText(more)}</span>}
    </span>
  );
}

const CHANGE_TONES: Partial<Record<string, string>> = {
  slower: "ink-late",
  failing: "ink-fail",
  faster: "ink-allow",
  healed: "ink-allow",
};

function Change({ row }: { row: HookStats }) {
  const factor = factorOf(row);
  const tone = CHANGE_TONES[row.change ?? ""] ?? "dim";
  if (row.change === "failing" || row.change === "healed") {
    return <span className={`text-small nowrap ${tone}`}>{t(`metrics.change.${row.change}`)}</span>;
  }
  return <span className={`mono nowrap ${tone}`}>{factor === null ? "–" : factorText(factor)}</span>;
}

function Share({ of, tone }: { of: number | null; tone: string }) {
  return <span className={`mono nowrap ${tone}`}>{of === null ? "–" : shareText(of)}</span>;
}

function BudgetCell({ row, tick }: { row: HookStats; tick: number }) {
  if (row.attempts === 0) return <span className="dim">–</span>;
  if (row.timeout_ms === null || row.budget === null) {
    return <span className="dim text-tiny">{t("metrics.earlier")}</span>;
  }
  const tone = row.budget >= CLOSE ? "ink-fail" : row.budget >= 0.6 ? "ink-late" : "dim";
  return (
    <span className="row [&>.budget]:flex-1 [&>.budget]:w-auto [&>.budget]:min-w-6 [&>.budget::after]:absolute [&>.budget::after]:content-[''] [&>.budget::after]:right-0 [&>.budget::after]:-top-0.75 [&>.budget::after]:h-2.5 [&>.budget::after]:border-r-[1.5px] [&>.budget::after]:border-ink-3">
      <Budget
        label={t("metrics.column.budget")}
        used={row.p95_ms}
        p50={tick}
        max={row.max_ms}
        limit={row.timeout_ms}
        text=""
      />
      <b className={`mono text-tiny nowrap w-9 text-right font-regular ${tone}`}>{shareText(row.budget)}</b>
      <span className="mono text-tiny dim nowrap w-11">{limitText(row.timeout_ms)}</span>
    </span>
  );
}

function Trend({ row }: { row: HookStats }) {
  const values = row.p95_series ?? [];
  const measured = values.filter((value) => value !== null);
  const [first, last] = [measured[0], measured.at(-1)];
  if (first === undefined || last === undefined) return null;
  return (
    <span
      className={
        isClose(row) || letGo(row)
          ? "inline-flex align-middle [&_.sparkline-area]:hidden [&>.sparkline]:text-inherit ink-fail"
          : "inline-flex align-middle [&_.sparkline-area]:hidden"
      }
    >
      <Sparkline
        values={values}
        {...SPARK}
        summary={t("metrics.trend", { first: duration(first), last: duration(last) })}
      />
    </span>
  );
}
