/** The chain rail twice, row by row: a hook's step in the earlier and in the later chain. */
import { type KeyboardEvent, useRef } from "react";
import { Glyph, glyphOf, type RailStep, railOf, railStyle, stepLine, stepTook } from "@/components";
import { t } from "@/i18n";
import { duration } from "@/i18n/format";
import type { Step } from "@/ipc";
import { escapeInvisible } from "@/lib/escape";
import { isDifferent, type Pair } from "./pairs";

interface StepPairsProps {
  pairs: readonly Pair[];
  selected: number | null;
  onSelect: (index: number) => void;
}

export function StepPairs({ pairs, selected, onSelect }: StepPairsProps) {
  const list = useRef<HTMLDivElement>(null);
  const earlier = useRail(pairs, "earlier");
  const later = useRail(pairs, "later");
  const onKeyDown = (event: KeyboardEvent) => {
    const last = pairs.length - 1;
    const at = selected ?? -1;
    const places: Record<string, number> = {
      ArrowDown: Math.min(at + 1, last),
      ArrowUp: Math.max(at - 1, 0),
      Home: 0,
      End: last,
    };
    const to = places[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    onSelect(to);
    (list.current?.children[to] as HTMLElement | undefined)?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={list} role="listbox" aria-label={t("fire.steps")} tabIndex={-1} onKeyDown={onKeyDown}>
      {pairs.map((one, index) => {
        const on = index === selected;
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: the pairs of two finished chains are fixed
            key={index}
            role="option"
            aria-selected={on}
            tabIndex={on || (selected === null && index === 0) ? 0 : -1}
            className={[
              "grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] w-full [&>.step]:min-h-11 [&>.step+.step]:border-l [&>.step+.step]:border-line-1 [&.differs]:shadow-[inset_2px_0_0_var(--accent)] [&.same_.step-name]:font-regular [&.same_.step-name]:text-ink-3 [&:hover:not(.on)]:bg-3 [&.on]:bg-sel [&.on_.glyph]:[--cut:var(--bg-sel)] focus-visible:-outline-offset-2 [&:not(:first-child)>.step:first-child>.node::before]:visible [&:not(:last-child)>.step:last-child>.node::after]:visible [&:first-child>.step>.node::before]:invisible [&:last-child>.step>.node::after]:invisible [&>.absent>.node::before]:h-1/2 [&>.absent>.node::after]:h-1/2 [&.on_.chip.accent]:bg-accent [&.on_.chip.accent]:text-ink-inv pickable",
              isDifferent(one) ? "differs" : "same",
              on && "on",
            ]
              .filter(Boolean)
              .join(" ")}
            onClick={() => onSelect(index)}
          >
            <Cell step={one.earlier} rail={earlier[index] ?? LOOSE} marks={null} />
            <Cell step={one.later} rail={later[index] ?? LOOSE} marks={one} />
          </div>
        );
      })}
    </div>
  );
}

/** The classes and line colours of each row of one side; a step that this chain lacks is passed by on the same line. */
function useRail(pairs: readonly Pair[], side: "earlier" | "later"): Rail[] {
  const nodes = railOf(pairs.flatMap((one): RailStep[] => (one[side] === null ? [] : [one[side]])));
  let next = 0;
  return pairs.map((one) => {
    if (one[side] !== null) {
      const node = nodes[next];
      next += 1;
      return node === undefined ? LOOSE : railStyle(node);
    }
    const before = nodes[next - 1]?.after ?? null;
    return railStyle({ kind: "not_reached", before, after: before });
  });
}

type Rail = ReturnType<typeof railStyle>;
const LOOSE = railStyle({ kind: "not_reached", before: null, after: null });

function Cell({ step, rail, marks }: { step: Step | null; rail: Rail; marks: Pair | null }) {
  const { className, style } = rail;
  if (step === null) {
    return (
      <span className={`step absent ${className}`} style={style}>
        <span className="node" />
        <span className="step-line">{t("history.compare.absent")}</span>
      </span>
    );
  }
  const took = stepTook(step);
  const differs = marks?.earlier == null ? null : marks.differs;
  return (
    <span className={`step ${className}`} style={style}>
      <span className="node">
        <Glyph kind={glyphOf(step)} size={16} />
      </span>
      <span style={{ minWidth: 0 }}>
        <span className="step-name trunc" style={{ display: "block" }}>
          {escapeInvisible(step.label)}
        </span>
        <span className="step-line" style={{ display: "block" }}>
          {t(`words.outcome.${glyphOf(step)}`)}
          {stepLine(step) === "" ? null : ` · ${stepLine(step)}`}
        </span>
      </span>
      <span className="flex flex-col items-end gap-0.5 min-w-12">
        <span className="mono dim step-time">{took === null ? "" : duration(took)}</span>
        {differs === null ? null : (
          <span className="row gap-1 [&>.chip]:h-4 [&>.chip]:px-1">
            {differs.outcome ? <span className="chip accent">{t("history.compare.mark.outcome")}</span> : null}
            {differs.output ? <span className="chip accent">{t("history.compare.mark.output")}</span> : null}
            {differs.time === null ? null : (
              <span className="chip accent">{`${differs.time > 0 ? "+" : "−"}${duration(Math.abs(differs.time))}`}</span>
            )}
          </span>
        )}
      </span>
    </span>
  );
}
