/** Six figures of the range, each a link to what it counts. */

import { lazy, Suspense } from "react";
import { FaultNote } from "@/components";
import type { Facts } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import { ago, count, duration, limitText } from "@/i18n/format";
import type { AgentRow, HookRow } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { useNow } from "@/lib/useNow";
import { Link, type Target } from "@/routes/router";
import type { OverviewRange } from "@/routes/search";
import {
  changedShare,
  countConnected,
  eventFigure,
  type Figure,
  figureOf,
  slowestHook,
  unguardedFigure,
} from "./figures";
import { RANGE_FILTER, RANGE_MS } from "./range";
import type { BudgetOf, LineOf } from "./TileChart";
import { MOST_UNGUARDED, usePeriods } from "./useOverview";

const TileChart = lazy(() => import("./TileChart"));
const MINUTE_MS = 60_000;
const SECOND_MS = 1000;

interface TileProps {
  label: string;
  /** Null while it is not known. */
  value: string | null;
  unit?: string;
  about: string | null;
  chart?: LineOf | BudgetOf | null;
  tone?: "fail";
  to: Target;
}

function Tile({ label, value, unit, about, chart, tone, to }: TileProps) {
  return (
    <li>
      <Link
        {...to}
        className={
          tone === undefined
            ? "block h-full py-2.5 px-4 text-inherit no-underline hover:bg-3 focus-visible:-outline-offset-2 [&.fail_b]:text-fail [&.fail+.overview-chart>.sparkline]:text-fail max-docked:py-2.5 max-docked:px-3"
            : `block h-full py-2.5 px-4 text-inherit no-underline hover:bg-3 focus-visible:-outline-offset-2 [&.fail_b]:text-fail [&.fail+.overview-chart>.sparkline]:text-fail max-docked:py-2.5 max-docked:px-3 ${tone}`
        }
      >
        <span className="text-tiny ink-2 block">{label}</span>{" "}
        <span className="block h-7 whitespace-nowrap tabular-nums [&>b]:text-xl [&>b]:font-[560] [&>b]:tracking-tight">
          <b>{value ?? t("none")}</b>
          {unit ? <span className="text-tiny dim"> {unit}</span> : null}
        </span>{" "}
        <span className="text-tiny dim trunc block min-h-4">{about}</span>
      </Link>
      {chart ? (
        <span className="overview-chart absolute top-8 right-4 h-5 flex items-center pointer-events-none [&>.budget]:w-8 max-docked:hidden">
          <Suspense fallback={null}>
            <TileChart of={chart} />
          </Suspense>
        </span>
      ) : null}
    </li>
  );
}

interface TilesProps {
  project: string;
  range: OverviewRange;
  hooks: readonly HookRow[] | undefined;
  facts: Facts;
  agents: readonly AgentRow[] | undefined;
}

