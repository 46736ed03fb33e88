/** Everything about one step: difference, streams, process. Shared by Fire, History and the simulator. */

import { Copy, Undo2 } from "lucide-react";
import { useId, useState } from "react";
import {
  Button,
  CodePane,
  Diff,
  didRun,
  Facts,
  handlerKind,
  Note,
  Select,
  startsNothing,
  TabPanel,
  Tabs,
} from "@/components";
import { copyText } from "@/domain/clipboard";
import { t } from "@/i18n";
import { duration, exactTime } from "@/i18n/format";
import { say } from "@/i18n/messages";
import type { Attempt, Step, Trace } from "@/ipc";
import { escapeInvisible } from "@/lib/escape";
import { prettyText } from "@/lib/jsonText";
import { pretty } from "@/lib/pretty";
import { OutputProblems, problemsOf } from "./OutputProblems";
import { recordedAttempt } from "./origins";

export type DetailTab = "diff" | "stdin" | "stdout" | "stderr" | "process";

const TABS: readonly DetailTab[] = ["diff", "stdin", "stdout", "stderr", "process"];
/** Of a model the reply is read first. */
const MODEL_TABS: readonly DetailTab[] = ["stdout", "stdin", "diff", "stderr", "process"];

interface StepDetailProps {
  step: Step;
  /** The trace that the step stands in. */
  trace: Pick<Trace, "trace" | "steps">;
  /** The tab that is open first; else the one that tells most. */
  first?: DetailTab;
}

/** The well under a step of the timeline. */
export function StepDetail({ step, trace, first }: StepDetailProps) {
  const id = useId();
  const last = step.attempts.length - 1;
  const [attemptIndex, setAttemptIndex] = useState(last);
  const [chosen, setChosen] = useState<DetailTab | undefined>(first);
  const shown = Math.min(attemptIndex, last);
  const attempt = step.attempts[shown];
  const tabs = tabsOf(step, attempt);
  const tab = [chosen, telling(step, attempt), "diff" as const, ...tabs.map(({ value }) => value)].find((wanted) =>
    tabs.some(({ value, disabledBecause }) => value === wanted && disabledBecause === undefined),
  );
  if (tab === undefined) return <p className="text-small dim py-2 px-3">{t("fire.didNotRun")}</p>;
  const stream = tab === "diff" || tab === "process" ? undefined : attempt?.[tab];
  const name = tabs.find(({ value }) => value === tab)?.label ?? "";
  return (
    <>
      <div className="flex items-center gap-2 h-8.5 flex-none pl-3 pr-2 bg-bg-2 border-b border-line-1">
        <Tabs id={id} label={t("fire.tabs")} value={tab} onChange={setChosen} items={tabs} />
        <span className="spacer" />
        {last > 0 ? (
          <Select
            label={t("fire.attempt")}
            value={String(shown)}
            options={step.attempts.map((_, at) => ({
              value: String(at),
              label: t("fire.attemptOf", { at: at + 1, total: last + 1 }),
            }))}
            onChange={(value) => setAttemptIndex(Number(value))}
          />
        ) : null}
        {attempt ? (
          <span className="text-tiny dim trunc @max-[480px]:hidden">
            {t(`words.end.${attempt.end}`, { code: attempt.code ?? attempt.signal ?? "" })}
          </span>
        ) : null}
        {stream ? (
          <Button
            kind="ghost"
            size="small"
            icon={Copy}
            label={t("fire.copyStream", { name })}
            onClick={() => copyText(stream)}
          />
        ) : null}
      </div>
      <TabPanel id={id} value={tab} className="overflow-auto max-h-[50vh]" scrolls>
        {tab === "diff" ? (
          <StepDiff step={step} />
        ) : tab === "process" ? (
          <Process step={step} attempt={attempt} />
        ) : (
          <>
            <OutputProblems attempt={attempt} recorded={recordedAttempt(trace, step, shown)} stream={tab} />
            <Stream name={name} text={attempt?.[tab] ?? ""} cut={attempt?.truncated ?? false} />
          </>
        )}
      </TabPanel>
    </>
  );
}

/** The tabs of a step; one without content says why. */
function tabsOf(step: Step, attempt: Attempt | undefined) {
  const names: Record<DetailTab, string> = {
    diff: t("fire.tab.diff"),
    ...streamNames(step.handler),
    process: t("fire.tab.process"),
  };
  const hasDiff = step.edits.length > 0 || step.ignored.length > 0 || (step.removed?.length ?? 0) > 0;
  const isEmpty = (tab: DetailTab) => {
    if (tab === "diff") return hasDiff ? undefined : t(didRun(step) ? "fire.noEdits" : "fire.didNotRun");
    if (attempt === undefined) return t("fire.didNotRun");
    if (tab === "process" || attempt[tab] || problemsOf(attempt, tab).length > 0) return undefined;
    return t("fire.emptyStream", { name: names[tab] });
  };
  const order = handlerKind(step.handler) === "prompt" ? MODEL_TABS : TABS;
  return order
    .filter((tab) => tab === "diff" || !startsNothing(step.handler))
    .map((value) => ({ value, label: names[value], disabledBecause: isEmpty(value) }));
}

