/** History: the live list, and one trace in a drawer. */
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { DataTable, FaultNote, Pane, Skeleton, type TableHandle, TokenInput } from "@/components";
import { Page } from "@/components/Page";
import { useProject } from "@/domain/project";
import { useFormats } from "@/i18n/format";
import { useKey } from "@/lib/keys";
import type { HistorySearch } from "@/routes/search";
import { Compare } from "./Compare";
import { useColumns } from "./columns";
import { comparisonOf } from "./comparison";
import { EmptyHistory } from "./EmptyHistory";
import { FIELDS, type Field, parseFilter, queryOf, VALUES } from "./filter";
import { HistoryToolbar } from "./HistoryToolbar";
import { LiveAnnouncer } from "./LiveAnnouncer";
import { type Range, rangeOf } from "./range";
import { failedOpen, useHistoryRows } from "./rows";
import { TraceDrawer } from "./TraceDrawer";

export { ExplainScreen } from "@/features/explain";

const route = getRouteApi("/history");

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
  const { since, until } = search;
  const range = useMemo(() => rangeOf({ since, until }), [since, until]);
  const list = useHistoryRows(project, filter, range, stopped || away);
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

  const words = useRangeWords();
  const onRange = (next: Range | null) => change({ since: next?.since, until: next?.until ?? undefined });
  const { anchor, comparing, choose, compareWith, setAnchor, leave } = comparisonOf(search, change);
  useKey("C", setAnchor, { enabled: chosen !== undefined });
  // What lies over the list is closed first.
  useKey("Esc", () => (chosen === undefined ? onRange(null) : false), { enabled: range !== null });

  const columns = useColumns(comparing ? "few" : "all");
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
              chip={range === null ? null : { ...words(range), onRemove: () => onRange(null) }}
              inputRef={input}
              suggest={suggest}
              onChange={(next) => change({ q: queryOf(next) })}
            />
            <span className="xs dim nowrap">
              {t("history.count", { count: list.rows.length, more: list.complete ? "" : "+" })}
            </span>
            {list.waiting > 0 ? (
              <span className="xs dim nowrap" role="status">
                {t("history.waiting", { count: list.waiting })}
              </span>
            ) : null}
          </div>
          <HistoryToolbar
            project={project}
            range={range}
            onRange={onRange}
            stopped={stopped || away}
            queued={list.queued}
            onToggle={() => (stopped || away ? catchUp() : setStopped(true))}
            onCatchUp={catchUp}
          />
          <LiveAnnouncer rows={list.rows} />
          {list.fault ? (
            <FaultNote fault={list.fault} onRetry={list.retry} />
          ) : list.loading ? (
            <Skeleton rows={18} height={29} what={t("history.title")} />
          ) : nothing && search.q === undefined && range === null ? (
            <EmptyHistory />
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
              onSelect={choose}
              second={anchor}
              onSecond={compareWith}
              rowClass={(row) => (failedOpen(row) ? "let-go" : "")}
              onNearEnd={list.more}
              onScrollTop={(top) => {
                if (top && away && !stopped) catchUp();
                else setAway(!top);
              }}
              empty={
                <p className="empty sm ink2">
                  {bad
                    ? t("history.cannotFilter", { token: bad.field ?? bad.value })
                    : t("history.noMatch", { query: [range && words(range).text, search.q].filter(Boolean).join(" ") })}
                </p>
              }
            />
          )}
        </Pane>
        {search.trace === undefined ? null : comparing ? (
          <Compare traces={[comparing, search.trace]} onMove={step} onClose={leave} />
        ) : (
          <TraceDrawer
            trace={search.trace}
            step={search.step ?? null}
            choosing={anchor !== null}
            onCompare={setAnchor}
            onStep={(step) => change({ step })}
            onMove={step}
            onClose={() => (anchor === null ? change({ trace: undefined, step: undefined }) : leave())}
          />
        )}
      </div>
    </Page>
  );
}

function suggest(text: string): readonly string[] {
  const [field, value] = text.split(":");
  if (value === undefined) return FIELDS.filter((one) => one.startsWith(text)).map((one) => `${one}:`);
  return (VALUES[field as Field] ?? []).filter((one) => one.startsWith(value)).map((one) => `${field}:${one}`);
}

/** A span of time as the filter shows it. */
function useRangeWords(): (range: Range) => { field: string; text: string } {
  const { t } = useTranslation();
  const { time } = useFormats();
  return ({ since, until }) => ({
    field: t("history.range.field"),
    text: `${time(since)} – ${until === null ? t("history.range.now") : time(until)}`,
  });
}
