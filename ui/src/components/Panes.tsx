/** Panes that meet at 1 px lines, with splits that are dragged, moved by arrow keys and reset by a double click. */
import { type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import { t } from "@/i18n";
import { useView } from "@/lib/view";

const MIN_WIDTH = 200;
const KEY_STEP = 16;

interface PaneProps {
  /** The region's name, read by screen readers and F6. */
  label: string;
  className?: string;
  style?: CSSProperties;
  children: ReactNode;
}

/** The pane that takes what the others leave. */
export function Pane({ label, className, style, children }: PaneProps) {
  return (
    <section
      className={["pane grow", className].filter(Boolean).join(" ")}
      style={style}
      aria-label={label}
      tabIndex={-1}
      data-region
    >
      {children}
    </section>
  );
}

interface SizedPaneProps extends PaneProps {
  /** `screen.pane`, under which the width is remembered. */
  id: string;
  /** Width in px before anybody dragged. */
  width: number;
  min?: number;
  max?: number;
  /** On which side of the pane the split lies. */
  split: "left" | "right";
}

/** A pane of remembered width, with its split. */
export function SizedPane(props: SizedPaneProps) {
  const { id, width, min = MIN_WIDTH, max = 720, split, label, className, style, children } = props;
  const kept = useView((view) => view.splits[id]);
  const setSplit = useView((view) => view.setSplit);
  const [dragging, setDragging] = useState<number | null>(null);
  const start = useRef({ x: 0, width: 0 });
  const now = dragging ?? kept ?? width;
  const clamp = (wanted: number) => Math.round(Math.min(max, Math.max(min, wanted)));
  const sign = split === "right" ? 1 : -1;

  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: event.clientX, width: now };
    setDragging(now);
  };
  const onPointerMove = (event: PointerEvent) => {
    if (dragging !== null) setDragging(clamp(start.current.width + sign * (event.clientX - start.current.x)));
  };
  const onPointerUp = () => {
    if (dragging !== null && dragging !== (kept ?? width)) setSplit(id, dragging);
    setDragging(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    setSplit(id, clamp(now + sign * (event.key === "ArrowRight" ? KEY_STEP : -KEY_STEP)));
  };
  const bar = (
    // biome-ignore lint/a11y/useSemanticElements: a separator that is moved is no rule line
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={t("resize", { name: label })}
      aria-valuenow={now}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      className={["split", dragging !== null && "drag", /\bwide\b/.test(className ?? "") && "wide"]
        .filter(Boolean)
        .join(" ")}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
      onDoubleClick={() => setSplit(id, null)}
      onKeyDown={onKeyDown}
    />
  );
  return (
    <>
      {split === "left" ? bar : null}
      <section
        className={["pane", className].filter(Boolean).join(" ")}
        style={{ width: now, flex: "none", ...style }}
        aria-label={label}
        tabIndex={-1}
        data-region
      >
        {children}
      </section>
      {split === "right" ? bar : null}
    </>
  );
}

/** Toasts are a pane too, as long as there are any. */
const REGIONS = "[data-region], [data-sonner-toaster]";

/** Moves the focus to the next named pane, as F6 does. */
export function focusNextRegion(backwards = false): void {
  const regions = [...document.querySelectorAll<HTMLElement>(REGIONS)].filter(
    (region) => region.getClientRects().length > 0,
  );
  if (regions.length === 0) return;
  const at = regions.findLastIndex((region) => region.contains(document.activeElement));
  const step = backwards ? -1 : 1;
  const next = regions[(at + step + regions.length) % regions.length];
  const inside = next?.querySelector<HTMLElement>('[tabindex="0"], [data-focus]');
  (inside ?? next)?.focus();
}
