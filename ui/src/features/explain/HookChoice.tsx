/** Which hook is explained, and which event. */
import { useRef } from "react";
import { failedGate, Glyph, Select, stepLine } from "@/components";
import { t } from "@/i18n";
import { useCall } from "@/ipc";
import { agentName, useDialects } from "@/ipc/dialects";
import { oneLine } from "@/lib/escape";
import { moveByArrows } from "@/lib/listKeys";
import type { Asked } from "./Answer";

interface HookChoiceProps {
  asked: readonly Asked[];
  chosen: string | undefined;
  onChoose: (hook: string) => void;
}

export function HookChoice({ asked, chosen, onChoose }: HookChoiceProps) {
  const list = useRef<HTMLDivElement>(null);
  const isChosen = asked.some((one) => one.hook === chosen);
  return (
    <div className="section">
      <div className="section-head row text-tiny dim">
        <span>{t("explain.considered", { count: asked.length })}</span>
        <span className="spacer" />
        <span>{t("explain.pick")}</span>
      </div>
      <div
        ref={list}
        role="listbox"
        aria-label={t("explain.hooks")}
        tabIndex={-1}
        onKeyDown={(event) => moveByArrows(event, list.current, "[role=option]")}
      >
        {asked.map((one, index) => {
          const failed = failedGate(one.gates);
          return (
            <button
              type="button"
              key={one.hook}
              role="option"
              aria-selected={one.hook === chosen}
              tabIndex={one.hook === chosen || (!isChosen && index === 0) ? 0 : -1}
              className={`flex items-start gap-2 w-full py-1.5 px-2 rounded-2 text-left [&>.glyph]:mt-0.75 ${one.hook === chosen ? "on bg-sel" : "hover:bg-2"}`}
              onClick={() => onChoose(one.hook)}
            >
              <Glyph kind={one.glyph} size={12} />
              <span className="min-w-0">
                <span className="medium text-small trunc block">{oneLine(one.label, 60)}</span>
                <span className="dim text-small trunc block">
                  {failed
                    ? t("explain.stoppedAt", { gate: t(`explain.gate.${failed.gate}`) })
                    : one.recorded
                      ? stepLine(one.recorded) || t("explain.ran")
                      : t("explain.wouldRun")}
                </span>
              </span>
            </button>
          );
        })}
      </div>
    </div>
  );
}

export function AnotherEvent({
  project,
  dialect,
  event,
  onEvent,
}: {
  project: string;
  dialect: string;
  event: string;
  onEvent: (to: { dialect: string; event: string }) => void;
}) {
  const fixtures = useCall("fixtures", { project }, { enabled: project !== "" });
  const dialects = useDialects();
  const events = new Map((fixtures.data?.fixtures ?? []).map((one) => [`${one.dialect} ${one.event}`, one]));
  const labelOf = (id: string) => agentName(dialects, id);
  return (
    <div className="section">
      <div className="section-head text-tiny dim">{t("explain.another")}</div>
      <Select
        label={t("explain.another")}
        value={`${dialect} ${event}`}
        options={[...events].map(([value, one]) => ({
          value,
          label: dialects.length > 1 ? `${labelOf(one.dialect)} · ${one.event}` : one.event,
        }))}
        onChange={(value) => {
          const to = events.get(value);
          if (to) onEvent({ dialect: to.dialect, event: to.event });
        }}
      />
    </div>
  );
}
