/** A tooltip around one element, and text that is cut where it finds no room. */
import { Tooltip as Radix } from "radix-ui";
import { type ReactNode, useRef, useState } from "react";
import type { ActionId } from "@/commands";
import { KeyCap } from "./KeyCap";

interface TooltipProps {
  text: ReactNode;
  /** Shows its key beside the text. */
  action?: ActionId;
  side?: "top" | "right" | "bottom" | "left";
  /** The element shows the same text: it needs a tooltip only where it is cut. */
  onlyCut?: boolean;
  children: ReactNode;
}

export function Tooltip({ text, action, side = "top", onlyCut = false, children }: TooltipProps) {
  const [open, setOpen] = useState(false);
  const element = useRef<HTMLButtonElement>(null);
  // The element stays the same whether there is something to say or not, and so keeps its focus.
  return (
    <Radix.Root
      open={open && Boolean(text)}
      onOpenChange={(next) => setOpen(next && (!onlyCut || isCut(element.current)))}
    >
      <Radix.Trigger
        ref={element}
        asChild
        onFocus={(event) => {
          // A click moves the focus, too, and needs no explanation.
          if (!event.currentTarget.matches(":focus-visible")) event.preventDefault();
        }}
      >
        {children}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="tooltip" side={side} sideOffset={4} collisionPadding={8}>
          {text}
          {action ? <KeyCap action={action} /> : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function isCut(element: HTMLElement | null): boolean {
  return element !== null && (element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight);
}

interface CutProps {
  text: string;
  className?: string;
  /** What stands for `text` in short. */
  children?: ReactNode;
}

/** A text on one line, cut where it finds no room; the tooltip has all of it. */
export function Cut({ text, className = "", children }: CutProps) {
  return (
    <Tooltip text={text} onlyCut={children === undefined}>
      <span className={`trunc ${className}`}>{children ?? text}</span>
    </Tooltip>
  );
}

/** Around the whole window: after one tooltip was shown, the next comes at once for a moment. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={500} skipDelayDuration={100} disableHoverableContent>
      {children}
    </Radix.Provider>
  );
}
