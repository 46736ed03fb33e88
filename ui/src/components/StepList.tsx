/** The chain rail in its large form: one row a step, the line between them says what became of the payload. */
import { type CSSProperties, type KeyboardEvent, useEffect, useRef } from "react";
import { duration } from "@/i18n/format";
import type { Step } from "@/ipc";
import { escapeInvisible } from "@/lib/escape";
import { rowByKey } from "@/lib/listKeys";
import { Glyph } from "./Glyph";
import { Outcome } from "./Outcome";
import { railOf, railStyle } from "./rail";
import { stepBadge, stepLine, stepTook, stepWho } from "./step";

interface StepListProps {
  label: string;
  steps: readonly Step[];
  /** Index of the chosen step. */
  selected: number | null;
  onSelect: (index: number) => void;
  onOpen?: (index: number) => void;
  /** With the outcome in words; the narrow form of History leaves it to the glyph. */
  badges?: boolean;
  /** Draws itself from top to bottom once, for the first result of a fire. */
  draw?: boolean;
}

export function StepList({ label, steps, selected, onSelect, onOpen, badges = true, draw = false }: StepListProps) {
  const list = useRef<HTMLDivElement>(null);
  const nodes = railOf(steps);
  useEffect(() => {
    if (selected !== null) list.current?.children[selected]?.scrollIntoView?.({ block: "nearest" });
  }, [selected]);

  const onKeyDown = (event: KeyboardEvent) => {
    const to = rowByKey(event, selected, steps.length);
    if (event.key === "Enter" && selected !== null) onOpen?.(selected);
    else if (to === null) return;
    else {
      onSelect(to);
      (list.current?.children[to] as HTMLElement | undefined)?.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={list}
      className={draw ? "rail draw" : "rail"}
      role="listbox"
      aria-label={label}
      tabIndex={-1}
      style={{ "--n": steps.length } as CSSProperties}
      onKeyDown={onKeyDown}
    >
      {steps.map((step, index) => {
        const node = nodes[index];
        if (node === undefined) return null;
        const { className, style } = railStyle(node);
        const on = index === selected;
        const took = stepTook(step);
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
          <div
            key={`${step.hook} ${step.position ?? index}`}
            role="option"
            aria-selected={on}
            tabIndex={on || (selected === null && index === 0) ? 0 : -1}
            className={["step pickable", className, on && "on"].filter(Boolean).join(" ")}
            style={{ ...style, "--i": index } as CSSProperties}
            onClick={() => onSelect(index)}
            onDoubleClick={() => onOpen?.(index)}
          >
            <span className="node">
              <Glyph kind={node.kind} size={16} />
            </span>
            <span style={{ minWidth: 0 }}>
              <span className="step-name trunc" style={{ display: "block" }}>
                {escapeInvisible(step.label)}
                <span className="step-source">{stepWho(step)}</span>
              </span>
              <span className="step-line" style={{ display: "block" }}>
                {stepLine(step)}
              </span>
            </span>
            <span className="row">
              <span className={badges ? undefined : "visually-hidden"}>
                <Outcome kind={node.kind} word={stepBadge(step)} beside={step.mode === "detach"} />
              </span>
              <span className="mono dim step-time">{took === null ? "" : duration(took)}</span>
            </span>
          </div>
        );
      })}
    </div>
  );
}