/** What a hook that decided printed, why another one failed, or what it changed. */
function telling({ outcome }: Step, attempt: Attempt | undefined): DetailTab {
  const [problem] = attempt?.output_problems ?? [];
  if (problem !== undefined) return problem.stream;
  if (outcome === "changed") return "diff";
  return /^(?:failed|timed_out)_/.test(outcome) ? "stderr" : "stdout";
}

/** What the streams of a handler are: a program has streams, a process, a function and a URL are asked, a model is prompted. */
function streamNames(handler: string): Record<"stdin" | "stdout" | "stderr", string> {
  const answer = t("fire.tab.answer");
  switch (handlerKind(handler)) {
    case "prompt":
      return { stdin: t("fire.tab.prompt"), stdout: answer, stderr: "stderr" };
    case "peer":
    case "callback":
    case "http":
      return { stdin: t("fire.tab.request"), stdout: answer, stderr: "stderr" };
    case "shell":
    case "script":
    case "insert":
    case "builtin":
    case "mod":
      return { stdin: "stdin", stdout: "stdout", stderr: "stderr" };
  }
}

/** Messages of this step that later calls took out of the list again. */
function Removed({ step }: { step: Step }) {
  return step.removed?.map((one) => (
    <Note key={one.ref} kind="plain" icon={Undo2} className="flat">
      {one.code ? say(one, one.by) : t("fire.takenOut", { by: escapeInvisible(one.by), time: exactTime(one.at) })}
    </Note>
  ));
}

function StepDiff({ step }: { step: Step }) {
  const dropped = step.ignored.filter((one) => one.code === "dropped");
  const others = step.ignored.filter((one) => one.code !== "dropped");
  return (
    <>
      {dropped.length > 0 ? (
        <Note kind="failing_open" icon={Undo2} lead={t("fire.dropped")} className="flat">
          {t("fire.droppedWhy", { fields: dropped.map((one) => one.what).join(t("list")) })}
        </Note>
      ) : null}
      {others.map((one) => (
        <Note
          key={`${one.what} ${one.code}`}
          kind="warning"
          lead={one.what === "" ? `${t("fire.ignored")}:` : `${t("fire.ignored")} ${one.what}.`}
          className="flat"
        >
          {escapeInvisible(say(one, one.why))}
        </Note>
      ))}
      <Removed step={step} />
      {step.edits.map((edit, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the edits of a finished step are fixed
        <section key={index}>
          {edit.code ? (
            <p className="text-small dim pad-16">{say(edit, String(edit.after))}</p>
          ) : (
            <>
              <div className="text-tiny dim mono pad-8">{edit.field}</div>
              <Diff
                label={t("fire.diffOf", { field: edit.field })}
                before={edit.before === null ? "" : prettyText(pretty(edit.before))}
                after={prettyText(pretty(edit.after))}
              />
            </>
          )}
        </section>
      ))}
    </>
  );
}

function Stream({ name, text, cut }: { name: string; text: string; cut: boolean }) {
  if (text === "") return <p className="text-small dim pad-16">{t("fire.emptyStream", { name })}</p>;
  const shown = prettyText(text);
  return (
    <>
      {cut ? (
        <Note kind="warning" className="flat">
          {t("fire.cut")}
        </Note>
      ) : null}
      <CodePane label={name} value={shown} language={shown === text ? "text" : "json"} grow />
    </>
  );
}

function Process({ step, attempt }: { step: Step; attempt: Attempt | undefined }) {
  if (attempt === undefined) return null;
  const rows: [string, string][] = [
    [t("fire.process.end"), t(`words.end.${attempt.end}`, { code: attempt.code ?? attempt.signal ?? "" })],
    [t("fire.process.took"), duration(attempt.took_ms)],
    [t("fire.process.command"), attempt.command.map((word) => escapeInvisible(word)).join(" ")],
    [t("fire.process.cwd"), attempt.cwd ?? ""],
    [t("fire.process.env"), attempt.env.join(" ")],
    [t("fire.process.file"), `${step.source.path}:${step.source.line}`],
  ];
  return <Facts className="pad-16" look="mono wrap" rows={rows.filter(([, value]) => value !== "")} />;
}
