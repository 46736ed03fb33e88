/** Metrics: what hooks did and how long they took, over time and by hook. */
import { Zap } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { Button, DataTable, Empty, FaultNote, Page, Pane, Skeleton, type TableHandle } from "@/components";
import { useProject } from "@/domain/project";
import { t } from "@/i18n";
import { count, time } from "@/i18n/format";
import { type HookStats, type Reply, useCall } from "@/ipc";
import { useScreenActions, useStepping } from "@/lib/actions";
import { oneLine } from "@/lib/escape";
import { getRouteApi, useNavigate } from "@/routes/router";
import type { MetricsSearch, MetricsSort } from "@/routes/search";
import { Charts } from "./Charts";
import { useColumns } from "./columns";
import { Filters } from "./Filters";
import { HookFacts } from "./HookFacts";
import { DEFAULT_RANGE, keptDays, RANGES, refreshMs, unitOf } from "./range";
import { type HookOf, letGo, metricsKey, sortRows } from "./rows";
import { Tools } from "./Tools";
import { Verdict } from "./Verdict";

const route = getRouteApi("/metrics");
const NO_ROWS: readonly HookStats[] = [];

/** The parameters of the figures of an address, without the chosen hook. */
function paramsOf(search: MetricsSearch, project: string | null) {
  return {
    since_ms: RANGES[search.range ?? DEFAULT_RANGE],
    series: true,
    ...(search.compare === "none" ? {} : { compare: true }),
    ...(project === null || search.projects === "all" ? {} : { project }),
    ...(search.agent === undefined ? {} : { agent: search.agent }),
    ...(search.session === undefined ? {} : { session: search.session }),
  };
}

export function MetricsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const project = useProject();
  const range = search.range ?? DEFAULT_RANGE;
  const change = (part: Partial<MetricsSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...part }), replace: true });
  const params = paramsOf(search, project);
  const asked = { keepPrevious: true, everyMs: refreshMs(range) };
  const all = useCall("stats", params, asked);
  const chosen = all.data?.hooks.find((row) => metricsKey(row) === search.row);
  const one = useCall("stats", { ...params, hook: chosen?.hook ?? "" }, { ...asked, enabled: chosen !== undefined });
  const isCompared = search.compare !== "none";
  const { compare: _, ...plain } = params;
  const before = useCall(
    "stats",
    {
      ...plain,
      since_ms: 2 * params.since_ms,
      until_ms: params.since_ms,
      ...(chosen === undefined ? {} : { hook: chosen.hook }),
    },
    { ...asked, enabled: isCompared && all.data !== undefined },
  );
  const series = (chosen === undefined ? all.data : (one.data ?? all.data))?.series;
  return (
    <Page
      title={t("metrics.title")}
      actions={<Filters search={search} series={all.data?.series} hasProject={project !== null} onChange={change} />}
    >
      {all.error !== null && all.data === undefined ? (
        <FaultNote fault={all.error} onRetry={() => void all.refetch()} />
      ) : all.data === undefined ? (
        <Skeleton rows={12} height={32} what={t("metrics.title")} />
      ) : all.data.hooks.length === 0 ? (
        <NoFigures search={search} doc={all.data} onChange={change} />
      ) : (
        <Figures
          doc={all.data}
          search={search}
          chosen={chosen}
          charts={
            series === undefined ? null : (
              <Charts
                series={series}
                before={isCompared ? before.data?.series : undefined}
                range={range}
                hook={chosen === undefined || one.data === undefined ? null : oneLine(chosen.label, 32)}
                tables={search.as === "tables"}
                onTables={() => change({ as: search.as === undefined ? "tables" : undefined })}
              />
            )
          }
          onChange={change}
        />
      )}
    </Page>
  );
}

interface FiguresProps {
  doc: Reply<"stats">;
  search: MetricsSearch;
  chosen: HookStats | undefined;
  charts: ReactNode;
  onChange: (part: Partial<MetricsSearch>) => void;
}

