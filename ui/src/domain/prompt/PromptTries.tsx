/** Asks the model about one event several times: how often it decides the same, and what that takes. */
import { Repeat, Square } from "lucide-react";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { Button, Elapsed, Note, Outcome, Select } from "@/components";
import { useAppState } from "@/domain/project";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { count, duration } from "@/i18n/format";
import { faultText } from "@/i18n/messages";
import { call, onPromptAnswer, type Params, type Reply, useCall, useCommand } from "@/ipc";
import { escapeInvisible, oneLine } from "@/lib/escape";
import { Link } from "@/routes/router";
import { ScrolledText } from "./ScrolledText";

type Run = Omit<Params<"prompt.run">, "run" | "times" | "fresh">;
export type PromptAnswer = Reply<"prompt.run">["answers"][number];
const TIMES = ["1", "3", "5", "10", "20"] as const;

interface Tries {
  answers: readonly PromptAnswer[];
  of: number;
  since: number;
}

/** The tries of the last run, one after another as the model answers. */
function useTries(run: Run) {
  const name = useRef("");
  const [tries, setTries] = useState<Tries | null>(null);
  const trying = useCommand("prompt.run", {
    onSuccess: ({ answers, times }) => setTries((now) => ({ since: now?.since ?? 0, answers, of: times })),
  });
  const stop = () => {
    if (name.current !== "") void call("fire.stop", { run: name.current }).catch(toastFault);
  };
  // A model is not asked on for somebody who has gone.
  const leave = useEffectEvent(stop);
  useEffect(() => () => leave(), []);
  const start = (times: number, fresh: boolean) => {
    const own = crypto.randomUUID();
    name.current = own;
    setTries({ answers: [], of: times, since: Date.now() });
    const unhear = onPromptAnswer(own, ({ answer, of }) =>
      setTries((now) =>
        now === null || name.current !== own ? now : { ...now, of, answers: [...now.answers, answer] },
      ),
    );
    trying.mutate(
      { ...run, run: own, times, fresh },
      {
        onSettled: () => {
          unhear();
          if (name.current === own) name.current = "";
        },
      },
    );
  };
  return { tries, start, stop, busy: trying.isPending, fault: trying.error };
}

/** What is to be done before the model can be asked; null where nothing is. */
function useFirstStep({ project, hook }: Run): ReactNode {
  const model = useAppState()?.model;
  const list = useCall("hooks.list", { project: project ?? null }, { enabled: hook !== undefined });
  const row = list.data?.hooks.find((one) => one.hook === hook);
  if (model !== undefined && !model.configured)
    return (
      <Note kind="info" lead={t("prompt.noModel")}>
        <Link className="link" to="/settings" search={{ section: "model" }}>
          {t("prompt.addModel")}
        </Link>
      </Note>
    );
  if (row !== undefined && !row.trusted)
    return (
      <Note kind="info" lead={t("prompt.notApproved")}>
        <Link className="link" to="/trust" search={{ hook: row.hook }}>
          {t("editor.review")}
        </Link>
      </Note>
    );
  return null;
}