export function Tiles({ project, range, hooks, facts, agents }: TilesProps) {
  const { periods, fault, retry } = usePeriods(project, range);
  const within = t(`overview.within.${range}`);
  const since = `since:${RANGE_FILTER[range]}`;
  if (fault !== null && periods === undefined) return <FaultNote fault={fault} onRetry={retry} />;
  const buckets = periods?.now;
  const inHistory = (q: string): Target => ({ to: "/history", search: { q: `${q} ${since}`.trim() } });
  const lineOf = (figure: Figure, label: string): LineOf | null =>
    buckets === undefined || figure.total === 0
      ? null
      : {
          kind: "line",
          buckets,
          values: figure.values,
          head: label,
          summary: t("overview.line", { label, range: within }),
        };
  const outcomes = buckets ?? [];
  const before = periods?.before ?? [];
  const events = eventFigure(outcomes);
  const denied = figureOf(outcomes, "denied");
  const changed = figureOf(outcomes, "changed");
  const rows = periods?.unguarded;
  const unguarded = unguardedFigure(outcomes, rows ?? []);
  const isAll = (rows?.length ?? 0) < MOST_UNGUARDED;
  const share = changedShare(outcomes);
  const known = (text: string) => (buckets === undefined ? null : text);
  const both = (first: string, second: string) => t("overview.both", { first, second });
  const failedText = t("overview.unguardedSplit", {
    failed: count(unguarded.total - unguarded.timedOut),
    timedOut: count(unguarded.timedOut),
  });
  return (
    <ul
      className="grid grid-cols-6 border-t border-t-line-2 border-b border-b-line-2 bg-2 [&>li]:relative [&>li]:min-w-0 [&>li+li]:border-l [&>li+li]:border-line-2 cramped:grid-cols-3 cramped:[&>li:nth-child(4)]:border-l-0 cramped:[&>li:nth-child(n+4)]:border-t cramped:[&>li:nth-child(n+4)]:border-line-2"
      aria-label={t("overview.tiles", { range: within })}
    >
      <Tile
        label={t("overview.tile.events")}
        value={known(count(events.total))}
        about={known(
          both(
            rateText(events.total / (RANGE_MS[range] / MINUTE_MS)),
            differenceText(events.total, eventFigure(before).total),
          ),
        )}
        chart={lineOf(events, t("overview.tile.events"))}
        to={inHistory("")}
      />
      <Tile
        label={t("overview.tile.denied")}
        value={known(count(denied.total))}
        about={known(
          both(
            t("overview.blocked", { count: events.blocked }),
            differenceText(denied.total, figureOf(before, "denied").total),
          ),
        )}
        chart={lineOf(denied, t("overview.tile.denied"))}
        to={inHistory("outcome:denied")}
      />
      <Tile
        label={t("overview.tile.changed")}
        value={known(count(changed.total))}
        about={
          share === null
            ? null
            : both(
                t("overview.changedShare", { share: percentText(share) }),
                differenceText(changed.total, figureOf(before, "changed").total),
              )
        }
        chart={lineOf(changed, t("overview.tile.changed"))}
        to={inHistory("outcome:changed")}
      />
      <Tile
        label={t("overview.tile.unguarded")}
        value={
          rows === undefined
            ? null
            : isAll
              ? count(unguarded.total)
              : t("overview.orMore", { count: count(unguarded.total) })
        }
        about={rows === undefined ? null : failedText}
        chart={lineOf(unguarded, t("overview.tile.unguarded"))}
        tone={unguarded.total > 0 ? "fail" : undefined}
        to={inHistory("outcome:failed_open,timed_out_open")}
      />
      <SlowestTile hooks={hooks} facts={facts} within={within} />
      <AgentsTile agents={agents} />
    </ul>
  );
}

/** Against the period before. */
function differenceText(now: number, before: number): string {
  if (now === before) return t("overview.same");
  return t(now > before ? "overview.moreThanBefore" : "overview.fewerThanBefore", {
    more: count(Math.abs(now - before)),
  });
}

/** One decimal below ten, as the share of few runs is coarse anyway. */
function percentText(share: number): string {
  return `${share < 10 ? Number(share.toFixed(1)) : Math.round(share)}%`;
}

function rateText(perMinute: number): string {
  if (perMinute === 0) return t("overview.noneFired");
  return perMinute < 1 ? t("overview.rateBelowOne") : t("overview.rate", { rate: count(Math.round(perMinute)) });
}

function SlowestTile({ hooks, facts, within }: Pick<TilesProps, "hooks" | "facts"> & { within: string }) {
  const slowest = hooks === undefined ? null : slowestHook(hooks, facts);
  if (slowest === null) {
    return (
      <Tile
        label={t("overview.tile.slowest")}
        value={null}
        about={hooks === undefined ? null : t("overview.noneRan", { range: within })}
        to={{ to: "/hooks", search: { sort: "-p95" } }}
      />
    );
  }
  const { hook, stats } = slowest;
  const name = oneLine(hook.label, 60);
  return (
    <Tile
      label={t("overview.tile.slowest")}
      value={duration(stats.p95_ms)}
      unit="p95"
      about={t("overview.limitOf", { hook: name, limit: limitText(hook.timeout_ms) })}
      chart={{
        kind: "budget",
        label: t("overview.limitUsed", { hook: name }),
        used: stats.p95_ms,
        p50: stats.p50_ms,
        limit: hook.timeout_ms,
      }}
      to={{ to: "/hooks", search: { hook: hook.hook } }}
    />
  );
}

function AgentsTile({ agents }: Pick<TilesProps, "agents">) {
  const now = useNow(SECOND_MS);
  if (agents === undefined) {
    return <Tile label={t("overview.tile.agents")} value={null} about={null} to={{ to: "/agents" }} />;
  }
  const { connected, kept } = countConnected(agents);
  const gone = kept === 1 ? agents.find((row) => !row.connected) : undefined;
  const goneText =
    gone?.left_at === undefined
      ? t("overview.kept", { count: kept })
      : t("overview.leftAt", { agent: oneLine(gone.agent.name, 24), ago: ago(gone.left_at, now) });
  return (
    <Tile
      label={t("overview.tile.agents")}
      value={count(connected)}
      unit={kept > 0 ? t("overview.ofAgents", { all: count(connected + kept) }) : undefined}
      about={kept > 0 ? goneText : t(connected > 0 ? "overview.allConnected" : "overview.noneConnected")}
      to={{ to: "/agents" }}
    />
  );
}
