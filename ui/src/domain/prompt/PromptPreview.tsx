/** What the model reads: the template filled with a recorded event. */
import { ChevronLeft, ChevronRight } from "lucide-react";
import { Button } from "@/components";
import { EventLine } from "@/domain/hooks/HistoryMatch";
import { t } from "@/i18n";
import { escapeInvisible } from "@/lib/escape";
import { ScrolledText } from "./ScrolledText";
import type { Rendering } from "./template";
import type { RecordedEvents } from "./useRecordedEvents";

export function PromptPreview({ data, events }: { data: Rendering; events: RecordedEvents }) {
  const props = { kind: "ghost", size: "small" } as const;
  return (
    <section className="flex-1 min-h-30 flex flex-col" aria-label={t("prompt.preview")}>
      <div className="pane-head">
        <h3>{t("prompt.preview")}</h3>
        <span className="spacer" />
        {events.count === 0 ? (
          <span className="text-tiny dim">{t("prompt.sample")}</span>
        ) : (
          <>
            <Button {...props} icon={ChevronLeft} label={t("previous")} onClick={() => events.step(-1)} />
            <span className="mono text-tiny">
              {events.index + 1} / {events.count}
            </span>
            <Button {...props} icon={ChevronRight} label={t("next")} onClick={() => events.step(1)} />
          </>
        )}
      </div>
      {events.trace === null ? null : <EventLine trace={events.trace} near={null} matches />}
      <ScrolledText
        label={t("prompt.read")}
        className="p-3 [&_.variable]:whitespace-pre-wrap [&_.variable]:wrap-anywhere [&_.variable]:max-w-full"
      >
        {data.parts.map((part, index) =>
          part.kind === "text" ? (
            escapeInvisible(part.text)
          ) : (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name
              key={index}
              className={`variable ${part.kind === "unknown" ? "bad" : part.kind === "empty" ? "empty" : ""}`}
            >
              {part.kind === "empty" ? t("prompt.emptyValue") : escapeInvisible(part.text)}
            </span>
          ),
        )}
      </ScrolledText>
    </section>
  );
}
