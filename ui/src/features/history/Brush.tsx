/**
 * The brush over the histogram: a drag chooses a span of time, its two ends are sliders for the keyboard, a double click
 * or `Esc` gives it up.
 */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import { t } from "@/i18n";
import type { Places } from "./range";

const PAGE = 8;

interface BrushProps {
  buckets: number;
  /** What is chosen; null for everything. */
  places: Places | null;
  /** The time at the edge before this bucket, in words. */
  timeAt: (place: number) => string;
  /** While it is being drawn, before it holds. */
  onDraw: (places: Places | null) => void;
  onChange: (places: Places | null) => void;
  children: ReactNode;
}

export function Brush({ buckets, places, timeAt, onDraw, onChange, children }: BrushProps) {
  const box = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState<Places | null>(null);
  const anchor = useRef<number | null>(null);
  const shown = drawn ?? places;

  const draw = (next: Places | null) => {
    setDrawn(next);
    onDraw(next);
  };
  /** The edge between buckets nearest to the pointer. */
  const edgeAt = (event: PointerEvent) => {
    const area = box.current?.getBoundingClientRect();
    if (area === undefined || area.width === 0) return 0;
    return Math.min(buckets, Math.max(0, Math.round(((event.clientX - area.left) / area.width) * buckets)));
  };
  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const end = (event.target as HTMLElement).dataset.end;
    // A taken end moves against the other one; elsewhere a new span begins.
    anchor.current = places === null || end === undefined ? edgeAt(event) : places[end === "from" ? 1 : 0];
  };
  const onPointerMove = (event: PointerEvent) => {
    if (anchor.current === null) return;
    const at = edgeAt(event);
    draw(at === anchor.current ? null : [Math.min(at, anchor.current), Math.max(at, anchor.current)]);
  };
  const onPointerUp = () => {
    anchor.current = null;
    if (drawn !== null) onChange(drawn);
    draw(null);
  };
  const giveUp = () => {
    anchor.current = null;
    draw(null);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, end: "from" | "to") => {
    if (event.key === "Escape" && (drawn !== null || places !== null)) {
      giveUp();
      onChange(null);
    } else {
      const moved = movedBy(event, end, places ?? [0, buckets], buckets);
      if (moved === null) return;
      onChange(moved[0] === 0 && moved[1] === buckets ? null : moved);
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const [from, to] = shown ?? [0, buckets];
  const percent = (place: number) => `${(place / Math.max(1, buckets)) * 100}%`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: two ends over a chart are no field set
    <div
      ref={box}
      role="group"
      aria-label={t("history.range.label")}
      className={
        shown === null
          ? "relative flex-auto min-w-24 cursor-crosshair touch-none select-none"
          : "relative flex-auto min-w-24 cursor-crosshair touch-none select-none [&>.brush-end]:opacity-100 [&>.brush-end]:pointer-events-auto chosen"
      }
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={giveUp}
      onDoubleClick={() => onChange(null)}
    >
      {children}
      {shown === null ? null : (
        <>
          <i
            className="absolute top-0 bottom-3 bg-1/72 pointer-events-none"
            style={{ left: 0, width: percent(from) }}
          />
          <i className="absolute top-0 bottom-3 bg-1/72 pointer-events-none" style={{ left: percent(to), right: 0 }} />
        </>
      )}
      {(["from", "to"] as const).map((end) => {
        const at = end === "from" ? from : to;
        return (
          <span
            key={end}
            role="slider"
            tabIndex={0}
            data-end={end}
            className="brush-end absolute -top-1 bottom-2 w-6 -ml-3 cursor-ew-resize rounded-1 opacity-0 pointer-events-none after:absolute after:top-0 after:bottom-0 after:left-2.75 after:w-0.5 after:rounded-[1px] after:bg-accent focus-visible:opacity-100"
            style={{ left: percent(at) }}
            aria-label={t(`history.range.${end}`)}
            aria-valuemin={0}
            aria-valuemax={buckets}
            aria-valuenow={at}
            aria-valuetext={timeAt(at)}
            onKeyDown={(event) => onKeyDown(event, end)}
          />
        );
      })}
    </div>
  );
}

/** The span after a key at one of its ends; at least one bucket stays. Null for a key of no meaning here. */
function movedBy(event: KeyboardEvent, end: "from" | "to", [from, to]: Places, buckets: number): Places | null {
  const by = event.shiftKey ? PAGE : 1;
  const at = end === "from" ? from : to;
  const steps: Record<string, number> = {
    ArrowLeft: at - by,
    ArrowDown: at - by,
    ArrowRight: at + by,
    ArrowUp: at + by,
    PageDown: at - PAGE,
    PageUp: at + PAGE,
    Home: 0,
    End: buckets,
  };
  const wanted = steps[event.key];
  if (wanted === undefined || event.ctrlKey || event.metaKey || event.altKey) return null;
  return end === "from"
    ? [Math.max(0, Math.min(wanted, to - 1)), to]
    : [from, Math.min(buckets, Math.max(wanted, from + 1))];
}
