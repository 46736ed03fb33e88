/** The small rail of the hook drawer: where one hook stands among the others of its event. */
import type { CSSProperties, ReactNode } from "react";
import { escapeInvisible } from "@/lib/escape";
import { Glyph } from "./Glyph";
import { type RailStep, railOf, railStyle } from "./rail";

export interface PositionStep extends RailStep {
  hook: string;
  label: string;
  /** Right-hand word, usually the layer. */
  side: ReactNode;
}

interface ChainPositionProps {
  label: string;
  steps: readonly PositionStep[];
  /** The hook whose place it is. */
  current: string;
  /** False for a chain that has not run: every node is hollow. */
  fired: boolean;
  onPick?: (hook: string) => void;
}

export function ChainPosition({ label, steps, current, fired, onPick }: ChainPositionProps) {
  const nodes = railOf(fired ? steps : steps.map((step) => ({ ...step, outcome: "not_matched", reason: null })));
  return (
    <ul className="rail" style={{ margin: "0 -4px" }} aria-label={label}>
      {steps.map((step, index) => {
        const node = nodes[index];
        if (node === undefined) return null;
        const { className, style } = railStyle(node);
        const on = step.hook === current;
        return (
          <li
            key={step.hook}
            className={["step small", className, on && "on"].filter(Boolean).join(" ")}
            style={style as CSSProperties}
            aria-current={on || undefined}
          >
            <span className="node">
              <Glyph kind={node.kind} size={14} />
            </span>
            <button
              type="button"
              className={on ? "text-small trunc strong" : "text-small trunc"}
              style={{ textAlign: "left", height: "var(--h-control-sm)" }}
              onClick={() => onPick?.(step.hook)}
            >
              {escapeInvisible(step.label)}
            </button>
            <span className="text-tiny dim">{step.side}</span>
          </li>
        );
      })}
    </ul>
  );
}
