import { TriangleAlert } from "lucide-react";
import { DialectTag, Icon, Tooltip } from "@/components";
import { t } from "@/i18n";
import { limitText } from "@/i18n/format";
import { textOf } from "@/i18n/text";
import { useEventInfo } from "@/ipc/dialects";
import type { Lane } from "./lanes";

/** Below this width the event has a line of its own. */
export const LANE_IN_TWO_LINES = "(max-width: 1279px)";
/** As in effectiveOrder.css, in px. */
export const TWO_LINES = 44;

/** The event of a chain, how its hooks are ordered, and the time that they may take together. */
export function LaneHead({ lane }: { lane: Lane }) {
  const info = useEventInfo(lane.dialect, lane.event);
  const budget = info?.budget_ms ?? null;
  const isOver = budget !== null && lane.mostMs > budget;
  return (
    <span className="flex flex-wrap justify-between gap-y-0 gap-x-3">
      <span className="row gap-1.5 max-[1280px]:w-full">
        <DialectTag dialect={lane.dialect} />
        <Tooltip text={info ? textOf(info.order) : null}>
          <span className="mono">{lane.event}</span>
        </Tooltip>
        <span className="text-tiny dim nowrap">{t("order.hooks", { count: lane.hooks.length })}</span>
      </span>
      <span className="row gap-3">
        {lane.conflicts.length > 0 ? (
          <span className="row gap-1 text-tiny ink-late nowrap">
            <Icon of={TriangleAlert} size={12} />
            {t("order.count", { count: lane.conflicts.length })}
          </span>
        ) : null}
        {budget === null || lane.mostMs === 0 ? null : (
          <span className={isOver ? "text-tiny ink-late nowrap" : "text-tiny dim nowrap"}>
            {t("order.budget", { most: limitText(lane.mostMs), budget: limitText(budget) })}
          </span>
        )}
      </span>
    </span>
  );
}
