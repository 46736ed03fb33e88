import { useState } from "react";
import { type Column, DataTable, FaultNote, MiniChain, Skeleton } from "@/components";
import { eventOf, idAt } from "@/domain/hooks/facts";
import { rowSteps } from "@/domain/trace/runOrder";
import { rowsOf, useFollowed } from "@/domain/trace/useFollowed";
import { t } from "@/i18n";
import { duration, time } from "@/i18n/format";
import { type HistoryRow, type HookRow, useCall } from "@/ipc";
import { Link, useNavigate } from "@/routes/router";

const SHOWN = 50;

/** The last chains that this hook was part of. */
export function RunsTab({ hook, project }: { hook: HookRow; project: string }) {
  const navigate = useNavigate();
  const [selected, setSelected] = useState<string | null>(null);
  const page = useCall(
    "history.page",
    { project, ...(hook.uid === "" ? { hook: idAt(hook, eventOf(hook)) } : { uid: hook.uid }), limit: SHOWN },
    { refetchOnMount: true },
  );
  useFollowed(rowsOf(project, hook.dialect, eventOf(hook)), page.refetch);
  const columns: Column<HistoryRow>[] = [
    {
      id: "time",
      head: t("hooks.runs.time"),
      width: "112px",
      cell: (row) => <span className="mono text-tiny">{time(row.at)}</span>,
    },
    {
      id: "chain",
      head: t("hooks.runs.chain"),
      cell: (row) => <MiniChain steps={rowSteps(row)} />,
    },
    {
      id: "took",
      head: t("hooks.runs.took"),
      width: "72px",
      align: "right",
      cell: (row) => <span className="mono text-tiny ink-2">{duration(row.took_ms)}</span>,
    },
  ];
  if (page.error !== null) return <FaultNote fault={page.error} onRetry={() => void page.refetch()} />;
  if (page.data === undefined) return <Skeleton rows={8} height={32} what={t("hooks.drawer.runs")} />;
  const open = (row: HistoryRow) => void navigate({ to: "/history", search: { trace: row.trace } });
  return (
    <>
      <DataTable
        label={t("hooks.drawer.runs")}
        className="[&_td]:pl-2 [&_td]:pr-1 [&_td:last-child]:pr-4 [&_th:first-child]:pl-4 [&_td:first-child]:pl-4"
        columns={columns}
        rows={page.data.traces}
        rowKey={(row) => row.trace}
        rowHeight={32}
        selected={selected}
        onSelect={(row) => {
          if (selected === row.trace) open(row);
          else setSelected(row.trace);
        }}
        onOpen={open}
        empty={<p className="empty text-small ink-2">{t("hooks.drawer.neverRan")}</p>}
      />
      {page.data.traces.length > 0 ? (
        <div className="section">
          <Link className="link text-tiny" to="/history" search={{ q: `hook:${hook.hook}` }}>
            {t("hooks.drawer.allRuns")}
          </Link>
        </div>
      ) : null}
    </>
  );
}
