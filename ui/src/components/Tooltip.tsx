/** A tooltip around one element. What draws it is loaded with the first one. */
import { Slot } from "radix-ui";
import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { create } from "zustand";
import type { ActionId } from "@/commands";

type Side = "top" | "right" | "bottom" | "left";

export interface ShownTooltip {
  element: HTMLElement;
  text: ReactNode;
  action: ActionId | undefined;
  side: Side;
}

/** The tooltip on show; there is one at most. */
export const useShownTooltip = create<{ shown: ShownTooltip | null }>()(() => ({ shown: null }));

const DELAY_MS = 500;
/** After one was shown, the next comes at once for so long. */
const SKIP_DELAY_MS = 100;
let timer: ReturnType<typeof setTimeout> | undefined;
let hiddenAt = 0;

function show(tooltip: ShownTooltip, delay: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => useShownTooltip.setState({ shown: tooltip }), delay);
}

export function hideTooltip(): void {
  clearTimeout(timer);
  if (useShownTooltip.getState().shown === null) return;
  hiddenAt = Date.now();
  useShownTooltip.setState({ shown: null });
}

interface TooltipProps {
  text: ReactNode;
  /** Shows its key beside the text. */
  action?: ActionId;
  side?: Side;
  children: ReactNode;
}

export function Tooltip({ text, action, side = "top", children }: TooltipProps) {
  const own = useRef<HTMLElement | null>(null);
  useEffect(
    () => () => {
      if (own.current !== null && useShownTooltip.getState().shown?.element === own.current) hideTooltip();
    },
    [],
  );
  // The element stays the same whether there is something to say or not, and so keeps its focus.
  const begin = (element: HTMLElement, delay: number) => {
    if (!text) return;
    own.current = element;
    show({ element, text, action, side }, delay);
  };
  return (
    <Slot.Root
      onPointerEnter={(event: React.PointerEvent<HTMLElement>) => {
        if (event.pointerType === "touch") return;
        begin(event.currentTarget, Date.now() - hiddenAt < SKIP_DELAY_MS ? 0 : DELAY_MS);
      }}
      onPointerLeave={hideTooltip}
      onPointerDown={hideTooltip}
      onFocus={(event: React.FocusEvent<HTMLElement>) => {
        // A click moves the focus, too, and needs no explanation.
        if (event.currentTarget.matches(":focus-visible")) begin(event.currentTarget, 0);
      }}
      onBlur={hideTooltip}
    >
      {children}
    </Slot.Root>
  );
}

const Content = lazy(() => import("./TooltipContent"));

/** Draws the tooltip on show; once in the window. */
export function TooltipHost() {
  const shown = useShownTooltip((store) => store.shown);
  if (shown === null) return null;
  return (
    <Suspense fallback={null}>
      <Content tooltip={shown} />
    </Suspense>
  );
}
