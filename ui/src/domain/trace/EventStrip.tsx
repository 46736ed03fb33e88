/** A cell for each event. Keys move from cell to cell, and Enter opens the event. */
import { type KeyboardEvent, useId, useRef, useState } from "react";
import "./eventStrip.css";

const KINDS = ["ran", "near", "other"] as const;
export type StripKind = (typeof KINDS)[number];
const CELL: Record<StripKind, string> = {
  ran: "strip-cell did-run",
  near: "strip-cell near-miss",
  other: "strip-cell",
};

export interface StripCell {
  trace: string;
  /** Solid, hollow, or grey. */
  kind: StripKind;
  text: string;
}

interface EventStripProps {
  label: string;
  /** The oldest first. */
  cells: readonly StripCell[];
  /** The legend: how many cells of a kind there are. */
  counted: (kind: StripKind, count: number) => string;
  /** The trace that is on show. */
  shown: string | undefined;
  onOpen: (trace: string) => void;
}

export function EventStrip({ label, cells, counted, shown, onOpen }: EventStripProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
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
            {counted(kind, cells.filter((cell) => cell.kind === kind).length)}
          </span>
        ))}
      </p>
      <p className="text-tiny ink-2 event-strip-about" aria-hidden="true">
        {cells[at]?.text}
      </p>
    </>
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
