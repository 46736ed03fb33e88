/** A cell for each event: the hook ran, nearly ran, or did not. Keys move from cell to cell, and Enter opens the event. */
import { type KeyboardEvent, useId, useMemo, useRef, useState } from "react";
import { useTranslation } from "@/i18n";
import { useFormats } from "@/i18n/format";
import { useMessages } from "@/i18n/messages";
import type { Reply } from "@/ipc";
import { capitalizeFirst, escapeInvisible } from "@/lib/escape";

type Matches = Reply<"history.match">;
type HookEvent = NonNullable<Matches["events"]>[number];
type Reasons = NonNullable<Matches["reasons"]>;

const KINDS = ["ran", "near", "other"] as const;
type Kind = (typeof KINDS)[number];
const CELL: Record<Kind, string> = { ran: "event-cell did-run", near: "event-cell near-miss", other: "event-cell" };

function kindOf({ outcome, reason }: HookEvent, reasons: Reasons): Kind {
  if (reason !== null && reasons[reason]?.near_miss) return "near";
  return reason !== null || outcome === null || outcome === "skipped" || outcome === "not_matched" ? "other" : "ran";
}

interface EventStripProps {
  label: string;
  /** The oldest first. */
  events: readonly HookEvent[];
  reasons: Reasons;
  /** The trace that is explained. */
  shown: string | undefined;
  onOpen: (trace: string) => void;
}

export function EventStrip({ label, events, reasons, shown, onOpen }: EventStripProps) {
  const { t } = useTranslation();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const cells = useCells(events, reasons);
  const [active, setActive] = useState<number | null>(null);
  const opened = cells.findIndex((cell) => cell.trace === shown);
  const at = Math.min(active ?? (opened < 0 ? cells.length - 1 : opened), cells.length - 1);
  const open = (index: number) => {
    const cell = cells[index];
    if (cell === undefined) return;
    setActive(index);
    onOpen(cell.trace);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" || event.key === " ") open(at);
    else {
      const next = indexAfter(event.key, at, cells.length, columnsOf(list.current));
      if (next === null) return;
      setActive(next);
    }
    event.preventDefault();
  };
  return (
    <>
      <div
        ref={list}
        className="event-strip"
        role="listbox"
        aria-label={label}
        aria-activedescendant={`${id}${at}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onMouseLeave={() => setActive(null)}
      >
        {cells.map((cell, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the active cell
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys
          <div
            key={cell.trace}
            id={`${id}${index}`}
            role="option"
            aria-selected={cell.trace === shown}
            aria-label={cell.text}
            className={index === at ? `${CELL[cell.kind]} active` : CELL[cell.kind]}
            onMouseEnter={() => setActive(index)}
            onClick={() => open(index)}
          />
        ))}
      </div>
      <p className="text-tiny dim event-strip-legend">
        {KINDS.map((kind) => (
          <span key={kind} className="nowrap">
            <span className={CELL[kind]} />
            {t(`explain.last.${kind}`, { count: cells.filter((cell) => cell.kind === kind).length })}
          </span>
        ))}
      </p>
      <p className="text-tiny ink-2 event-strip-about" aria-hidden="true">
        {cells[at]?.text}
      </p>
    </>
  );
}

/** What each cell says. */
function useCells(events: readonly HookEvent[], reasons: Reasons) {
  const { t } = useTranslation();
  const { say } = useMessages();
  const { time } = useFormats();
  return useMemo(
    () =>
      events.map((event) => {
        const gate = event.reason === null ? undefined : reasons[event.reason];
        const why = gate?.why ? capitalizeFirst(escapeInvisible(say(gate, gate.why))) : null;
        const outcome = event.outcome === null ? t("explain.last.absent") : t(`words.outcome.${event.outcome}`);
        const text = [time(event.at), outcome, why].filter(Boolean).join(" · ");
        return { trace: event.trace, kind: kindOf(event, reasons), text };
      }),
    [events, reasons, t, say, time],
  );
}

function columnsOf(list: HTMLElement | null): number {
  return list === null ? 1 : getComputedStyle(list).gridTemplateColumns.split(" ").length;
}

/** Null where the key does not move. */
function indexAfter(key: string, at: number, length: number, columns: number): number | null {
  const to = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at - columns,
    ArrowDown: at + columns,
    Home: 0,
    End: length - 1,
  }[key];
  if (to === undefined) return null;
  return to < 0 || to >= length ? at : to;
}
