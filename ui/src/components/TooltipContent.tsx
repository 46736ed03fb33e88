import { Tooltip as Radix } from "radix-ui";
import { useEffect, useRef } from "react";
import { KeyCap } from "./KeyCap";
import { hideTooltip, type ShownTooltip } from "./Tooltip";

/** The drawn tooltip. It stands beside an invisible box that lies where the element is. */
export default function TooltipContent({ tooltip: { element, text, action, side } }: { tooltip: ShownTooltip }) {
  const box = useRef<HTMLSpanElement>(null);
  const { top, left, width, height } = element.getBoundingClientRect();
  useEffect(() => {
    const before = element.getAttribute("aria-describedby");
    const id = box.current?.getAttribute("aria-describedby");
    if (id) element.setAttribute("aria-describedby", before === null ? id : `${before} ${id}`);
    window.addEventListener("scroll", hideTooltip, { capture: true, once: true });
    return () => {
      window.removeEventListener("scroll", hideTooltip, { capture: true });
      if (before === null) element.removeAttribute("aria-describedby");
      else element.setAttribute("aria-describedby", before);
    };
  }, [element]);
  return (
    <Radix.Provider>
      <Radix.Root open onOpenChange={(open) => (open ? undefined : hideTooltip())}>
        <Radix.Trigger asChild>
          <span ref={box} className="tooltip-anchor" style={{ top, left, width, height }} />
        </Radix.Trigger>
        <Radix.Portal>
          <Radix.Content className="tooltip" side={side} sideOffset={4} collisionPadding={8}>
            {text}
            {action ? <KeyCap action={action} /> : null}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  );
}
