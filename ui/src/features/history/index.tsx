/** History: the live list, and one trace in a drawer. */
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import {
  DataTable,
  FaultNote,
  Page,
  Pane,
  Skeleton,
  type Suggestion,
  type TableHandle,
  TokenInput,
} from "@/components";
import { useProject } from "@/domain/project";
import { useFormats } from "@/i18n/format";
import { itemAfter, useRowActions, useScreenActions } from "@/lib/actions";
import { liveRows } from "@/live/rows";
import type { HistorySearch } from "@/routes/search";
import { Compare } from "./Compare";
import { useColumns, useDayGroups } from "./columns";
import { comparisonOf } from "./comparison";
import { EmptyHistory } from "./EmptyHistory";
import { FIELDS, OUTCOMES, parseFilter, queryOf, VERDICTS } from "./filter";
import { HistoryToolbar } from "./HistoryToolbar";
import { LiveAnnouncer } from "./LiveAnnouncer";
import { keepPlace, type ListPlace, placeIn } from "./place";
import { type Range, rangeOf } from "./range";
import { failedOpen, paramsOf, useHistoryRows } from "./rows";
import { TraceDrawer } from "./TraceDrawer";
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
  const filter = useMemo(() => parseFilter(search.q), [search.q]);
  const { since, until } = search;
  const range = useMemo(() => rangeOf({ since, until }), [since, until]);
  const params = useMemo(() => paramsOf(project, filter, range), [project, filter, range]);
  const { place, pause, goLive, keepOffset } = usePlace(JSON.stringify(params));
  const list = useHistoryRows(params, project !== "" && filter.problem === null, place.pausedAt);
  const change = useCallback(
    (part: Partial<HistorySearch>) => void navigate({ search: (now) => ({ ...now, ...part }), replace: true }),
    [navigate],
  );
  const paused = place.pausedAt !== null;
  const at = list.rows.findIndex((row) => row.trace === search.trace);
  const step = (by: -1 | 1) => {
    const next = itemAfter(list.rows, at, by);
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
  const suggest = useSuggestions();
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

  const columns = useColumns(comparing ? "few" : "all");
  const groupOf = useDayGroups();
  const bad = filter.problem === null ? null : filter.tokens[filter.problem];
  const tokens = filter.tokens.map((token, index) =>
    index === filter.problem ? { ...token, problem: t("history.badToken", { fields: FIELDS.join(t("list")) }) } : token,
  );
  const nothing = list.rows.length === 0 && !list.loading && list.fault === null;
  return (
    <Page title={t("history.title")}>
      <div className="panes">
        <Pane label={t("history.list")}>
          <div className="pane-head strong-line history-filter">
            <TokenInput
              label={t("history.filter")}
              placeholder={t("history.placeholder")}
              tokens={tokens}
              chip={range === null ? null : { ...words(range), onRemove: () => onRange(null) }}
              inputRef={input}
              suggest={suggest}
              onChange={(next) => change({ q: queryOf(next) })}
            />
            <span className="text-tiny dim nowrap">
              {t("history.count", { count: list.rows.length, more: list.complete ? "" : "+" })}
            </span>
            {list.waiting > 0 ? (
              <span className="text-tiny dim nowrap" role="status">
                {t("history.waiting", { count: list.waiting })}
              </span>
            ) : null}
          </div>
          <HistoryToolbar
            project={project}
            range={range}
            onRange={onRange}
            paused={paused}
            queued={list.queued}
            onToggle={() => (paused ? catchUp() : pause("stopped"))}
            onCatchUp={catchUp}
          />
          <LiveAnnouncer key={place.key} rows={list.live} />
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
              rows={list.rows}
              rowKey={(row) => row.trace}
              rowHeight={29}
              selected={search.trace ?? null}
              onSelect={choose}
              second={anchor}
              onSecond={compareWith}
              rowClass={(row) => (failedOpen(row) ? "failed-open" : "")}
              onNearEnd={list.more}
              groupOf={groupOf}
              initialOffset={place.offset}
              onScroll={(offset, atTop) => {
                keepOffset(offset);
                if (!atTop) pause("away");
                else if (!place.stopped) goLive();
              }}
              empty={
                <p className="empty text-small ink-2">
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

/** The place in the list: kept while the screen is away, begun anew for another list. */
function usePlace(key: string) {
  const [, setDrawn] = useState<ListPlace | null>(null);
  const place = placeIn(key);
  const change = (part: Partial<ListPlace>) => {
    const next = { ...placeIn(key), ...part };
    keepPlace(next);
    setDrawn(next);
  };
  return {
    place,
    pause: (why: "stopped" | "away") => {
      const stopped = place.stopped || why === "stopped";
      if (place.pausedAt === null || stopped !== place.stopped) {
        change({ stopped, pausedAt: place.pausedAt ?? liveRows().total });
      }
    },
    goLive: () => {
      if (place.pausedAt !== null) change({ stopped: false, pausedAt: null });
    },
    /** Does not draw the screen again. */
    keepOffset: (offset: number) => keepPlace({ ...placeIn(key), offset }),
  };
}

/** What could be typed next, with what it means. */
function useSuggestions(): (text: string) => readonly Suggestion[] {
  const { t } = useTranslation();
  return useCallback(
    (text) => {
      const [field, value] = text.split(":");
      if (value === undefined) {
        const fields = FIELDS.filter((one) => one.startsWith(text));
        return fields.map((one) => ({ text: `${one}:`, about: t(`history.field.${one}`) }));
      }
      const wanted = value.replace(/-/g, "_").toLowerCase();
      if (field === "outcome") {
        const found = OUTCOMES.filter((one) => one.startsWith(wanted));
        return found.map((one) => ({ text: `outcome:${one}`, about: t(`words.outcome.${one}`) }));
      }
      if (field === "verdict") {
        const found = VERDICTS.filter((one) => one.startsWith(wanted));
        return found.map((one) => ({ text: `verdict:${one}`, about: t(`words.verdict.${one}`) }));
      }
      return [];
    },
    [t],
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
