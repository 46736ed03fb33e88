/** The latest events, in the rows of History. */
import { useMemo, useRef, useState } from "react";
import { type Column, DataTable, FaultNote, Segmented, Skeleton, type TableHandle, Tooltip } from "@/components";
import { foldOf, steppedRows } from "@/domain/trace/foldRows";
import { LiveAnnouncer } from "@/domain/trace/LiveAnnouncer";
import { mergeRows } from "@/domain/trace/mergeRows";
import { useRowColumns } from "@/domain/trace/rowColumns";
import { failedOpen, rowOutcome } from "@/domain/trace/verdict";
import { t } from "@/i18n";
import { time } from "@/i18n/format";
import { type HistoryRow, useCall } from "@/ipc";
import { useStepping } from "@/lib/actions";
import { useMedia } from "@/lib/media";
import { useLiveRows } from "@/live/rows";
import { Link, useNavigate } from "@/routes/router";

export const MOST_ROWS = 50;
/** Rows of another project could have pushed this one's out of the ring of live rows. */
const READ_AGAIN_MS = 30_000;

/** Widths of the overview, which is narrower than History. */
const WIDTHS: Record<string, string | undefined> = { time: "88px", event: "192px", result: "140px", chain: "100px" };

/** Below 1120 px the time is in the tooltip of the event. */
function useOwnColumns(): Column<HistoryRow>[] {
  const all = useRowColumns();
  const isNarrow = useMedia("(max-width: 1119px)");
  return all.flatMap((column) => {
    if (column.id === "time" && isNarrow) return [];
    const width = WIDTHS[column.id] ?? column.width;
    if (column.id !== "event" || !isNarrow) return [{ ...column, width }];
    const cell = (row: HistoryRow) => (
      <Tooltip text={time(row.at)}>
        <span>{column.cell(row)}</span>
      </Tooltip>
    );
    return [{ ...column, width, cell }];
  });
}

/** The newest rows; those of the moment in which it was paused while it is. */
function useRecent(project: string, paused: boolean) {
  const page = useCall(
    "history.page",
    { project, limit: MOST_ROWS },
    { refetchOnMount: true, keepPrevious: true, everyMs: READ_AGAIN_MS },
  );
  const feed = useLiveRows();
  const traces = page.data?.traces;
  const rows = useMemo(() => {
    const own = feed.rows.filter((row) => row.project === project || row.project === null).slice(0, MOST_ROWS);
    return mergeRows(own, traces ?? [], false).slice(0, MOST_ROWS);
  }, [feed, traces, project]);
  const [held, hold] = useState<readonly HistoryRow[] | null>(null);
  if (paused !== (held !== null)) hold(paused ? rows : null);
  return { page, rows: held ?? rows };
}

const VIEWS = ["hook", "decided", "all"] as const;
type View = (typeof VIEWS)[number];
/** What a chain comes to where no hook decided anything. */
const UNDECIDED: ReadonlySet<string> = new Set(["no_opinion", "not_matched", "skipped", "detached"]);

interface RecentProps {
  project: string;
  paused: boolean;
  view: View;
  onView: (view: View) => void;
}

export function Recent({ project, paused, view, onView }: RecentProps) {
  const navigate = useNavigate();
  const table = useRef<TableHandle>(null);
  const [selected, setSelected] = useState<string | null>(null);
  const columns = useOwnColumns();
  const { page, rows: recent } = useRecent(project, paused);
  const rows = view === "decided" ? recent.filter((row) => !UNDECIDED.has(rowOutcome(row))) : recent;
  const fold = view === "hook" ? foldOf(rows) : undefined;
  const open = (row: HistoryRow) => navigate({ to: "/history", search: { trace: row.trace } });
  const stepped = steppedRows(rows, fold, selected);
  const at = stepped.findIndex((row) => row.trace === selected);
  useStepping(stepped, at, ({ trace }) => {
    setSelected(trace);
    table.current?.focusRow(trace);
  });
  return (
    <>
      <div className="pane-head px-4">
        <h2>{t("overview.recent.title")}</h2>
        <span className="spacer" />
        <Segmented<View>
          label={t("overview.recent.rows")}
          value={view}
          onChange={onView}
          items={VIEWS.map((value) => ({ value, label: t(`history.rows.${value}`) }))}
        />
        <Link to="/history" className="link text-tiny">
          {t("overview.recent.all")}
        </Link>
      </div>
      {recent.length > 0 ? (
        <>
          {paused ? null : <LiveAnnouncer rows={rows} />}
          <DataTable
            ref={table}
            label={t("overview.recent.title")}
            className="[&_thead]:absolute [&_thead]:w-px [&_thead]:h-px [&_thead]:overflow-hidden [&_thead]:[clip-path:inset(50%)] [&_tr]:cursor-pointer"
            columns={columns}
            rows={rows}
            rowKey={(row) => row.trace}
            rowHeight={32}
            fold={fold}
            empty={<p className="empty text-small ink-2">{t("overview.recent.noneDecided")}</p>}
            selected={selected}
            onSelect={(row, by) => (by === "pointer" ? open(row) : setSelected(row.trace))}
            onOpen={open}
            rowClass={(row) => (failedOpen(row) ? "failed-open" : "")}
          />
        </>
      ) : page.error !== null ? (
        <FaultNote fault={page.error} onRetry={() => void page.refetch()} />
      ) : page.data === undefined ? (
        <Skeleton rows={10} height={32} what={t("overview.recent.title")} />
      ) : null}
    </>
  );
}
