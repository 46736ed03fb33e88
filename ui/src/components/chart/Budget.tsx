import { duration, limitText } from "@/i18n/format";
import { ALARM_AT, WARN_AT } from "./budgetMarks";
import { linearScale, percent } from "./scale";

interface BudgetProps {
  /** What it is the budget of. */
  label: string;
  /** In ms; the bar, usually the p95. */
  used: number;
  /** In ms; the tick in the bar. 0 for none. */
  p50: number;
  /** In ms; the dashed tick. Left out for none. */
  max?: number;
  /** In ms; the track. */
  limit: number;
  /** The number in words, always beside the bar. */
  text: string;
}

/** Track = limit, bar = p95, tick = p50, dashed tick = max, notch at 60 %. */
export function Budget({ label, used, p50, max, limit, text }: BudgetProps) {
  const scale = linearScale(0, limit);
  const share = scale.at(used);
  const tone = share >= ALARM_AT ? " alarm" : share >= WARN_AT ? " warn" : "";
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a meter of its own cannot be drawn with notch and ticks */}
      <span
        className={`budget${tone}`}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={`${duration(used)} / ${limitText(limit)}`}
      >
        <b style={{ width: percent(share) }} />
        <i className="notch" style={{ left: percent(WARN_AT) }} />
        {max === undefined ? null : <i className="most" style={{ left: percent(scale.at(max)) }} />}
        {p50 > 0 ? <i style={{ left: percent(scale.at(p50)) }} /> : null}
      </span>
      <span className="mono text-tiny nowrap">{text}</span>
    </>
  );
}
