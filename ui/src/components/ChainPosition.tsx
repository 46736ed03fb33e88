/** The small rail of the hook drawer: where one hook stands among the others of its event. */
import type { CSSProperties, ReactNode } from "react";
import { t } from "@/i18n";
import { escapeInvisible } from "@/lib/escape";
import { Glyph } from "./Glyph";
import { type RailStep, railOf, railStyle } from "./rail";
import { Tooltip } from "./Tooltip";

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
  onPick?: (hook: string) => void;
}

export function ChainPosition({ label, steps, current, onPick }: ChainPositionProps) {
  const nodes = railOf(steps);
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
            <Tooltip text={t(`words.outcome.${node.kind}`)} side="left">
              <span className="node">
                <Glyph kind={node.kind} size={14} />
                <span className="visually-hidden">{t(`words.outcome.${node.kind}`)}</span>
              </span>
            </Tooltip>
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
