import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { keyCap } from "@/lib/keys";

interface TooltipProps {
  text: ReactNode;
  /** A chord to show beside the text. */
  chord?: string;
  side?: "top" | "right" | "bottom" | "left";
  children: ReactNode;
}

/** A tooltip around one element. */
export function Tooltip({ text, chord, side = "top", children }: TooltipProps) {
  if (!text) return children;
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="tip" side={side} sideOffset={4} collisionPadding={8}>
          {text}
          {chord ? <kbd>{keyCap(chord)}</kbd> : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export const TooltipProvider = Radix.Provider;
