/** Everything about one step: diff, streams, process. Shared by Fire and History. */

import { Copy, Undo2 } from "lucide-react";
import { useState } from "react";
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
import type { Attempt, Step } from "@/ipc";
import { escapeInvisible, oneLine } from "@/lib/escape";
import { prettyText } from "@/lib/jsonText";
import { pretty } from "@/lib/pretty";
import { OutputProblems } from "./OutputProblems";

export type DetailTab = "diff" | "stdin" | "stdout" | "stderr" | "process";

export const DETAIL_TABS: readonly DetailTab[] = ["diff", "stdin", "stdout", "stderr", "process"];

interface StepDetailProps {
  step: Step;
  tab: DetailTab;
  onTab: (tab: DetailTab) => void;
}

/** The lower part of a pane with a chain: it keeps its part of the height, however long the chain is. */
export const DETAIL_PANE =
  "border-t border-line-2 flex-[1_0_40%] min-h-40 flex flex-col [.drawer_&]:basis-[24%] [&>.scroll]:flex-1 [&>.scroll]:min-h-0 [&>.scroll]:overflow-auto";

export function StepDetail({ step, tab: wanted, onTab }: StepDetailProps) {
  const [chosen, setChosen] = useState<{ hook: string; index: number } | null>(null);
  const last = step.attempts.length - 1;
  const index = chosen?.hook === step.hook ? Math.min(chosen.index, last) : last;
  const attempt = step.attempts[index];
  const streams = streamNames(step.handler);
  const names: Record<DetailTab, string> = {
    diff: t("fire.tab.diff"),
    ...streams,
    process: t("fire.tab.process"),
  };
  const tabs = DETAIL_TABS.filter((one) => one === "diff" || !startsNothing(step.handler));
  const tab = tabs.includes(wanted) ? wanted : "diff";
  const stream = tab === "diff" || tab === "process" ? undefined : attempt?.[tab];
  return (
    <div className={`step-detail ${DETAIL_PANE}`}>
      <div className="pane-head" style={{ height: 32 }}>
        <Tabs
          id="step-detail"
          label={t("fire.tabs")}
          value={tab}
          onChange={onTab}
          items={tabs.map((value) => ({ value, label: names[value] }))}
        />
        <span className="spacer" />
        {last > 0 ? (
          <Select
            label={t("fire.attempt")}
            value={String(index)}
            options={step.attempts.map((_, at) => ({
              value: String(at),
              label: t("fire.attemptOf", { at: at + 1, total: last + 1 }),
            }))}
            onChange={(value) => setChosen({ hook: step.hook, index: Number(value) })}
          />
        ) : null}
        <span className="text-tiny dim trunc">{oneLine(step.label, 60)}</span>
        {stream ? (
          <Button
            kind="ghost"
            size="small"
            icon={Copy}
            label={t("fire.copyStream", { name: names[tab] })}
            onClick={() => copyText(stream)}
          />
        ) : null}
      </div>
      <TabPanel id="step-detail" value={tab} className="scroll" scrolls>
        {tab === "diff" ? (
          <>
            <OutputProblems attempt={attempt} />
            <StepDiff step={step} />
          </>
        ) : tab === "process" ? (
          <Process step={step} attempt={attempt} />
        ) : (
          <>
            {tab === "stdin" ? null : <OutputProblems attempt={attempt} stream={tab} />}
            <Stream name={names[tab]} text={attempt?.[tab]} cut={attempt?.truncated ?? false} />
          </>
        )}
      </TabPanel>
    </div>
  );
}

/** What the streams of a handler are: a program has streams, a process and a function are asked, a model is prompted. */
function streamNames(handler: string): Record<"stdin" | "stdout" | "stderr", string> {
  const answer = t("fire.tab.answer");
  switch (handlerKind(handler)) {
    case "prompt":
      return { stdin: t("fire.tab.prompt"), stdout: answer, stderr: "stderr" };
    case "peer":
    case "callback":
      return { stdin: t("fire.tab.request"), stdout: answer, stderr: "stderr" };
    case "shell":
    case "script":
    case "insert":
    case "builtin":
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
      {step.edits.length === 0 && step.ignored.length === 0 ? (
        <p className="text-small dim pad-16">{t(didRun(step) ? "fire.noEdits" : "fire.didNotRun")}</p>
      ) : null}
    </>
  );
}

function Stream({ name, text, cut }: { name: string; text: string | undefined; cut: boolean }) {
  if (text === undefined) return <p className="text-small dim pad-16">{t("fire.didNotRun")}</p>;
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
  if (attempt === undefined) return <p className="text-small dim pad-16">{t("fire.didNotRun")}</p>;
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
