/** Overview: the verdict, the figures, the last minute, the latest events, and what needs the user. */

import { Pause, Play } from "lucide-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { Button, FaultNote, Page, Pane, Segmented, Skeleton } from "@/components";
import { FileBars } from "@/domain/hooks/FileBars";
import { useProject } from "@/domain/project";
import { t } from "@/i18n";
import { type AgentRow, useCall } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { useConnection } from "@/live/connection";
import { liveRows, queuedAfter, useLiveRows } from "@/live/rows";
import { getRouteApi } from "@/routes/router";
import { OVERVIEW_RANGES, type OverviewRange, type OverviewSearch } from "@/routes/search";
import { FirstSteps, Guards, useDayOne } from "./DayOne";
import { Recent } from "./Recent";
import Side from "./Side";
import { Tiles } from "./Tiles";
import { useJudged } from "./useOverview";
import { Verdict } from "./Verdict";

const route = getRouteApi("/overview");
/** Counts of the last minute grow old by themselves. */
const COUNT_AGAIN_MS = 2000;
/** Verdict, figures and list are drawn first. */
const LiveStrip = lazy(() => import("./LiveStrip"));
const NO_AGENTS: readonly AgentRow[] = [];

export function OverviewScreen() {
  const project = useProject() ?? "";
  const { range = "1h", rows } = route.useSearch();
  const navigate = route.useNavigate();
  /** The count of live rows when it was paused; null while it is live. */
  const [pausedAt, setPausedAt] = useState<number | null>(null);
  const toggle = () => setPausedAt((at) => (at === null ? liveRows().total : null));
  useScreenActions({ "live.toggle": toggle });
  return (
    <Page
      title={t("overview.title")}
      actions={
        <>
          <Segmented<OverviewRange>
            label={t("overview.range.label")}
            value={range}
            onChange={(next) => navigate({ search: { range: next, rows }, replace: true })}
            items={OVERVIEW_RANGES.map((value) => ({ value, label: t(`overview.range.${value}`) }))}
          />
          <PauseButton project={project} pausedAt={pausedAt} onToggle={toggle} />
        </>
      }
    >
      <Body key={project} project={project} range={range} rows={rows} paused={pausedAt !== null} />
    </Page>
  );
}

interface PauseProps {
  project: string;
  pausedAt: number | null;
  onToggle: () => void;
}

/** While it is paused, with how many events came since. */
function PauseButton({ project, pausedAt, onToggle }: PauseProps) {
  const feed = useLiveRows();
  const queued = useMemo(
    () => queuedAfter(feed, pausedAt ?? feed.total, (row) => row.project === project || row.project === null),
    [feed, pausedAt, project],
  );
  return (
    <Button
      icon={pausedAt === null ? Pause : Play}
      action="live.toggle"
      aria-pressed={pausedAt !== null}
      onClick={onToggle}
    >
      {pausedAt === null
        ? t("overview.pause")
        : queued.count === 0
          ? t("overview.paused")
          : t(queued.more ? "overview.pausedMore" : "overview.pausedNew", { count: queued.count })}
    </Button>
  );
}

interface BodyProps {
  project: string;
  range: OverviewRange;
  rows: OverviewSearch["rows"];
  paused: boolean;
}

function Body({ project, range, rows, paused }: BodyProps) {
  const navigate = route.useNavigate();
  const list = useCall("agents.list", {}, { everyMs: COUNT_AGAIN_MS });
  const { status, document, facts, fault, figuresFault, retry } = useJudged(project, range);
  const isDayOne = useDayOne(project);
  const { engine, line } = useConnection();
  const agents = list.data?.agents ?? NO_AGENTS;
  if (fault !== null) return <FaultNote fault={fault} onRetry={retry} />;
  return (
    <div className="flex-1 min-w-0 min-h-0 flex flex-col [&>:last-child]:flex-1 cramped:block cramped:overflow-y-auto">
      <FileBars document={document} project={project} />
      {status === undefined ? (
        <div className="flex items-start gap-3 py-3.5 px-4 min-w-0">
          <Skeleton rows={2} height={28} what={t("overview.title")} />
        </div>
      ) : (
        <Verdict status={status} document={document} project={project} />
      )}
      {isDayOne ? null : (
        <>
          {figuresFault !== null ? <FaultNote fault={figuresFault} onRetry={retry} /> : null}
          <Tiles project={project} range={range} hooks={document?.hooks} facts={facts} agents={list.data?.agents} />
          <Suspense fallback={<div className="min-h-20 py-2 px-4 border-b border-line-2 min-w-0" />}>
            <LiveStrip project={project} agents={agents} paused={paused} cut={engine === "stopped" || line !== "up"} />
          </Suspense>
        </>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)_304px] min-h-0 max-docked:grid-cols-[minmax(0,1fr)_248px] cramped:grid-cols-1 cramped:[&>.pane+.pane]:border-l-0 cramped:[&>.pane+.pane]:border-t cramped:[&>.pane+.pane]:border-t-line-2 cramped:[&>.pane+.pane]:overflow-visible">
        {isDayOne ? (
          <Guards document={document} />
        ) : (
          <Pane label={t("overview.recent.title")} className="cramped:h-80">
            <Recent
              project={project}
              paused={paused}
              view={rows ?? "hook"}
              onView={(view) =>
                navigate({
                  search: (now) => ({ ...now, rows: view === "hook" ? undefined : view }),
                  replace: true,
                })
              }
            />
          </Pane>
        )}
        <Pane label={t("overview.sideLabel")} className="scroll">
          {isDayOne ? <FirstSteps status={status} document={document} project={project} /> : null}
          <Side status={status} document={document} agents={list.data?.agents} project={project} />
        </Pane>
      </div>
    </div>
  );
}
