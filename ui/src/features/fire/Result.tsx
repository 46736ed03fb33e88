import { Copy, History, SearchX, ShieldQuestionMark } from "lucide-react";
import type { ReactNode } from "react";
import { ActionBar, Button, Note, Timeline } from "@/components";
import { copyText } from "@/domain/clipboard";
import { useGuardAction } from "@/domain/newHook/guardAction";
import { Notices } from "@/domain/trace/Notices";
import { isAboutFiles, losesHooks, noticesToShow } from "@/domain/trace/notices";
import { StepDetail } from "@/domain/trace/StepDetail";
import { VerdictBanner } from "@/domain/trace/VerdictBanner";
import { waitingOnly } from "@/domain/trace/verdictWords";
import { t } from "@/i18n";
import type { Trace } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { Link, useNavigate } from "@/routes/router";

interface ResultProps {
  trace: Trace;
  draw: boolean;
  step: number | null;
  onStep: (step: number | null) => void;
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
  const steps = trace.steps;
  const move = (by: -1 | 1) => onStep(Math.min(steps.length - 1, Math.max(0, (step ?? -1) + by)));
  useScreenActions({
    "fire.previousStep": steps.length > 0 ? () => move(-1) : null,
    "fire.nextStep": steps.length > 0 ? () => move(1) : null,
  });
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
      <div className="flex-1 min-h-0 overflow-y-auto" data-trace={trace.trace}>
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
          <Timeline
            key={trace.trace}
            steps={steps}
            took={trace.took_ms}
            selected={step}
            onSelect={onStep}
            detail={(one) => <StepDetail step={one} trace={trace} />}
            draw={draw}
          />
        )}
      </div>
      <ResultActions trace={trace} />
    </>
  );
}

function ResultActions({ trace }: { trace: Trace }) {
  const navigate = useNavigate();
  const guard = useGuardAction(trace);
  const id = trace.trace;
  const explain = () => navigate({ to: "/history/explain", search: { trace: id } });
  useScreenActions({ "trace.explain": explain });
  return (
    <ActionBar
      items={[
        { label: t("history.explain"), icon: SearchX, action: "trace.explain", run: explain },
        { label: t("fire.inHistory"), icon: History, run: () => navigate({ to: "/history", search: { trace: id } }) },
        ...guard,
      ]}
      more={[{ label: t("copyId"), icon: Copy, run: () => copyText(id) }]}
    />
  );
}

function Review({ hook }: { hook: string | undefined }) {
  const navigate = useNavigate();
  return (
    <Button kind="primary" icon={ShieldQuestionMark} onClick={() => void navigate({ to: "/trust", search: { hook } })}>
      {t("fire.reviewThem")}
    </Button>
  );
}
