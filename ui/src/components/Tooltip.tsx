import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";
import type { ActionId } from "@/commands";
import { KeyCap } from "./KeyCap";

interface TooltipProps {
  text: ReactNode;
  /** Shows its key beside the text. */
  action?: ActionId;
  side?: "top" | "right" | "bottom" | "left";
  children: ReactNode;
}

/** A tooltip around one element. */
export function Tooltip({ text, action, side = "top", children }: TooltipProps) {
  if (!text) return children;
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="tooltip" side={side} sideOffset={4} collisionPadding={8}>
          {text}
          {action ? <KeyCap action={action} /> : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export const TooltipProvider = Radix.Provider;