export function PromptTries({ run }: { run: Run }) {
  const [times, setTimes] = useState<(typeof TIMES)[number]>("5");
  const { tries, start, stop, busy, fault } = useTries(run);
  const answers = tries?.answers ?? [];
  const [chosen, setChosen] = useState<number | null>(null);
  const shown = answers.find(({ index }) => index === chosen) ?? answers.at(-1);
  const isKept = answers.length > 0 && answers.every(({ cached }) => cached);
  const first = useFirstStep(run);
  if (first !== null)
    return (
      <section
        className="flex-none max-h-[55%] flex flex-col min-h-0 border-t border-line-2 [&_.pane-head>.select]:w-auto max-paired:max-h-none pad"
        aria-label={t("prompt.steadiness")}
      >
        {first}
      </section>
    );
  return (
    <section
      className="flex-none max-h-[55%] flex flex-col min-h-0 border-t border-line-2 [&_.pane-head>.select]:w-auto max-paired:max-h-none"
      aria-label={t("prompt.steadiness")}
    >
      <div className="pane-head">
        <h3>{t("prompt.steadiness")}</h3>
        <span className="spacer" />
        {busy ? (
          <Button size="small" icon={Square} onClick={stop}>
            {t("prompt.stop")} <Elapsed since={tries?.since ?? 0} />
          </Button>
        ) : (
          <>
            <Select
              label={t("prompt.times")}
              value={times}
              onChange={(value) => setTimes(value as typeof times)}
              options={TIMES.map((value) => ({ value, label: t("prompt.timesOf", { count: Number(value) }) }))}
            />
            <Button size="small" icon={Repeat} onClick={() => start(Number(times), isKept)}>
              {t(isKept ? "prompt.again" : "prompt.run")}
            </Button>
          </>
        )}
      </div>
      {fault === null ? null : <Note kind="error" lead={faultText(fault).message} />}
      {tries === null || (fault !== null && answers.length === 0) ? (
        <p className="pad text-small ink-2">{t("prompt.about")}</p>
      ) : (
        <Sums tries={tries} busy={busy} />
      )}
      {answers.length === 0 ? null : (
        <ul className="overflow-auto max-h-33 px-1">
          {answers.map((answer) => (
            <AnswerRow
              key={answer.index}
              answer={answer}
              on={answer === shown}
              onPick={() => setChosen(answer.index)}
            />
          ))}
        </ul>
      )}
      {shown === undefined ? null : (
        <ScrolledText label={t("prompt.answer")} className="p-3 max-h-30 border-t border-line-1 bg-code">
          {escapeInvisible(shown.text ?? shown.error ?? t("prompt.noAnswer"))}
        </ScrolledText>
      )}
    </section>
  );
}

/** What would happen, as one word for each decision. */
const decisionOf = ({ outcome, verdict, fields }: PromptAnswer) => JSON.stringify([outcome, verdict, fields]);

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function Sums({ tries, busy }: { tries: Tries; busy: boolean }) {
  const replied = tries.answers.filter(({ end }) => end === "replied");
  const decisions = new Map<string, number>();
  for (const answer of replied) decisions.set(decisionOf(answer), (decisions.get(decisionOf(answer)) ?? 0) + 1);
  const sum = (of: "input_tokens" | "output_tokens") => replied.reduce((all, answer) => all + (answer[of] ?? 0), 0);
  const tokens = sum("input_tokens") + sum("output_tokens");
  const figure = (value: string, word: string) => (
    <div>
      <dd className="medium">{value}</dd>
      <dt className="text-tiny dim">{word}</dt>
    </div>
  );
  return (
    <>
      <dl
        className="grid grid-cols-4 gap-2 pt-3 px-3 pb-1 [&>div]:flex [&>div]:flex-col [&+p]:px-3 [&+p]:pb-1"
        aria-busy={busy}
      >
        {figure(`${Math.max(0, ...decisions.values())} / ${replied.length}`, t("prompt.agree"))}
        {figure(`${replied.filter(({ valid }) => valid).length} / ${replied.length}`, t("prompt.valid"))}
        {figure(replied.length === 0 ? "–" : duration(median(replied.map((one) => one.took_ms))), t("prompt.latency"))}
        {figure(tokens === 0 ? "–" : count(Math.round(tokens / replied.length)), t("prompt.perRun"))}
      </dl>
      <p className="text-tiny dim" role="status">
        {busy
          ? t("prompt.progress", { done: tries.answers.length, of: tries.of })
          : t("prompt.asked", { count: tries.answers.length })}
      </p>
    </>
  );
}

interface AnswerRowProps {
  answer: PromptAnswer;
  on: boolean;
  onPick: () => void;
}

function AnswerRow({ answer, on, onPick }: AnswerRowProps) {
  const isReply = answer.end === "replied";
  return (
    <li>
      <button
        type="button"
        className={
          on
            ? "flex items-center gap-2 w-full min-h-6.5 px-2 border-0 rounded-2 text-inherit text-left cursor-pointer hover:bg-2 on bg-2"
            : "flex items-center gap-2 w-full min-h-6.5 px-2 border-0 rounded-2 bg-transparent text-inherit text-left cursor-pointer hover:bg-2"
        }
        aria-pressed={on}
        onClick={onPick}
      >
        {isReply ? <Outcome kind={answer.outcome} size={14} variant="glyph" /> : null}
        <span className="mono trunc grow text-small">
          {isReply ? oneLine(answer.text ?? "", 80) : t(`prompt.ends.${answer.end as "refused"}`)}
        </span>
        {answer.cached ? <span className="chip line">{t("prompt.kept")}</span> : null}
        <span className="mono dim nowrap text-small">{duration(answer.took_ms)}</span>
      </button>
    </li>
  );
}
