/** History: the live list, and one trace in a drawer. */

import { useCallback, useMemo, useRef } from "react";
import { DataTable, FaultNote, Page, Pane, Skeleton, type TableHandle, TokenInput } from "@/components";
import { useProject } from "@/domain/project";
import { RunningChains } from "@/domain/running/RunningChains";
import { EmptyHistory } from "@/domain/trace/EmptyHistory";
import { LiveAnnouncer } from "@/domain/trace/LiveAnnouncer";
import { failedOpen } from "@/domain/trace/verdict";
import { useTranslation } from "@/i18n";
import { useFormats } from "@/i18n/format";
import { itemAfter, useRowActions, useScreenActions } from "@/lib/actions";
import { getRouteApi, useNavigate } from "@/routes/router";
import type { HistorySearch } from "@/routes/search";
import { Compare } from "./Compare";
import { useColumns, useDayGroups } from "./columns";
import { comparisonOf } from "./comparison";
import { queryOf } from "./filter";
import { useSuggestions } from "./filterNames";
import { HistoryToolbar } from "./HistoryToolbar";
import { ListCount } from "./ListCount";
import { usePlace } from "./place";
import { type Range, rangeOf } from "./range";
import { paramsOf, useHistoryRows } from "./rows";
import { useSorted } from "./sorted";
import { TraceDrawer } from "./TraceDrawer";
import { useFilter } from "./useFilter";
import "./history.css";

const route = getRouteApi("/history");

export function HistoryScreen() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const go = useNavigate();
  const project = useProject() ?? "";
  const table = useRef<TableHandle>(null);
  const input = useRef<HTMLInputElement>(null);
  const filter = useFilter(search.q, project);
  const change = useCallback(
    (part: Partial<HistorySearch>) => void navigate({ search: (now) => ({ ...now, ...part }), replace: true }),
    [navigate],
  );
  const { since, until } = search;
  const range = useMemo(() => rangeOf({ since, until }), [since, until]);
  const params = useMemo(() => paramsOf(project, filter, range), [project, filter, range]);
  const { place, pause, goLive, keepOffset } = usePlace(JSON.stringify([params, search.q]));
  const list = useHistoryRows(params, filter.refine, project !== "" && filter.problem === null, place.pausedAt);
  const { rows, sort, onSort } = useSorted(list.rows, search.sort, (next) => change({ sort: next }));
  const paused = place.pausedAt !== null;
  const at = rows.findIndex((row) => row.trace === search.trace);
  const step = (by: -1 | 1) => {
    const next = itemAfter(rows, at, by);
    if (next === undefined) return;
    change({ trace: next.trace, step: undefined });
    table.current?.focusRow(next.trace);
  };
  const catchUp = () => {
    goLive();
    table.current?.scrollToTop();
  };
  const chosen = search.trace;

  const words = useRangeWords();
  const suggest = useSuggestions(project);
  const onRange = (next: Range | null) => change({ since: next?.since, until: next?.until ?? undefined });
  const { anchor, comparing, choose, compareWith, setAnchor, leave } = comparisonOf(search, change);
  useRowActions(step);
  const withChosen = (run: () => unknown) => (chosen === undefined ? null : run);
  useScreenActions({
    "filter.focus": () => input.current?.focus(),
    "live.toggle": () => (paused ? catchUp() : pause("stopped")),
    "trace.fire": withChosen(() => go({ to: "/fire", search: { trace: chosen } })),
    "trace.explain": withChosen(() => go({ to: "/history/explain", search: { trace: chosen } })),
    "trace.compare": withChosen(setAnchor),
    // What lies over the list is closed first.
    "range.clear": range !== null && chosen === undefined ? () => onRange(null) : null,
  });

  const columns = useColumns(comparing ? "few" : "all", sort, onSort);
  const dayOf = useDayGroups();
  const nothing = rows.length === 0 && !list.loading && list.fault === null;
  return (
    <Page title={t("history.title")}>
      <div className="panes">
        <Pane label={t("history.list")}>
          <div className="pane-head strong-line history-filter">
            <TokenInput
              label={t("history.filter")}
              placeholder={t("history.placeholder")}
              tokens={filter.shown}
              chip={range === null ? null : { ...words(range), onRemove: () => onRange(null) }}
              inputRef={input}
              suggest={suggest}
              onChange={(next) => change({ q: queryOf(next) })}
            />
            <ListCount
              list={list}
              isSearch={filter.refine !== null && filter.problem === null}
              isSorted={sort !== null}
            />
            {list.waiting > 0 ? (
              <span className="text-tiny dim nowrap" role="status">
                {t("history.waiting", { count: list.waiting })}
              </span>
            ) : null}
          </div>
          <HistoryToolbar
            project={project}
            since={filter.params.since}
            range={range}
            onRange={onRange}
            paused={paused}
            queued={list.queued}
            onToggle={() => (paused ? catchUp() : pause("stopped"))}
            onCatchUp={catchUp}
          />
          <LiveAnnouncer key={place.key} rows={list.live} />
          <RunningChains wanted={(chain) => chain.project === project} />
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
              className="history-table"
              columns={columns}
              rows={rows}
              rowKey={(row) => row.trace}
              rowHeight={29}
              selected={search.trace ?? null}
              onSelect={choose}
              second={anchor}
              onSecond={compareWith}
              rowClass={(row) => (failedOpen(row) ? "failed-open" : "")}
              onNearEnd={list.more}
              groupOf={sort === null ? dayOf : undefined}
              initialOffset={place.offset}
              onScroll={(offset, atTop) => {
                keepOffset(offset);
                if (!atTop) pause("away");
                else if (!place.stopped) goLive();
              }}
              empty={
                <p className="empty text-small ink-2">
                  {filter.problem ??
                    t(list.complete ? "history.noMatch" : "history.noMatchYet", {
                      query: [range && words(range).text, search.q].filter(Boolean).join(" "),
                    })}
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
            onReplayed={(replayed) => change({ trace: replayed, with: search.trace, step: undefined })}
            onStep={(step) => change({ step })}
            onMove={step}
            onClose={() => (anchor === null ? change({ trace: undefined, step: undefined }) : leave())}
          />
        )}
      </div>
    </Page>
  );
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
