/** One hook under the question: what was checked, with what each check looked at. */
import { Copy, SearchX } from "lucide-react";
import {
  type AttemptGate,
  Button,
  failedGate,
  GateList,
  Glyph,
  type GlyphKind,
  isNotMeant,
  stepTook,
  wasStopped,
} from "@/components";
import { copyText } from "@/domain/clipboard";
import { gateBox } from "@/domain/hooks/GateBox";
import { HistoryMatch } from "@/domain/hooks/HistoryMatch";
import { usePresentGate } from "@/domain/hooks/presentGate";
import { OutputProblems } from "@/domain/trace/OutputProblems";
import { recordedAttempt } from "@/domain/trace/origins";
import { t } from "@/i18n";
import { duration } from "@/i18n/format";
import { say } from "@/i18n/messages";
import type { Attempt, ExplainStep, Gate, HookRow, Payload, Step, Trace } from "@/ipc";
import { capitalizeFirst, escapeInvisible, oneLine } from "@/lib/escape";
import { gateDetail } from "./Evidence";

/** A hook under the question, recorded or hypothetical. */
export interface Asked {
  hook: string;
  label: string;
  gates: ExplainStep["gates"];
  glyph: GlyphKind;
  ran: boolean;
  source: Step["source"];
  recorded: Step | null;
}

interface AnswerProps {
  asked: Asked;
  /** Undefined for an event that was not fired. */
  trace: Trace | undefined;
  event: string;
  payload: Payload;
  /** As it is defined now. */
  hook: HookRow | undefined;
  project: string;
}

export function Answer({ asked, trace, event, payload, hook, project }: AnswerProps) {
  const failed = failedGate(asked.gates);
  const label = oneLine(asked.label, 60);
  const passed = asked.gates.filter((gate) => gate.pass).length;
  const stopped = asked.recorded !== null && wasStopped(asked.recorded) ? (stepTook(asked.recorded) ?? 0) : null;
  const broke = asked.recorded !== null && failed === undefined && isFailure(asked.recorded) ? asked.recorded : null;
  const notMeant = failed !== undefined && isNotMeant(failed);
  const headline =
    stopped !== null
      ? t("explain.wasStopped", { label, time: duration(stopped) })
      : broke !== null
        ? t("explain.didFail", { label, why: escapeInvisible(say(broke, broke.reason ?? "")) })
        : failed
          ? asked.recorded
            ? t("explain.didNotRun", { label, why: escapeInvisible(say(failed, failed.why ?? "")) })
            : t(failed.gate === "starts" ? "explain.wouldFail" : "explain.wouldNotRun", {
                label,
                why: escapeInvisible(say(failed, failed.why ?? "")),
              })
          : asked.recorded
            ? t("explain.didRun", { label })
            : t("explain.itWouldRun", { label });
  const detailOf = (gate: Gate) => gateDetail({ event, source: asked.source, hook, project }, gate);
  const copy = () => {
    const lines = asked.gates.map((gate) => {
      const why = gate.why ? `: ${escapeInvisible(say(gate, gate.why))}` : "";
      return `${gate.pass ? "✓" : "✗"} ${t(`words.gate.${gate.gate}.${gate.pass ? "pass" : "fail"}`)}${why}`;
    });
    copyText([`${label} · ${event}`, headline, ...lines].join("\n"));
  };
  return (
    <div className="flex flex-col min-h-0 flex-1">
      <div className="row p-4 gap-3 items-start border-b border-line-2 flex-none [&_h2]:wrap-anywhere [&_h2]:whitespace-normal">
        {failed ? (
          <span className={notMeant ? "dim" : "ink-deny"}>
            <SearchX size={20} strokeWidth={1.75} aria-hidden="true" />
          </span>
        ) : (
          <Glyph kind={asked.glyph} size={24} />
        )}
        <div className="grow">
          <h2 className="verdict-text">{headline}</h2>
          <p className="text-small ink-2">
            {broke !== null
              ? t(broke.outcome.endsWith("_open") ? "explain.continued" : "explain.blocked")
              : failed
                ? t("explain.stopped", { count: passed, at: passed + 1 })
                : t("explain.passedAll", { count: passed })}
          </p>
        </div>
      </div>
      <div className="grow scroll">
        <GateList
          label={t("explain.gates")}
          gates={asked.gates}
          attempts={attemptGates(asked)}
          detailOf={detailOf}
          boxOf={(gate) => (hook ? gateBox({ gate, hook, event, payload, project }) : null)}
        />
        {broke !== null ? <Output step={broke} trace={trace} /> : null}
        {broke !== null && hook ? <PresentFault hook={hook} event={event} payload={payload} project={project} /> : null}
        {hook?.filter ? <HistoryMatch project={project} hook={hook} event={event} /> : null}
      </div>
      <div className="row py-2 px-4 border-t border-t-line-2 flex-none max-paired:flex-wrap text-tiny dim">
        <span>{asked.recorded ? t("explain.stored") : t("explain.nothingRan")}</span>
        <span className="spacer" />
        <Button kind="ghost" size="small" icon={Copy} onClick={copy}>
          {t("explain.copy")}
        </Button>
      </div>
    </div>
  );
}

/** What keeps a hook that failed from starting now, with its fix. */
function PresentFault(subject: { hook: HookRow; event: string; payload: Payload; project: string }) {
  const gate = usePresentGate("starts", subject);
  if (gate === undefined || gate.pass) return null;
  return (
    <section className="section" aria-label={t("explain.presentFault")}>
      <h3>{t("explain.presentFault")}</h3>
      <p className="text-small">{capitalizeFirst(escapeInvisible(say(gate, gate.why ?? "")))}</p>
      {gateBox({ gate, ...subject })}
    </section>
  );
}

/** Below the gates, what its last attempt says: it started, it returned in time. */
function attemptGates(asked: Asked): AttemptGate[] {
  const last = asked.recorded?.attempts.at(-1);
  if (last === undefined) return [];
  const started = last.end !== "not_started";
  const inTime = started && last.end !== "timed_out" && last.end !== "cancelled" && last.end !== "peer_gone";
  const failed = asked.recorded !== null && isFailure(asked.recorded);
  return [
    { gate: "started", pass: started, detail: last.command.map((word) => escapeInvisible(word)).join(" ") || null },
    { gate: "returned", pass: started ? inTime : null, detail: null },
    { gate: "succeeded", pass: inTime ? !failed : null, detail: exitText(last) },
  ];
}

function isFailure(step: Step): boolean {
  return step.outcome.startsWith("failed_") || step.outcome.startsWith("timed_out_");
}

function exitText(attempt: Attempt): string | null {
  return attempt.end === "exit" ? t("words.end.exit", { code: attempt.code ?? 0 }) : null;
}

/** The last lines of stderr that are shown. */
const SHOWN_LINES = 20;

/** What a run that failed said, and what keeps its output from being read. */
function Output({ step, trace }: { step: Step; trace: Trace | undefined }) {
  const attempt = step.attempts.at(-1);
  if (attempt === undefined) return null;
  const lines = attempt.stderr.trimEnd().split("\n");
  const text = lines.slice(-SHOWN_LINES).join("\n");
  return (
    <section className="section" aria-label={t("explain.output")}>
      <h3>{t("explain.output")}</h3>
      <OutputProblems attempt={attempt} recorded={recordedAttempt(trace, step, -1)} />
      {text === "" ? (
        <p className="text-small ink-2">{t("explain.noStderr")}</p>
      ) : (
        <pre className="mono text-small wrap">{escapeInvisible(text)}</pre>
      )}
    </section>
  );
}
