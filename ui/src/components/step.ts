/** What a step says of itself in a few words. */
import { t } from "@/i18n";
import { duration } from "@/i18n/format";
import { say } from "@/i18n/messages";
import type { Step } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { isNested, readExactly } from "@/lib/exactJson";
import { pretty } from "@/lib/pretty";
import { handlerKind } from "./KindIcons";
import { wasStopped } from "./rail";

const SKIPS = [
  "untrusted",
  "disabled",
  "muted",
  "chain_ended",
  "budget_spent",
  "invalid",
  "agent_runs_it",
  "cancelled",
] as const;

type SkipWord = (typeof SKIPS)[number];

function isSkip(reason: string | null): reason is SkipWord {
  return (SKIPS as readonly string[]).includes(reason ?? "");
}

/** What a long-lived process answered, without the envelope it came in. */
export function unwrapped(answer: object): object {
  const { jsonrpc, type, result, error, response } = answer as Record<string, unknown>;
  const inner = jsonrpc !== undefined ? (result ?? error) : type !== undefined ? response : undefined;
  if (!isNested(inner) || Array.isArray(inner)) return answer;
  const { subtype, response: own, error: why } = inner as Record<string, unknown>;
  if (subtype === undefined) return inner;
  return isNested(own) ? own : { error: why };
}

/** The entries of an object of plain values stand for themselves. */
function opened([key, value]: [string, unknown]): [string, unknown][] {
  if (!isNested(value) || Array.isArray(value)) return [[key, value]];
  const inner: [string, unknown][] = Object.entries(value);
  const plain = inner.length > 0 && inner.every(([, one]) => !isNested(one));
  return plain ? inner : [[key, value]];
}

/** An answer on one line: `action: skip, system_message: …` for an object, otherwise as it was printed. */
export function answerLine(stdout: string): string {
  const text = stdout.trim();
  try {
    const answer = readExactly(text);
    if (isNested(answer) && !Array.isArray(answer)) {
      const parts = Object.entries(unwrapped(answer))
        .flatMap(opened)
        .map(([key, value]) => `${key}: ${pretty(value)}`);
      if (parts.length > 0) return oneLine(parts.join(", "), 160);
    }
  } catch {
    // Not one JSON document: shown as it is.
  }
  return oneLine(text, 120);
}

/** Wall time of all attempts of a step, null when it did not run. */
export function stepTook(step: Step): number | null {
  const first = step.attempts[0];
  const last = step.attempts.at(-1);
  if (first === undefined || last === undefined) return null;
  return last.started_ms + last.took_ms - first.started_ms;
}

/** `user · command` */
export function stepWho(step: Step): string {
  return `${t(`words.layer.${step.source.layer}`)} · ${t(`words.handler.${handlerKind(step.handler)}`)}`;
}

/** Stands in the badge instead of the outcome's word. */
export function stepBadge(step: Step): string | undefined {
  return wasStopped(step) ? t("words.step.stopped") : undefined;
}

function skippedLine(step: Step): string {
  if (wasStopped(step)) return t("words.step.stoppedAfter", { time: duration(stepTook(step) ?? 0) });
  const failing = step.gates.find((gate) => !gate.pass);
  if (step.reason === "disabled" && failing?.why) return oneLine(say(failing, failing.why));
  if (!isSkip(step.reason)) return step.reason ?? "";
  return step.reason === "agent_runs_it"
    ? t("words.skip.agent_runs_it", { agent: String(step.args?.agent ?? "Agent") })
    : t(`words.skip.${step.reason}`);
}

/** The second line: why, what, or what it returned. */
export function stepLine(step: Step): string {
  const failing = step.gates.find((gate) => !gate.pass);
  switch (step.outcome) {
    case "skipped":
      return skippedLine(step);
    case "not_matched":
      return failing ? oneLine(say(failing, failing.why)) : "";
    case "changed": {
      if (step.edits.length === 0) return oneLine(say(step, step.reason));
      const added = step.edits.every((edit) => edit.before === null);
      const fields = [...new Set(step.edits.map((edit) => (edit.code ? "…" : edit.field)))].join(", ");
      const change = t(added ? "words.step.added" : "words.step.rewrote", { fields });
      const isDropped = step.ignored.some((one) => one.code === "dropped");
      return isDropped ? t("words.step.dropped", { change }) : change;
    }
    case "failed_open":
    case "failed_closed":
    case "timed_out_open":
    case "timed_out_closed":
      return oneLine(say(step, step.reason));
    case "no_opinion":
    case "allowed":
    case "asked":
    case "denied":
    case "detached": {
      if (step.reason) return oneLine(say(step, step.reason));
      if (step.attempts.length === 0) return "";
      const printed = answerLine(step.attempts.at(-1)?.stdout ?? "");
      if (step.ignored.length > 0) return t("words.step.ignored", { count: step.ignored.length });
      if (!printed.startsWith("{") && printed) return printed;
      if (printed) return t("words.step.returned", { text: printed });
      const last = step.attempts.at(-1);
      if (step.outcome !== "denied" || last?.end !== "exit" || !last.code) return t("words.step.returnedNothing");
      // It said no by its exit code, and why on stderr.
      return [t("words.end.exit", { code: last.code }), oneLine(last.stderr, 120)].filter(Boolean).join(": ");
    }
  }
}
