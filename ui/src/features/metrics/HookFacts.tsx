/** The chosen hook: its counts, its shares, its tokens and the counters of its own agent. */
import { History, ListTree } from "lucide-react";
import { Button, DialectTag, Drawer, Outcome } from "@/components";
import { STACK } from "@/components/chart";
import { t } from "@/i18n";
import { count, duration, limitText } from "@/i18n/format";
import type { HookStats } from "@/ipc";
import { useDialect } from "@/ipc/dialects";
import { oneLine } from "@/lib/escape";
import { baseName } from "@/lib/names";
import { useNavigate } from "@/routes/router";
import { FEW_RUNS, shareText } from "./rows";

interface HookFactsProps {
  row: HookStats;
  since: string;
  onMove: (by: -1 | 1) => void;
  onClose: () => void;
}

export function HookFacts({ row, since, onMove, onClose }: HookFactsProps) {
  const go = useNavigate();
  return (
    <Drawer
      id="metrics.hook"
      label={t("metrics.facts.label")}
      over
      width={300}
      head={
        <>
          <DialectTag dialect={row.dialect} />
          <h2 className="title-text trunc">{oneLine(row.label)}</h2>
        </>
      }
      onClose={onClose}
      onStep={onMove}
      arrows
    >
      <section
        className="pane-body scroll pad-16 [&>h3]:mt-4 [&>h3]:mb-2 [&>h3]:text-sm [&>h3]:font-strong [&>p]:mb-2"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls and has little to focus in it
        tabIndex={0}
        aria-label={oneLine(row.label)}
      >
        <Facts row={row} />
        <h3>{t("metrics.outcomes.title")}</h3>
        <ul className="flex flex-col gap-1">
          {[...STACK].reverse().map((kind) => {
            const count = row.outcomes[kind] ?? 0;
            return count === 0 ? null : <OutcomeCount key={kind} kind={kind} times={count} />;
          })}
        </ul>
        <Counters row={row} />
        <div className="row mt-4 flex-wrap">
          <Button
            size="small"
            icon={ListTree}
            onClick={() => go({ to: "/hooks", search: { hook: row.hook, tab: "summary" } })}
          >
            {t("metrics.facts.inHooks")}
          </Button>
          <Button
            size="small"
            icon={History}
            onClick={() => go({ to: "/history", search: { q: `hook:${row.hook}`, since } })}
          >
            {t("metrics.inHistory")}
          </Button>
        </div>
      </section>
    </Drawer>
  );
}

function Facts({ row }: { row: HookStats }) {
  const time = (ms: number) => (row.attempts === 0 ? "–" : duration(ms));
  const facts: [name: string, value: string][] = [
    [t("metrics.column.event"), row.event],
    [t("metrics.facts.project"), row.project === null ? t("edits.ownFiles") : baseName(row.project)],
    [t("metrics.column.runs"), count(row.runs)],
    ["p50", time(row.p50_ms)],
    ["p95", time(row.p95_ms)],
    ["p99", time(row.p99_ms)],
    [t("metrics.column.max"), time(row.max_ms)],
    [t("metrics.facts.limit"), row.timeout_ms === null ? "–" : limitText(row.timeout_ms)],
    [t("metrics.column.budget"), row.budget === null ? "–" : shareText(row.budget)],
    [t("metrics.column.failed"), `${shareText(row.failure_rate)} (${count(row.failed)})`],
    [t("metrics.column.blocked"), `${shareText(row.block_rate)} (${count(row.blocked)})`],
    [t("metrics.facts.timeouts"), count(row.timeouts)],
  ];
  if (row.tokens !== null) {
    facts.push(
      [t("metrics.facts.input"), count(row.tokens.input)],
      [t("metrics.facts.output"), count(row.tokens.output)],
    );
  }
  return (
    <>
      {row.runs < FEW_RUNS ? <p className="text-small dim">{t("metrics.facts.few", { count: row.runs })}</p> : null}
      {row.timeout_ms === null && row.attempts > 0 ? (
        <p className="text-small dim">{t("metrics.facts.earlier")}</p>
      ) : null}
      <FactList facts={facts} />
    </>
  );
}

function FactList({ facts }: { facts: readonly (readonly [name: string, value: string])[] }) {
  return (
    <dl className="[&>div]:flex [&>div]:justify-between [&>div]:gap-3 [&>div]:py-0.5 [&>div]:text-sm/[inherit] [&_dt]:text-ink-3 [&_dd]:min-w-0 [&_dd]:text-right [&_dd]:wrap-anywhere">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="mono">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function OutcomeCount({ kind, times }: { kind: (typeof STACK)[number]; times: number }) {
  return (
    <li className="row">
      <Outcome kind={kind} />
      <span className="spacer" />
      <span className="mono">{count(times)}</span>
    </li>
  );
}

/** The counters that the hook's own agent has, under its names. */
function Counters({ row }: { row: HookStats }) {
  const dialect = useDialect(row.dialect);
  const counters = Object.entries(row.native);
  if (counters.length === 0) return null;
  return (
    <>
      <h3>{t("metrics.facts.native", { agent: dialect?.name ?? row.dialect })}</h3>
      <FactList
        facts={counters.map(([name, value]) => [name, name.endsWith("_ms") ? duration(value) : count(value)] as const)}
      />
    </>
  );
}
