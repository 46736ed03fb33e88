import { ShieldQuestionMark } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Button, Note, Timeline } from "@/components";
import { GuardButton } from "@/domain/newHook/GuardButton";
import { Notices } from "@/domain/trace/Notices";
import { isAboutFiles, losesHooks, noticesToShow } from "@/domain/trace/notices";
import { type DetailTab, StepDetail } from "@/domain/trace/StepDetail";
import { VerdictBanner } from "@/domain/trace/VerdictBanner";
import { waitingOnly } from "@/domain/trace/verdictWords";
import { t } from "@/i18n";
import type { Step, Trace } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { Link, useNavigate } from "@/routes/router";

interface ResultProps {
  trace: Trace;
  draw: boolean;
  step: number | null;
  onStep: (step: number) => void;
  /** What an agent replied to the same event. */
  reply: ReactNode;
  /** The hooks of the event changed since. */
  isOutdated: boolean;
  /** The agent itself does not run the hook that decided. */
  onlyHere: boolean;
  onFire: () => void;
}

/** Drawn again for what it shows only, and not for each key in the payload. */
export function Result(props: ResultProps) {
  const { trace, draw, step, onStep, reply, isOutdated, onlyHere, onFire } = props;
  /** Null until one is chosen: then the tab that tells most of a step. */
  const [tab, setTab] = useState<DetailTab | null>(null);
  const steps = trace.steps;
  const move = (by: -1 | 1) => onStep(Math.min(steps.length - 1, Math.max(0, (step ?? -1) + by)));
  useScreenActions({
    "fire.previousStep": steps.length > 0 ? () => move(-1) : null,
    "fire.nextStep": steps.length > 0 ? () => move(1) : null,
  });
  const chosen = step === null ? undefined : steps[step];
  const untrusted = steps.filter((one) => one.reason === "untrusted");
  const isHeadline = waitingOnly(trace) > 0;
  return (
    <>
      {isOutdated ? (
        <Note kind="warning" className="flat" lead={t("fire.outdated")}>
          <button type="button" className="link" onClick={onFire}>
            {t("fire.again")}
          </button>
        </Note>
      ) : null}
      <Notices notices={noticesToShow(trace).filter(isAboutFiles)} />
      <VerdictBanner
        trace={trace}
        outdated={isOutdated}
        onlyHere={onlyHere}
        action={isHeadline ? <Review hook={untrusted[0]?.hook} /> : undefined}
      />
      <div className="flex-1 min-h-0 overflow-y-auto flex flex-col">
        {reply}
        {untrusted.length > 0 && !isHeadline ? (
          <Note kind="warning" className="flat" lead={t("fire.untrusted", { count: untrusted.length })}>
            <Link className="link" to="/trust" search={{ hook: untrusted[0]?.hook }}>
              {t("fire.reviewThem")}
            </Link>
          </Note>
        ) : null}
        <Notices notices={noticesToShow(trace).filter((notice) => !isAboutFiles(notice))} />
        {steps.length === 0 ? (
          <p className="empty text-small ink-2">
            {losesHooks(trace.notices) ? t("fire.hooksLost") : t("fire.nobodyListens", { event: trace.event })}
          </p>
        ) : (
          <>
            <div className="flex-none">
              <Timeline
                key={trace.trace}
                steps={steps}
                took={trace.took_ms}
                selected={step}
                onSelect={onStep}
                draw={draw}
              />
            </div>
            {chosen ? <StepDetail step={chosen} tab={tab ?? telling(chosen)} onTab={setTab} /> : null}
          </>
        )}
      </div>
      <div className="flex gap-4 items-center py-1 px-4 border-t border-t-line-1 flex-none text-tiny dim whitespace-nowrap">
        <Link className="link" to="/history" search={{ trace: trace.trace }}>
          {t("fire.inHistory")}
        </Link>
        <Link className="link" to="/history/explain" search={{ trace: trace.trace }}>
          {t("fire.explain")}
        </Link>
        <GuardButton trace={trace} />
        <span className="mono trunc min-w-0 ml-auto" title={trace.trace}>
          {trace.trace}
        </span>
      </div>
    </>
  );
}

/** What a hook that decided printed; of all others, what it changed or why it failed. */
function telling({ outcome, attempts }: Step): DetailTab {
  const isDecision = outcome === "denied" || outcome === "asked";
  return isDecision && attempts.at(-1)?.stdout ? "stdout" : "diff";
}

function Review({ hook }: { hook: string | undefined }) {
  const navigate = useNavigate();
  return (
    <Button kind="primary" icon={ShieldQuestionMark} onClick={() => void navigate({ to: "/trust", search: { hook } })}>
      {t("fire.reviewThem")}
    </Button>
  );
}
