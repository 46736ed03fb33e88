/** The last hour as a histogram with its brush, and whether new rows come in. */
import { Pause, Play } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components";
import { Strip } from "@/components/chart";
import { useFormats } from "@/i18n/format";
import { useCall } from "@/ipc";
import { Brush } from "./Brush";
import { bucketsOf, type Places, type Range, rangeAt, scaleOf } from "./range";

const HOUR_MS = 3_600_000;
const BUCKETS = 96;

interface HistoryToolbarProps {
  project: string;
  range: Range | null;
  onRange: (range: Range | null) => void;
  paused: boolean;
  queued: number;
  onToggle: () => void;
  onCatchUp: () => void;
}

export function HistoryToolbar({ project, range, onRange, paused, queued, onToggle, onCatchUp }: HistoryToolbarProps) {
  const { t } = useTranslation();
  const { time } = useFormats();
  const [drawn, setDrawn] = useState<Places | null>(null);
  const bars = useCall(
    "history.bars",
    { project, since_ms: HOUR_MS, buckets: BUCKETS },
    { enabled: project !== "", keepPrevious: true },
  );
  const buckets = bars.data?.buckets ?? [];
  const scale = scaleOf(buckets, HOUR_MS);
  const steps = buckets.reduce(
    (sum, bar) => sum + Object.values(bar.outcomes).reduce<number>((a, b) => a + (b ?? 0), 0),
    0,
  );
  const timeAt = (place: number) =>
    scale === null || place >= scale.buckets ? t("history.range.now") : time(scale.begin + place * scale.width);
  return (
    <div className="row history-strip">
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
          to={(scale?.begin ?? 0) + HOUR_MS}
          height={32}
          summary={t("history.bars", { count: steps })}
        />
      </Brush>
      <span className="text-tiny dim nowrap history-hint" aria-hidden="true">
        {drawn === null ? (
          <>
            {t("history.lastHour")}
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
      <span className="spacer" />
      <Button size="small" icon={paused ? Play : Pause} action="live.toggle" aria-pressed={paused} onClick={onToggle}>
        {paused ? t("history.paused") : t("history.live")}
      </Button>
      {queued > 0 ? (
        <button type="button" className="chip accent" onClick={onCatchUp}>
          <b>{t("history.fresh", { count: queued })}</b>
        </button>
      ) : null}
    </div>
  );
}
