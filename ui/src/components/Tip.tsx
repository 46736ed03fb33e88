import { Tooltip } from "radix-ui";
import type { ReactNode } from "react";
import { keyCap } from "@/lib/keys";

interface TipProps {
  text: ReactNode;
  /** A chord to show beside the text. */
  chord?: string;
  side?: "top" | "right" | "bottom" | "left";
  children: ReactNode;
}

/** A tooltip around one element. */
export function Tip({ text, chord, side = "top", children }: TipProps) {
  if (!text) return children;
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content className="tip" side={side} sideOffset={4} collisionPadding={8}>
          {text}
          {chord ? <kbd>{keyCap(chord)}</kbd> : null}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

export const TipProvider = Tooltip.Provider;
