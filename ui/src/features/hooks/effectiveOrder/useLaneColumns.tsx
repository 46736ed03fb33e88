import { useMemo } from "react";
import { type Column, HandlerIcon, HookState, LayerIcon, Tooltip } from "@/components";
import { filterText } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import type { HooksDocument } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { baseName } from "@/lib/names";
import { Grip } from "../Grip";
import { HookName } from "../hookColumns";
import type { LaneRow } from "./lanes";

export function useLaneColumns(document: HooksDocument): Column<LaneRow>[] {
  const labels = new Map(document.hooks.map((hook) => [hook.hook, hook.label]));
  return useMemo<Column<LaneRow>[]>(
    () => [
      {
        id: "place",
        head: t("order.place"),
        width: "64px",
        cell: ({ hook, key, place }) => (
          <>
            <Grip hook={hook} id={key} />
            <span className={place === null ? "mono dim" : "mono"}>{place ?? t("none")}</span>
          </>
        ),
      },
      {
        id: "hook",
        head: t("hooks.column.hook"),
        cell: ({ hook, place }) => (
          <>
            <div className="row" style={{ gap: 6 }}>
              <HandlerIcon handler={hook.handler} />
              <HookName label={hook.label} isStruck={place === null} />
            </div>
            <div className="mono text-tiny trunc under ink-accent">{filterText(hook.filter)}</div>
          </>
        ),
      },
      {
        id: "source",
        head: t("order.source"),
        width: "28%",
        cell: ({ hook }) => (
          <Tooltip text={hook.path}>
            <span className="row" style={{ gap: 6 }}>
              <LayerIcon layer={hook.layer} size={12} />
              <span>{t(`words.layer.${hook.layer}`)}</span>
              <span className="mono text-tiny dim trunc">{baseName(hook.path)}</span>
            </span>
          </Tooltip>
        ),
      },
      {
        id: "state",
        head: t("hooks.column.state"),
        width: "30%",
        cell: ({ hook }) => {
          const other = hook.shadowed_by === null ? undefined : (labels.get(hook.shadowed_by) ?? hook.shadowed_by);
          return (
            <span className="row trunc" style={{ gap: 6 }}>
              <HookState hook={hook} />
              {other === undefined ? null : (
                <span className="text-tiny dim trunc">{t("order.replacedBy", { hook: oneLine(other, 40) })}</span>
              )}
            </span>
          );
        },
      },
    ],
    [labels],
  );
}
