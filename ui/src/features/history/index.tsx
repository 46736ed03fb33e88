/** History: the live list, and one trace in a drawer. */

import { type Ref, useRef } from "react";
import { DataTable, FaultNote, Page, Pane, Skeleton, type TableHandle, type Token, TokenInput } from "@/components";
import { useProject } from "@/domain/project";
import { RunningChains } from "@/domain/running/RunningChains";
import { EmptyHistory } from "@/domain/trace/EmptyHistory";
import { foldOf, steppedRows } from "@/domain/trace/foldRows";
import { LiveAnnouncer } from "@/domain/trace/LiveAnnouncer";
import { failedOpen } from "@/domain/trace/verdict";
import { t } from "@/i18n";
import { time } from "@/i18n/format";
import { useScreenActions, useStepping } from "@/lib/actions";
import { getRouteApi, useNavigate } from "@/routes/router";
import type { HistorySearch } from "@/routes/search";
import { Compare } from "./Compare";
import { dayGroups, useColumns } from "./columns";
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

const route = getRouteApi("/history");

type Change = (part: Partial<HistorySearch>) => void;

/** The list of the address: its filter, its rows, where it is paused, and which rows are chosen. */
function useHistory(project: string, search: HistorySearch, change: Change) {
  const table = useRef<TableHandle>(null);
  const filter = useFilter(search.q, project);
  const { since, until } = search;
  const range = rangeOf({ since, until });
  const params = paramsOf(project, filter, range);
  const key = JSON.stringify([params, search.q]);
  const { stopped, pausedAt, offset, pause, goLive, keepOffset } = usePlace(key);
  const list = useHistoryRows(params, project !== "" && filter.problem === null, pausedAt);
  const { rows, sort, onSort } = useSorted(list.rows, search.sort, (next) => change({ sort: next }));
  const fold = search.rows === "all" ? undefined : foldOf(rows);
  const stepped = steppedRows(rows, fold, search.trace);
  const at = stepped.findIndex((row) => row.trace === search.trace);
  const step = useStepping(stepped, at, ({ trace }) => {
    change({ trace, step: undefined });
    table.current?.focusRow(trace);
  });
  const catchUp = () => {
    goLive();
    table.current?.scrollToTop();
  };
  const paused = pausedAt !== null;
  const onToggle = () => (paused ? catchUp() : pause("stopped"));
  const onScroll = (to: number, atTop: boolean) => {
    keepOffset(to);
    if (!atTop) pause("away");
    else if (!stopped) goLive();
  };
  const onRange = (next: Range | null) => change({ since: next?.since, until: next?.until ?? undefined });
  const compare = comparisonOf(search, change);
  return {
    table,
    search,
    filter,
    range,
    params,
    key,
    offset,
    list,
    rows,
    fold,
    sort,
    onSort,
    step,
    catchUp,
    paused,
    onToggle,
    onScroll,
    onRange,
    compare,
  };
}

type History = ReturnType<typeof useHistory>;

export function HistoryScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const go = useNavigate();
  const project = useProject() ?? "";
  const input = useRef<HTMLInputElement>(null);
  const change: Change = (part) => void navigate({ search: (now) => ({ ...now, ...part }), replace: true });
  const history = useHistory(project, search, change);
  const { list, range, onRange, paused, compare } = history;
  const chosen = search.trace;
  const withChosen = (run: () => unknown) => (chosen === undefined ? null : run);
  useScreenActions({
    "filter.focus": () => input.current?.focus(),
    "live.toggle": history.onToggle,
    "trace.fire": withChosen(() => go({ to: "/fire", search: { trace: chosen } })),
    "trace.explain": withChosen(() => go({ to: "/history/explain", search: { trace: chosen } })),
    "trace.compare": withChosen(compare.setAnchor),
    // What lies over the list is closed first.
    "range.clear": range !== null && chosen === undefined ? () => onRange(null) : null,
  });
  return (
    <Page title={t("history.title")}>
      <div className="panes">
        <Pane label={t("history.list")}>
          <FilterHead
            history={history}
            project={project}
            inputRef={input}
            onQuery={(tokens) => change({ q: queryOf(tokens) })}
          />
          <HistoryToolbar
            project={history.params.project}
            since={history.filter.params.since}
            range={range}
            onRange={onRange}
            paused={paused}
            queued={list.queued}
            onToggle={history.onToggle}
            onCatchUp={history.catchUp}
            rows={search.rows}
            onRows={(rows) => change({ rows })}
          />
          <LiveAnnouncer key={history.key} rows={list.live} />
          <RunningChains wanted={(chain) => chain.project === project} />
          <HistoryList history={history} />
        </Pane>
        {chosen === undefined ? null : <Detail history={history} trace={chosen} onChange={change} />}
      </div>
    </Page>
  );
}

