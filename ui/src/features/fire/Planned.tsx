/** Before a result: what would run in its order, or that it is running. Nothing here has an outcome yet. */
import type { CSSProperties, ReactNode } from "react";
import {
  Cut,
  Elapsed,
  FaultNote,
  failedGate,
  Glyph,
  HookState,
  isFault,
  railOf,
  railStyle,
  Skeleton,
  Spinner,
} from "@/components";
import { idAt } from "@/domain/hooks/facts";
import { Notices } from "@/domain/trace/Notices";
import { plannedOutcome } from "@/domain/trace/planned";
import { t } from "@/i18n";
import { say } from "@/i18n/messages";
import { type ExplainStep, useCall } from "@/ipc";
import { capitalizeFirst, escapeInvisible } from "@/lib/escape";
import { joinSentences } from "@/lib/sentences";

interface PlannedProps {
  project: string;
  dialect: string;
  event: string;
  /** Its text. */
  payload: string;
  /** When the run began, in ms since 1970; null while nothing runs. */
  since: number | null;
  /** The text is not JSON: what is shown is for the last one that was. */
  outdated: boolean;
}

/** Drawn again for another payload only: the key of its query is the whole payload. */
export function Planned({ project, dialect, event, payload, since, outdated }: PlannedProps) {
  const plan = useCall("explain", { project, dialect, event, payload }, { keepPrevious: true });
  const hooks = useCall("hooks.list", { project });
  if (plan.error !== null) return <FaultNote fault={plan.error} />;
  if (plan.data === undefined) return <Skeleton rows={6} height={40} what={t("fire.title")} />;
  const own = plan.data.steps.filter((step) => step.event === event);
  // The payload's own text marks a key that comes twice.
  const notices = plan.data.notices?.filter(({ code }) => code !== "duplicate_key");
  const runs = own.filter((step) => step.would_run).length;
  const faults = own.filter((step) => step.would_run && isFault(step.health)).length;
  const guards = new Set((hooks.data?.hooks ?? []).flatMap((row) => (row.guard ? [idAt(row, event)] : [])));
  return (
    <div className="planned [&>.rail]:py-2">
      <div className="py-3 px-4 border-b border-line-2 [&>p]:mt-0.5">
        {since === null ? (
          <>
            <div className="empty-head">{t("fire.nothingFired")}</div>
            <p className="text-small ink-2">
              {outdated
                ? t("fire.planOutdated")
                : runs > 0
                  ? joinSentences(
                      t("fire.willRun", { count: runs }),
                      faults > 0 && t("fire.cannotStart", { count: faults }),
                    )
                  : t("fire.willRunNone")}
            </p>
          </>
        ) : (
          <RunningHead since={since} hooks={runs} />
        )}
      </div>
      <Notices notices={notices} />
      {own.length > 0 ? (
        <ol className="rail" aria-label={t("fire.plan")}>
          <PlannedSteps steps={own} dialect={dialect} guards={guards} />
        </ol>
      ) : null}
    </div>
  );
}

interface StepsProps {
  steps: readonly ExplainStep[];
  dialect: string;
  /** Ids of guards. */
  guards: ReadonlySet<string>;
}

function PlannedSteps({ steps, dialect, guards }: StepsProps): ReactNode {
  const nodes = railOf(steps.map((step) => ({ outcome: plannedOutcome(step), reason: null })));
  return steps.map((step, index) => {
    const node = nodes[index];
    const failed = failedGate(step.gates);
    if (node === undefined) return null;
    const { className, style } = railStyle(node);
    const why = failed === undefined ? null : capitalizeFirst(escapeInvisible(say(failed, failed.why ?? "")), []);
    return (
      <li
        key={step.hook}
        className={`step ${className}${failed === undefined ? "" : " idle"}`}
        style={style as CSSProperties}
      >
        <span className="node">
          <Glyph kind={node.kind} size={16} />
        </span>
        <span style={{ minWidth: 0 }}>
          <span className="step-name trunc block">
            {escapeInvisible(step.label)}
            <span className="step-source">{t(`words.layer.${step.source.layer}`)}</span>
          </span>
          <Cut className="step-line block" text={why ?? t("words.outcome.planned")} />
          {isFault(step.health) ? (
            <HookState
              hook={{
                ...step,
                path: step.source.path,
                dialect,
                guard: guards.has(step.hook),
                muted_until: null,
                shadowed_by: null,
              }}
            />
          ) : null}
        </span>
        <span className="min-w-6 text-right text-ink-3 font-[450] text-xs/[normal] font-mono">
          {step.position ?? ""}
        </span>
      </li>
    );
  });
}

/** Before the engine says which hook runs, only the beginning of the run is known. */
function RunningHead({ since, hooks }: { since: number; hooks: number }) {
  return (
    <>
      <div className="empty-head row">
        <Spinner size={16} />
        {t("fire.running")} <Elapsed since={since} />
      </div>
      <p className="text-small ink-2" role="status">
        {t("fire.runningText", { count: hooks })}
      </p>
    </>
  );
}
