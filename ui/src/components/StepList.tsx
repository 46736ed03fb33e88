/** The chain rail in its large form: one row a step, the line between them says what became of the payload. */
import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import { t } from "@/i18n";
import { duration } from "@/i18n/format";
import type { Step } from "@/ipc";
import { escapeInvisible } from "@/lib/escape";
import { rowByKey } from "@/lib/listKeys";
import { Glyph, type GlyphKind, glyphClass } from "./Glyph";
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
  /** The time of a step as a bar, in its row. */
  lane?: (index: number) => ReactNode;
  /** Draws itself from top to bottom once, for the first result of a fire. */
  draw?: boolean;
}

export function StepList(props: StepListProps) {
  const { label, steps, selected, onSelect, onOpen, badges = true, lane, draw = false } = props;
  const list = useRef<HTMLDivElement>(null);
  const nodes = railOf(steps);
  useEffect(() => {
    if (selected !== null) list.current?.children[selected]?.scrollIntoView?.({ block: "nearest" });
  }, [selected]);

  const onKeyDown = (event: KeyboardEvent) => {
    const focused = [...(list.current?.children ?? [])].indexOf(event.target as HTMLElement);
    const first = event.key === "Enter" && focused >= 0 ? focused : null;
    const to = first ?? rowByKey(event, selected, steps.length);
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
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
          <div
            key={`${step.hook} ${step.position ?? index}`}
            role="option"
            aria-selected={on}
            tabIndex={on || (selected === null && index === 0) ? 0 : -1}
            className={["step pickable", className, on && "on", lane && "timed"].filter(Boolean).join(" ")}
            style={{ ...style, "--i": index } as CSSProperties}
            onClick={() => onSelect(index)}
            onDoubleClick={() => onOpen?.(index)}
          >
            <span className="node">
              <Glyph kind={node.kind} size={16} />
            </span>
            {lane === undefined ? (
              <StepWords step={step} kind={node.kind} badges={badges} />
            ) : (
              <TimedWords step={step} kind={node.kind} badges={badges} lane={lane(index)} />
            )}
          </div>
        );
      })}
    </div>
  );
}

interface StepWordsProps {
  step: Step;
  kind: GlyphKind;
  badges: boolean;
}

function StepWords({ step, kind, badges }: StepWordsProps) {
  return (
    <>
      <span className="min-w-0">
        <span className="step-name trunc block">
          {escapeInvisible(step.label)}
          <span className="step-source">{stepWho(step)}</span>
        </span>
        <span className="step-line block">{stepLine(step)}</span>
      </span>
      <span className="row">
        <span className={badges ? undefined : "visually-hidden"}>
          <Outcome kind={kind} word={stepBadge(step)} beside={step.mode === "detach"} />
        </span>
        <Took step={step} />
      </span>
    </>
  );
}

/** With its time as a bar; what had no effect has a plain word and no badge. */
function TimedWords({ step, kind, badges, lane }: StepWordsProps & { lane: ReactNode }) {
  const word = stepBadge(step) ?? t(`words.outcome.${kind}`);
  const line = stepLine(step);
  return (
    <span className="min-w-0">
      <span className="timed-row">
        <span className="step-name trunc" title={`${escapeInvisible(step.label)} ${stepWho(step)}`}>
          {escapeInvisible(step.label)}
        </span>
        {lane}
        <Took step={step} />
        {badges ? (
          <span className="text-right">
            {QUIET.has(kind) ? (
              <span className="text-small dim">{word}</span>
            ) : (
              <Outcome kind={kind} word={stepBadge(step)} beside={step.mode === "detach"} />
            )}
          </span>
        ) : null}
      </span>
      <span className="step-line block">
        {badges ? null : <span className={QUIET.has(kind) ? undefined : `glyph-${glyphClass(kind)}`}>{word}</span>}
        {badges || line === "" ? null : " · "}
        {line}
      </span>
    </span>
  );
}

const QUIET: ReadonlySet<GlyphKind> = new Set(["no_opinion", "not_matched", "skipped", "not_reached"]);

function Took({ step }: { step: Step }) {
  const took = stepTook(step);
  return <span className="mono dim step-time">{took === null ? "" : duration(took)}</span>;
}
