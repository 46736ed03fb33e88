/** A chain that runs now: its present step, what the hook writes meanwhile, and the steps already done. */
import { type CSSProperties, useEffect, useRef } from "react";
import { Elapsed, Glyph, Note, Outcome, railOf, railStyle, Spinner } from "@/components";
import { t } from "@/i18n";
import { duration } from "@/i18n/format";
import type { AgentTestRun, RunningChain, RunningStep } from "@/ipc";
import { escapeInvisible, oneLine } from "@/lib/escape";
import { presentSteps } from "./running";

interface RunningRunProps {
  chain: RunningChain | undefined;
  /** The agent's own run of the same event. */
  atAgent: AgentTestRun | undefined;
  /** When the engine said so. */
  at: number;
}

/** One run, in the place of its result. */
export function RunningRun({ chain, atAgent, at }: RunningRunProps) {
  if (chain !== undefined) {
    return (
      <div className="overflow-auto">
        <div className="py-3 px-4 border-b border-line-2">
          <div className="empty-head row">
            <Spinner size={16} />
            <PresentStep chain={chain} />
            <Elapsed since={at - chain.elapsed_ms} />
          </div>
        </div>
        <RunningSteps chain={chain} at={at} />
      </div>
    );
  }
  if (atAgent === undefined) return null;
  return (
    <div className="overflow-auto">
      <div className="py-3 px-4 border-b border-line-2">
        <div className="empty-head row">
          <Spinner size={16} />
          <span role="status">{t("running.atAgent", { agent: oneLine(atAgent.agent, 40) })}</span>
          <Elapsed since={at - atAgent.elapsed_ms} />
        </div>
        <p className="text-small ink-2">{t("running.atAgentText")}</p>
      </div>
    </div>
  );
}

/** Which hook runs now, announced when it changes. */
export function PresentStep({ chain }: { chain: RunningChain }) {
  const present = presentSteps(chain);
  const [step] = present;
  const total = chain.steps.length;
  const text =
    step === undefined
      ? t("running.between")
      : present.length > 1
        ? t("running.several", { count: present.length, total })
        : t("running.step", { label: oneLine(step.label, 60), number: step.number, total });
  return (
    <span role="status" className="trunc">
      {text}
    </span>
  );
}

/** All steps of a running chain, and the stderr of those that run. */
export function RunningSteps({ chain, at }: { chain: RunningChain; at: number }) {
  const nodes = railOf(chain.steps.map((step) => ({ outcome: step.outcome ?? "planned" })));
  return (
    <ol className="rail py-2" aria-label={t("running.steps")}>
      {chain.steps.map((step, index) => {
        const node = nodes[index];
        if (node === undefined) return null;
        const { className, style } = railStyle(node);
        return (
          <li key={step.hook} aria-current={step.phase === "running" ? "step" : undefined}>
            <div className={`step ${className}`} style={style as CSSProperties}>
              <span className="node">
                {step.phase === "running" ? <Spinner size={16} /> : <Glyph kind={node.kind} size={16} />}
              </span>
              <span style={{ minWidth: 0 }}>
                <span className="step-name trunc block">{escapeInvisible(step.label)}</span>
                <StepLine step={step} />
              </span>
              <span className="row">
                {step.outcome === null ? null : <Outcome kind={step.outcome} />}
                <StepTime step={step} at={at} />
              </span>
            </div>
            {step.stderr === "" ? null : <Stderr step={step} />}
          </li>
        );
      })}
    </ol>
  );
}

function StepLine({ step }: { step: RunningStep }) {
  const words = {
    waiting: t("running.waiting"),
    running: [
      t("running.runs"),
      t("running.limit", { time: duration(step.timeout_ms) }),
      ...(step.attempts > 1 ? [t("running.attempt", { count: step.attempts })] : []),
    ].join(" · "),
    ended: step.outcome === null ? t("running.ended") : "",
  };
  return <span className="step-line block">{words[step.phase]}</span>;
}

function StepTime({ step, at }: { step: RunningStep; at: number }) {
  if (step.elapsed_ms === null) return null;
  return (
    <span className="mono dim step-time">
      {step.phase === "running" ? <Elapsed since={at - step.elapsed_ms} /> : duration(step.elapsed_ms)}
    </span>
  );
}

/** How far from its end a text counts as read to the end, in pixels. */
const NEAR_END = 24;

/** The last lines of stderr. It follows its end, unless the user scrolled away from there. */
function Stderr({ step }: { step: RunningStep }) {
  const box = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the text
  useEffect(() => {
    if (follows.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [step.stderr]);
  return (
    <>
      {step.truncated ? (
        <Note kind="plain" className="flat">
          {t("running.cut")}
        </Note>
      ) : null}
      <pre
        ref={box}
        className="max-h-60 mx-4 mb-2 py-2 px-3 overflow-auto bg-2 whitespace-pre-wrap wrap-anywhere mono"
        role="log"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        tabIndex={0}
        aria-label={t("running.stderr", { label: oneLine(step.label, 60) })}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          follows.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
        }}
      >
        {escapeInvisible(step.stderr)}
      </pre>
    </>
  );
}
