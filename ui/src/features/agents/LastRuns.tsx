/** The last events of a session, with what they came to. */
import { History } from "lucide-react";
import { useMemo } from "react";
import { Button, FaultNote, Skeleton, tokenText } from "@/components";
import { ResultBadge } from "@/domain/trace/ResultBadge";
import { t } from "@/i18n";
import { duration, exactTime } from "@/i18n/format";
import { type AgentRow, type HistoryRow, useCall } from "@/ipc";
import { oneLine, summaryText } from "@/lib/escape";
import { useLiveRows } from "@/live/rows";
import { useGoTo } from "./useGoTo";

const MOST_RUNS = 30;

/** The rows of this session that were read and those that came since, newest first. */
function useRuns(row: AgentRow) {
  const page = useCall(
    "history.page",
    { project: row.cwd, dialect: row.dialect, query: queryOf(row), limit: MOST_RUNS },
    { refetchOnMount: true },
  );
  const live = useLiveRows();
  const rows = useMemo(() => {
    const known = new Map<string, HistoryRow>();
    for (const one of [...live.rows, ...(page.data?.traces ?? [])]) {
      if (one.session === row.session && one.dialect === row.dialect && !known.has(one.trace))
        known.set(one.trace, one);
    }
    return [...known.values()].slice(0, MOST_RUNS);
  }, [live, page.data, row.session, row.dialect]);
  return { page, rows };
}

function queryOf(row: AgentRow): string {
  return tokenText({ field: "session", value: row.session });
}

export function LastRuns({ row }: { row: AgentRow }) {
  const goTo = useGoTo();
  const { page, rows } = useRuns(row);
  const q = queryOf(row);
  if (page.error !== null) return <FaultNote fault={page.error} onRetry={() => void page.refetch()} />;
  if (page.data === undefined) return <Skeleton rows={8} height={29} what={t("agents.tab.runs")} />;
  if (rows.length === 0) return <p className="pad-16 text-small ink-2">{t("agents.runs.none")}</p>;
  return (
    <>
      <ul className="pane-body scroll [&>li]:border-b [&>li]:border-line-1" aria-label={t("agents.tab.runs")}>
        {rows.map((run) => (
          <li key={run.trace}>
            <button
              type="button"
              className="flex items-center gap-3 w-full min-h-8 py-0.5 px-4 text-left text-ink-1 hover:bg-3"
              aria-description={t("agents.runs.open")}
              onClick={() => goTo(row.cwd, { to: "/history", search: { q, trace: run.trace } })}
            >
              <span className="mono dim text-small">{exactTime(run.at)}</span>
              <span className="mono medium trunc">{run.event}</span>
              <span className="mono text-small ink-2 trunc grow">{oneLine(summaryText(run.about), 120)}</span>
              <ResultBadge chain={run} />
              <span className="mono dim text-small right">{duration(run.took_ms)}</span>
            </button>
          </li>
        ))}
      </ul>
      <div className="flex-none py-2 px-4 border-t border-line-2">
        <Button icon={History} onClick={() => goTo(row.cwd, { to: "/history", search: { q } })}>
          {t("agents.runs.all")}
        </Button>
      </div>
    </>
  );
}
