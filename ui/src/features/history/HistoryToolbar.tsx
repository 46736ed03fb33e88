/** The last hour as a histogram with its brush, and whether new rows come in. */
import { Pause, Play } from "lucide-react";
import { useMemo, useState } from "react";
import { Button, Segmented, Tooltip } from "@/components";
import { Strip } from "@/components/chart";
import { t } from "@/i18n";
import { time } from "@/i18n/format";
import { useCall } from "@/ipc";
import type { Queued } from "@/live/rows";
import { Brush } from "./Brush";
import { bucketsOf, dayRange, dayText, type Places, type Range, rangeAt, scaleOf } from "./range";

const HOUR_MS = 3_600_000;
const BUCKETS = 96;

interface HistoryToolbarProps {
  /** Undefined for all projects. */
  project: string | undefined;
  /** The filter's own beginning, RFC 3339. */
  since: string | undefined;
  range: Range | null;
  onRange: (range: Range | null) => void;
  paused: boolean;
  queued: Queued;
  onToggle: () => void;
  onCatchUp: () => void;
  /** Undefined while events without a hook are folded. */
  rows: "all" | undefined;
  onRows: (rows: "all" | undefined) => void;
}

/** How far back the bars reach: an hour, or as far as the filter does. A range is chosen on the bars and leaves them. */
function spanOf(since: string | undefined): number {
  return since === undefined ? HOUR_MS : Math.max(HOUR_MS, Date.now() - Date.parse(since));
}

export function HistoryToolbar(props: HistoryToolbarProps) {
  const { project, since, range, onRange, paused, queued, onToggle, onCatchUp, rows, onRows } = props;
  const span = useMemo(() => spanOf(since), [since]);
  const [drawn, setDrawn] = useState<Places | null>(null);
  const bars = useCall(
    "history.bars",
    { ...(project === undefined ? {} : { project }), since_ms: span, buckets: BUCKETS },
    { enabled: project !== "", keepPrevious: true },
  );
  const buckets = bars.data?.buckets ?? [];
  const scale = scaleOf(buckets, span);
  const events = buckets.reduce((sum, bar) => sum + bar.events, 0);
  const timeAt = (place: number) =>
    scale === null || place >= scale.buckets ? t("history.range.now") : time(scale.begin + place * scale.width);
  return (
    <div className="row py-2 px-4 border-b border-line-1 gap-3 flex-none @container">
      <Brush
        buckets={buckets.length}
        places={range === null || scale === null ? null : bucketsOf(range, scale)}
        timeAt={timeAt}
        onDraw={setDrawn}
        onChange={(places) => onRange(places === null || scale === null ? null : rangeAt(places, scale))}
      >
        <Strip
          lanes={[{ buckets }]}
          from={scale?.begin ?? 0}
          to={(scale?.begin ?? 0) + span}
          height={32}
          summary={t(since === undefined ? "history.bars" : "history.barsSince", { count: events })}
        />
      </Brush>
      <span className="text-tiny dim nowrap tabular-nums @max-[560px]:hidden" aria-hidden="true">
        {drawn === null ? (
          <>
            {since === undefined ? t("history.lastHour") : t("history.sinceTime", { time: time(since) })}
            <br />
            {range === null ? t("history.range.drag") : t("history.range.clear")}
          </>
        ) : (
          <>
            {timeAt(drawn[0])}
            <br />
            {timeAt(drawn[1])}
          </>
        )}
      </span>
      <JumpToDay range={range} onRange={onRange} />
      <Segmented<"hook" | "all">
        label={t("history.rows.label")}
        value={rows ?? "hook"}
        onChange={(next) => onRows(next === "all" ? "all" : undefined)}
        items={[
          { value: "hook", label: t("history.rows.hook") },
          { value: "all", label: t("history.rows.all") },
        ]}
      />
      <Button size="small" icon={paused ? Play : Pause} action="live.toggle" aria-pressed={paused} onClick={onToggle}>
        {paused ? t("history.paused") : t("history.live")}
      </Button>
      {queued.count > 0 ? (
        <button type="button" className="chip accent" onClick={onCatchUp}>
          <b>{t(queued.more ? "history.freshMore" : "history.fresh", { count: queued.count })}</b>
        </button>
      ) : null}
    </div>
  );
}

/** One day, from midnight to midnight of this machine. */
function JumpToDay({ range, onRange }: Pick<HistoryToolbarProps, "range" | "onRange">) {
  const shown = range === null ? "" : dayText(new Date(range.since));
  return (
    <Tooltip text={t("history.jumpToDay")}>
      <input
        type="date"
        className="input w-33 text-tiny @max-[760px]:hidden"
        aria-label={t("history.jumpToDay")}
        value={shown}
        onChange={({ target: { value } }) => onRange(dayRange(value))}
      />
    </Tooltip>
  );
}
