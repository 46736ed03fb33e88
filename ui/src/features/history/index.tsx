/** History: the live list, and one trace in a drawer. */
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Pause, Play } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import {
  Button,
  type Column,
  DataTable,
  DialectTag,
  FaultNote,
  MiniChain,
  Outcome,
  OutcomeBars,
  Pane,
  Skeleton,
  type TableHandle,
  TokenInput,
} from "@/components";
import { rowOutcome } from "@/features/trace/verdict";
import { useFormats } from "@/i18n/format";
import { type HistoryRow, useCall } from "@/ipc";
import { useKey } from "@/lib/keys";
import { useProject } from "@/lib/project";
import { visible } from "@/lib/visible";
import type { HistorySearch } from "@/routes/search";
import { Page } from "@/shell/Page";
import { FIELDS, type Field, parseFilter, queryOf, VALUES } from "./filter";
import { NothingYet } from "./NothingYet";
import { useHistoryRows } from "./rows";
import { TraceDrawer } from "./TraceDrawer";

export { ExplainScreen } from "./explain";

const route = getRouteApi("/history");
const HOUR_MS = 3_600_000;
const BUCKETS = 96;

export function HistoryScreen() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const go = useNavigate();
  const project = useProject() ?? "";
  const table = useRef<TableHandle>(null);
  const input = useRef<HTMLInputElement>(null);
  const [stopped, setStopped] = useState(false);
  const [away, setAway] = useState(false);
  const filter = useMemo(() => parseFilter(search.q), [search.q]);
  const list = useHistoryRows(project, filter, stopped || away);
  const change = useCallback(
    (part: Partial<HistorySearch>) => void navigate({ search: (now) => ({ ...now, ...part }), replace: true }),
    [navigate],
  );
  const at = list.rows.findIndex((row) => row.trace === search.trace);
  const step = (by: -1 | 1) => {
    const next = list.rows[Math.min(list.rows.length - 1, Math.max(0, at + by))];
    if (next === undefined) return;
    change({ trace: next.trace, step: undefined });
    table.current?.focusRow(next.trace);
  };
  const catchUp = () => {
    list.release();
    setStopped(false);
    setAway(false);
    table.current?.scrollToTop();
  };
  useKey(["J", "ArrowDown"], () => step(1));
  useKey(["K", "ArrowUp"], () => step(-1));
  useKey("/", () => input.current?.focus());
  useKey("Space", () => (stopped ? catchUp() : setStopped(true)));
  const chosen = search.trace;
  useKey(["F", "R"], () => void go({ to: "/fire", search: { trace: chosen } }), { enabled: chosen !== undefined });
  useKey("E", () => void go({ to: "/history/explain", search: { trace: chosen } }), { enabled: chosen !== undefined });

  const columns = useColumns();
  const bad = filter.problem === null ? null : filter.tokens[filter.problem];
  const tokens = filter.tokens.map((token, index) =>
    index === filter.problem ? { ...token, problem: t("history.badToken", { fields: FIELDS.join(t("list")) }) } : token,
  );
  const nothing = list.rows.length === 0 && !list.loading && list.fault === null;
  return (
    <Page title={t("history.title")}>
      <div className="panes">
        <Pane label={t("history.list")}>
          <div className="ph l2 hist-filter">
            <TokenInput
              label={t("history.filter")}
              placeholder={t("history.placeholder")}
              tokens={tokens}
              inputRef={input}
              suggest={suggest}
              onChange={(next) => change({ q: queryOf(next) })}
            />
            <span className="xs dim nowrap">
              {t("history.count", { count: list.rows.length, more: list.complete ? "" : "+" })}
            </span>
          </div>
          <Strip
            project={project}
            stopped={stopped || away}
            held={list.held}
            onToggle={() => (stopped || away ? catchUp() : setStopped(true))}
            onCatchUp={catchUp}
          />
          <Announce rows={list.rows} />
          {list.fault ? (
            <FaultNote fault={list.fault} onRetry={list.retry} />
          ) : list.loading ? (
            <Skeleton rows={18} height={29} what={t("history.title")} />
          ) : nothing && search.q === undefined ? (
            <NothingYet />
          ) : (
            <DataTable
              ref={table}
              label={t("history.list")}
              className="hist"
              columns={columns}
              rows={list.rows}
              rowKey={(row) => row.trace}
              rowHeight={29}
              selected={search.trace ?? null}
              onSelect={(row) => change({ trace: row.trace, step: undefined })}
              onOpen={(row) => change({ trace: row.trace, step: undefined })}
              rowClass={(row) => rowTint(row)}
              onNearEnd={list.more}
              onScrollTop={(top) => {
                if (top && away && !stopped) catchUp();
                else setAway(!top);
              }}
              empty={
                <p className="empty sm ink2">
                  {bad
                    ? t("history.cannotFilter", { token: bad.field ?? bad.value })
                    : t("history.noMatch", { query: search.q ?? "" })}
                </p>
              }
            />
          )}
        </Pane>
        {search.trace ? (
          <TraceDrawer
            trace={search.trace}
            step={search.step ?? null}
            onStep={(step) => change({ step })}
            onMove={step}
            onClose={() => change({ trace: undefined, step: undefined })}
          />
        ) : null}
      </div>
    </Page>
  );
}

