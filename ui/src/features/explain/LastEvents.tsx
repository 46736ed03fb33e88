/** What a hook did at the last events of its kind, and how often the reason on show was recorded within a day. */

import { useMemo } from "react";
import { failedGate, Skeleton, tokenText } from "@/components";
import { idAt } from "@/domain/hooks/facts";
import { EventStrip, type StripCell, type StripKind } from "@/domain/trace/EventStrip";
import { t } from "@/i18n";
import { time } from "@/i18n/format";
import { say } from "@/i18n/messages";
import { type HookRow, type Reply, useCall } from "@/ipc";
import { capitalizeFirst, escapeInvisible } from "@/lib/escape";
import { sentenceGap } from "@/lib/sentences";
import { useNow } from "@/lib/useNow";
import { Link } from "@/routes/router";
import type { Asked } from "./Answer";

/** Cells of the strip. */
const SHOWN_EVENTS = 200;
/** Events among which those with the same reason are counted. */
const READ_EVENTS = 1000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

type Matches = Reply<"history.match">;
type HookEvent = NonNullable<Matches["events"]>[number];
type Reasons = NonNullable<Matches["reasons"]>;
const NO_REASONS: Reasons = [];

interface LastEventsProps {
  project: string;
  hook: HookRow;
  event: string;
  asked: Asked;
  /** The trace that is explained. */
  shown: string | undefined;
  onOpen: (trace: string) => void;
}

export function LastEvents({ project, hook, event, asked, shown, onOpen }: LastEventsProps) {
  const { data } = useCall(
    "history.match",
    { project, dialect: hook.dialect, event, hook: hook.hook, last: READ_EVENTS, events: true },
    { refetchOnMount: true },
  );
  // The oldest first, as a strip is read.
  const events = (data?.events ?? []).slice(0, SHOWN_EVENTS).reverse();
  const cells = useCells(events, data?.reasons ?? NO_REASONS);
  if (data === undefined) return <Skeleton rows={2} height={24} what={t("explain.last.title")} />;
  if (events.length === 0) return null;
  return (
    <>
      <div className="section">
        <div className="section-head row text-tiny dim">
          <span>{t("explain.last.head", { count: events.length, event })}</span>
          <span className="spacer" />
          <span>{t("explain.last.order")}</span>
        </div>
        <EventStrip
          label={t("explain.last.head", { count: events.length, event })}
          cells={cells}
          counted={(kind, count) => t(`explain.last.${kind}`, { count })}
          shown={shown}
          onOpen={onOpen}
        />
      </div>
      <SameReason data={data} hook={hook} event={event} asked={asked} />
    </>
  );
}

function kindOf({ outcome, reason }: HookEvent, reasons: Reasons): StripKind {
  if (reason !== null && reasons[reason]?.near_miss) return "near";
  return reason !== null || outcome === null || outcome === "skipped" || outcome === "not_matched" ? "other" : "ran";
}

/** What each cell says. */
function useCells(events: readonly HookEvent[], reasons: Reasons): StripCell[] {
  return useMemo(
    () =>
      events.map((event) => {
        const gate = event.reason === null ? undefined : reasons[event.reason];
        const why = gate?.why ? capitalizeFirst(escapeInvisible(say(gate, gate.why))) : null;
        const outcome = event.outcome === null ? t("explain.last.absent") : t(`words.outcome.${event.outcome}`);
        const text = [time(event.at), outcome, why].filter(Boolean).join(" · ");
        return { trace: event.trace, kind: kindOf(event, reasons), text };
      }),
    [events, reasons],
  );
}

/** How many events of the last 24 h had the reason for which the hook did not run here. */
function SameReason({
  data,
  hook,
  event,
  asked,
}: Pick<LastEventsProps, "hook" | "event" | "asked"> & { data: Matches }) {
  const now = useNow(MINUTE_MS);
  const failed = failedGate(asked.gates);
  if (failed === undefined) return null;
  const reason = (data.reasons ?? []).findIndex((one) => one.gate === failed.gate && one.why === failed.why);
  const since = now - DAY_MS;
  const events = data.events ?? [];
  const recent = events.filter((one) => Date.parse(one.at) >= since);
  const count = recent.filter((one) => one.reason === reason).length;
  const isLeastCount = recent.length === events.length && (data.incomplete || events.length >= READ_EVENTS);
  const same = t(isLeastCount ? "explain.same.atLeast" : "explain.same.count", { count });
  const text = failed.why;
  const words = [
    { field: "event", value: event },
    { field: "hook", value: idAt(hook, event) },
    { field: "since", value: "24h" },
    ...(text === null ? [] : [{ field: "text", value: text }]),
  ];
  return (
    <section className="section" aria-label={t("explain.same.title")}>
      <div className="section-head row text-tiny dim">
        <span>{t("explain.same.title")}</span>
        <span className="spacer" />
        {count > 0 && text !== null ? (
          <Link className="link" to="/history" search={{ q: words.map(tokenText).join(" ") }}>
            {t("explain.same.show")}
          </Link>
        ) : null}
      </div>
      <p className="text-small wrap-anywhere">
        <b className="medium">{same}</b>
        {sentenceGap(same)}
        <span className="ink-2">{escapeInvisible(say(failed, failed.why ?? ""))}</span>
      </p>
    </section>
  );
}
