import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Note, StepList, Waterfall } from "@/components";
import { noticesToShow } from "@/domain/trace/notices";
import { type DetailTab, StepDetail } from "@/domain/trace/StepDetail";
import { VerdictBanner } from "@/domain/trace/VerdictBanner";
import { useMessages } from "@/i18n/messages";
import type { Trace } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { escapeInvisible } from "@/lib/escape";

interface ResultProps {
  trace: Trace;
  draw: boolean;
  step: number | null;
  onStep: (step: number) => void;
  project: string;
}

export function Result({ trace, draw, step, onStep, project }: ResultProps) {
  const { t } = useTranslation();
  const { say } = useMessages();
  const [tab, setTab] = useState<DetailTab>("diff");
  const steps = trace.steps;
  const move = (by: -1 | 1) => onStep(Math.min(steps.length - 1, Math.max(0, (step ?? -1) + by)));
  useScreenActions({
    "fire.previousStep": steps.length > 0 ? () => move(-1) : null,
    "fire.nextStep": steps.length > 0 ? () => move(1) : null,
  });
  const chosen = step === null ? undefined : steps[step];
  const untrusted = steps.filter((one) => one.reason === "untrusted");
  return (
    <>
      <VerdictBanner trace={trace} />
      {untrusted.length > 0 ? (
        <Note kind="warning" className="flat" lead={t("fire.untrusted", { count: untrusted.length })}>
          <Link className="link" to="/hooks" search={{ review: untrusted[0]?.hook }}>
            {t("fire.reviewThem")}
          </Link>
        </Note>
      ) : null}
      {noticesToShow(trace).map((notice, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the notices of a finished chain are fixed
        <Note key={index} kind={notice.kind === "warning" ? "warning" : "plain"} className="flat">
          {escapeInvisible(say(notice, notice.text))}
        </Note>
      ))}
      {steps.length === 0 ? (
        <p className="empty text-small ink-2">{t("fire.nobodyListens", { event: trace.event })}</p>
      ) : (
        <>
          <div className="waterfall-box">
            <Waterfall steps={steps} took={trace.took_ms} selected={step} onSelect={onStep} draw={draw} />
          </div>
          <div className="steps-box">
            <StepList
              key={trace.trace}
              label={t("fire.steps")}
              steps={steps}
              selected={step}
              onSelect={onStep}
              draw={draw}
            />
          </div>
          {chosen ? <StepDetail step={chosen} tab={tab} onTab={setTab} /> : null}
        </>
      )}
      <div className="result-foot text-tiny dim">
        <Link className="link" to="/history" search={{ trace: trace.trace }}>
          {t("fire.inHistory")}
        </Link>
        <Link className="link" to="/history/explain" search={{ trace: trace.trace }}>
          {t("fire.explain")}
        </Link>
        <span className="spacer" />
        {project ? <span className="mono">{trace.trace}</span> : null}
      </div>
    </>
  );
}
