/** A tooltip around one element. */
import { Tooltip as Radix } from "radix-ui";
import { type ReactNode, useState } from "react";
import type { ActionId } from "@/commands";
import { KeyCap } from "./KeyCap";

interface TooltipProps {
  text: ReactNode;
  /** Shows its key beside the text. */
  action?: ActionId;
  side?: "top" | "right" | "bottom" | "left";
  children: ReactNode;
}

export function Tooltip({ text, action, side = "top", children }: TooltipProps) {
  const [open, setOpen] = useState(false);
  // The element stays the same whether there is something to say or not, and so keeps its focus.
  return (
    <Radix.Root open={open && Boolean(text)} onOpenChange={setOpen}>
      <Radix.Trigger
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

/** Around the whole window: after one tooltip was shown, the next comes at once for a moment. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={500} skipDelayDuration={100} disableHoverableContent>
      {children}
    </Radix.Provider>
  );
}