interface FilterHeadProps {
  history: History;
  project: string;
  inputRef: Ref<HTMLInputElement>;
  onQuery: (tokens: Token[]) => void;
}

/** The search, and how many events it found. */
function FilterHead({ history, project, inputRef, onQuery }: FilterHeadProps) {
  const suggest = useSuggestions(project);
  const { filter, range, onRange, list, sort } = history;
  return (
    <div className="pane-head strong-line h-bar px-4">
      <TokenInput
        label={t("history.filter")}
        placeholder={t("history.placeholder")}
        tokens={filter.shown}
        chip={range === null ? null : { ...rangeWords(range), onRemove: () => onRange(null) }}
        inputRef={inputRef}
        suggest={suggest}
        onChange={onQuery}
      />
      <ListCount list={list} isSorted={sort !== null} />
      {list.waiting > 0 ? (
        <span className="text-tiny dim nowrap" role="status">
          {t("history.waiting", { count: list.waiting })}
        </span>
      ) : null}
    </div>
  );
}

function HistoryList({ history }: { history: History }) {
  const { table, search, filter, range, offset, list, rows, fold, sort, onSort, onScroll, compare } = history;
  const { anchor, comparing, choose, compareWith } = compare;
  const columns = useColumns(comparing ? "few" : "all", sort, onSort);
  const dayOf = dayGroups();
  const nothing = rows.length === 0 && !list.loading && list.fault === null;
  if (list.fault) return <FaultNote fault={list.fault} onRetry={list.retry} />;
  if (list.loading) return <Skeleton rows={18} height={32} what={t("history.title")} />;
  if (nothing && search.q === undefined && range === null) return <EmptyHistory />;
  return (
    <DataTable
      ref={table}
      label={t("history.list")}
      className="[&_td]:pl-2 [&_td]:pr-1 [&_td:last-child]:pr-4 [&_th:first-child]:pl-4 [&_td:first-child]:pl-4"
      columns={columns}
      rows={rows}
      rowKey={(row) => row.trace}
      rowHeight={32}
      fold={fold}
      selected={search.trace ?? null}
      onSelect={choose}
      also={new Set(anchor === null ? [] : [anchor])}
      onSecond={compareWith}
      rowClass={(row) => (failedOpen(row) ? "failed-open" : "")}
      onNearEnd={list.more}
      groupOf={sort === null ? dayOf : undefined}
      initialOffset={offset}
      onScroll={onScroll}
      empty={
        <p className="empty text-small ink-2">
          {filter.problem ??
            t(list.complete ? "history.noMatch" : "history.noMatchYet", {
              query: [range && rangeWords(range).text, search.q].filter(Boolean).join(" "),
            })}
        </p>
      }
    />
  );
}

/** The chosen event, alone or beside another one. */
function Detail({ history, trace, onChange }: { history: History; trace: string; onChange: Change }) {
  const { search, step, compare } = history;
  const { anchor, comparing, setAnchor, leave } = compare;
  if (comparing) return <Compare traces={[comparing, trace]} onMove={step} onClose={leave} />;
  return (
    <TraceDrawer
      trace={trace}
      step={search.step ?? null}
      choosing={anchor !== null}
      onCompare={setAnchor}
      onReplayed={(replayed) => onChange({ trace: replayed, with: trace, step: undefined })}
      onStep={(to) => onChange({ step: to ?? undefined })}
      onMove={step}
      onClose={() => (anchor === null ? onChange({ trace: undefined, step: undefined }) : leave())}
    />
  );
}

/** A span of time as the filter shows it. */
function rangeWords({ since, until }: Range): { field: string; text: string } {
  return {
    field: t("history.range.field"),
    text: `${time(since)} – ${until === null ? t("history.range.now") : time(until)}`,
  };
}