function rowTint(row: HistoryRow): string {
  const kind = rowOutcome(row);
  return kind === "failed_open" || kind === "timed_out_open" ? "let-go" : "";
}

function suggest(text: string): readonly string[] {
  const [field, value] = text.split(":");
  if (value === undefined) return FIELDS.filter((one) => one.startsWith(text)).map((one) => `${one}:`);
  return (VALUES[field as Field] ?? []).filter((one) => one.startsWith(value)).map((one) => `${field}:${one}`);
}

function useColumns(): Column<HistoryRow>[] {
  const { t } = useTranslation();
  const { time, duration } = useFormats();
  return useMemo(
    () => [
      {
        id: "time",
        head: t("history.column.time"),
        width: "84px",
        cell: (row) => <span className="mono ink2">{time(row.at)}</span>,
      },
      {
        id: "event",
        head: t("history.column.event"),
        width: "196px",
        cell: (row) => (
          <span className="row event-cell">
            <DialectTag dialect={row.dialect} />
            <span className="mono trunc">{row.event}</span>
          </span>
        ),
      },
      {
        id: "what",
        head: t("history.column.what"),
        wide: true,
        cell: (row) => <span className="mono ink2 trunc">{visible(row.about)}</span>,
      },
      {
        id: "chain",
        head: t("history.column.chain"),
        width: "104px",
        cell: (row) => (
          <MiniChain
            pitch={15}
            limit={6}
            steps={row.outcomes.map((outcome, index) => ({ outcome, reason: row.reasons[index] ?? null }))}
          />
        ),
      },
      {
        id: "result",
        head: t("history.column.result"),
        width: "140px",
        cell: (row) => <Outcome kind={rowOutcome(row)} />,
      },
      {
        id: "took",
        head: t("history.column.took"),
        width: "72px",
        align: "right",
        cell: (row) => <span className="mono ink2">{duration(row.took_ms)}</span>,
      },
    ],
    [t, time, duration],
  );
}

interface StripProps {
  project: string;
  stopped: boolean;
  held: number;
  onToggle: () => void;
  onCatchUp: () => void;
}

/** The last hour, and whether new rows come in. */
function Strip({ project, stopped, held, onToggle, onCatchUp }: StripProps) {
  const { t } = useTranslation();
  const bars = useCall(
    "history.bars",
    { project, since_ms: HOUR_MS, buckets: BUCKETS },
    { enabled: project !== "", keep: true },
  );
  const buckets = bars.data?.buckets ?? [];
  const steps = buckets.reduce(
    (sum, bar) => sum + Object.values(bar.outcomes).reduce<number>((a, b) => a + (b ?? 0), 0),
    0,
  );
  return (
    <div className="row hist-strip">
      <div className="wide">
        <OutcomeBars bars={buckets} height={32} all summary={t("history.bars", { count: steps })} />
      </div>
      <span className="xs dim nowrap wide">{t("history.lastHour")}</span>
      <span className="sp" />
      <Button size="small" icon={stopped ? Play : Pause} chord="Space" aria-pressed={stopped} onClick={onToggle}>
        {stopped ? t("history.paused") : t("history.live")}
      </Button>
      {held > 0 ? (
        <button type="button" className="chip acc" onClick={onCatchUp}>
          <b>{t("history.fresh", { count: held })}</b>
        </button>
      ) : null}
    </div>
  );
}

const SAY_EVERY_MS = 5000;

/** Tells a screen reader what came in, at most every 5 s; a guard that let go at once. */
function Announce({ rows }: { rows: readonly HistoryRow[] }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [alarm, setAlarm] = useState("");
  const last = useRef<string | null>(null);
  const said = useRef(0);
  useEffect(() => {
    const newest = rows[0]?.trace ?? null;
    const before = last.current;
    if (before === null || newest === null) {
      last.current = newest;
      return;
    }
    const fresh = rows.filter((row) => row.trace > before);
    if (fresh.length === 0) return;
    const open = fresh.filter((row) => rowTint(row) !== "").length;
    if (open > 0) setAlarm(t("history.sayOpen", { count: open }));
    if (Date.now() - said.current < SAY_EVERY_MS) return;
    said.current = Date.now();
    last.current = newest;
    setText(t("history.sayNew", { count: fresh.length }));
  }, [rows, t]);
  return (
    <>
      <span className="sr" role="status">
        {text}
      </span>
      <span className="sr" role="alert">
        {alarm}
      </span>
    </>
  );
}