function Figures({ doc, search, chosen, charts, onChange }: FiguresProps) {
  const table = useRef<TableHandle>(null);
  const hookOf = useHookOf();
  const range = search.range ?? DEFAULT_RANGE;
  const { unit, count } = unitOf(range);
  const sort = search.sort ?? "change";
  const rows = sortRows(doc.hooks, sort);
  const onSort = (next: MetricsSort) => onChange({ sort: next === "change" ? undefined : next });
  const columns = useColumns({
    rows,
    projects: search.projects === "all",
    sort,
    onSort,
    compared: search.compare !== "none",
    beside: chosen !== undefined,
    range: t(`metrics.range.${unit}`, { count }),
  });
  const select = (row: HookStats) => onChange({ row: metricsKey(row) });
  const move = useStepping(rows, chosen === undefined ? -1 : rows.indexOf(chosen), (row) => {
    select(row);
    table.current?.focusRow(metricsKey(row));
  });
  useScreenActions({ "chart.table": () => onChange({ as: search.as === undefined ? "tables" : undefined }) });
  return (
    <div className="panes">
      <Pane label={t("metrics.title")} className="min-h-0">
        <Verdict rows={doc.hooks} hookOf={hookOf} since={doc.since} />
        <Notes doc={doc} search={search} />
        {charts}
        <div className="pane-head px-4 [&>h3]:text-md/4 [&>h3]:font-strong [&>h3]:text-ink-1 flex-none">
          <h3 className="medium">{t("metrics.byHook")}</h3>
          <Waiting doc={doc} />
          <span className="spacer" />
          <Legend isCompared={search.compare !== "none"} />
        </div>
        <DataTable
          ref={table}
          label={t("metrics.byHook")}
          className="[&_td]:tabular-nums [&_tr.failed-open:not(.on)_td]:bg-fail-bg/45"
          columns={columns}
          rows={rows.length === 0 ? NO_ROWS : rows}
          rowKey={metricsKey}
          rowHeight={32}
          selected={chosen === undefined ? null : metricsKey(chosen)}
          onSelect={select}
          rowClass={(row) => (letGo(row) ? "failed-open" : "")}
        />
        <Tools tools={doc.tools} />
      </Pane>
      {chosen === undefined ? null : (
        <HookFacts row={chosen} since={doc.since} onMove={move} onClose={() => onChange({ row: undefined })} />
      )}
    </div>
  );
}

/** What the figures leave out. */
function Notes({ doc, search }: Pick<FiguresProps, "doc" | "search">) {
  const settings = useCall("settings.get", {}).data;
  const days = keptDays(search.range ?? DEFAULT_RANGE, maxDays(settings) ?? Number.POSITIVE_INFINITY);
  const notes = [
    doc.counted_from === undefined ? null : t("metrics.note.countedFrom", { time: time(doc.counted_from) }),
    days === null ? null : t("metrics.note.kept", { count: days }),
  ].filter((note) => note !== null);
  if (notes.length === 0) return null;
  return (
    <p className="flex-none py-2 px-4 border-b border-line-1 text-small ink-2" role="status">
      {notes.reduce((first, second) => t("metrics.sentences", { first, second }))}
    </p>
  );
}

/** Beside a heading, where it moves nothing: while events come in, it comes and goes. */
function Waiting({ doc }: Pick<FiguresProps, "doc">) {
  if (!doc.waiting) return null;
  return (
    <span className="text-tiny dim trunc ml-2">
      {t("metrics.note.waiting", { count: doc.waiting, events: count(doc.waiting) })}
    </span>
  );
}

function maxDays(settings: Reply<"settings.get"> | undefined): number | null {
  const days: unknown = settings?.values.history?.max_days;
  return typeof days === "number" ? days : null;
}

/** By the `uid` of the open project's hooks. */
function useHookOf(): HookOf {
  const project = useProject();
  const hooks = useCall("hooks.list", { project: project ?? "" }, { enabled: project !== null }).data?.hooks;
  return (row) => hooks?.find(({ uid }) => uid === row.uid);
}

function Legend({ isCompared }: { isCompared: boolean }) {
  return (
    <span className="row flex-none [&_.row]:gap-1 text-tiny dim" aria-hidden="true">
      <i className="w-0 h-2.5 border-l-[1.5px] border-ink-1" /> {isCompared ? t("metrics.compare.p95Before") : "p50"}{" "}
      <i className="w-3.5 h-1 rounded-[2px] bg-accent" /> p95{" "}
      <i className="w-0 h-2.5 border-l-[1.5px] border-ink-1 [border-left-style:dashed] border-l-ink-2" />{" "}
      {t("metrics.column.max")} <i className="w-0 h-2.5 border-l-[1.5px] border-ink-1 border-l-ink-3" />{" "}
      {t("metrics.facts.limit")}
    </span>
  );
}

interface NoFiguresProps extends Pick<FiguresProps, "doc" | "search" | "onChange"> {}

function NoFigures({ search, doc, onChange }: NoFiguresProps) {
  const go = useNavigate();
  const isFiltered = search.agent !== undefined || search.session !== undefined;
  return (
    <Empty
      title={t("metrics.nothing.title")}
      text={t(isFiltered ? "metrics.nothing.filtered" : "metrics.nothing.text")}
    >
      <Notes doc={doc} search={search} />
      <Waiting doc={doc} />
      <div className="row" style={{ marginTop: "var(--s-3)" }}>
        {isFiltered ? (
          <Button onClick={() => onChange({ agent: undefined, session: undefined })}>
            {t("metrics.nothing.allAgents")}
          </Button>
        ) : (
          <Button kind="primary" icon={Zap} onClick={() => go({ to: "/fire" })}>
            {t("history.fireSample")}
          </Button>
        )}
        {search.range === "90d" ? null : (
          <Button onClick={() => onChange({ range: "90d" })}>{t("metrics.nothing.longer")}</Button>
        )}
      </div>
    </Empty>
  );
}
