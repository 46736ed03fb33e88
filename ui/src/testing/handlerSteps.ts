/** Steps of every kind of handler, for looking at them side by side. */
import type { Attempt, Step } from "@/ipc/types";
import { TRACE } from "./sampleData";

const base = TRACE.steps[0] as Step;
const ran = base.attempts[0] as Attempt;

const attempt = (part: Partial<Attempt>): Attempt => ({ ...ran, stdin: "", stdout: "", ...part });
const step = (hook: string, part: Partial<Step>): Step => ({
  ...base,
  hook,
  label: hook,
  edits: [],
  reason: null,
  attempts: [],
  ...part,
});

export const KINDS: readonly Step[] = [
  step("house-rules", {
    handler: "insert",
    source: { ...base.source, layer: "skill" },
    outcome: "changed",
    edits: [{ field: "messages", before: null, after: { role: "user", content: "Keep it short." } }],
    removed: [{ ref: "r1", at: TRACE.at, by: "before_planning" }],
  }),
  step("guard", {
    handler: "peer",
    outcome: "denied",
    attempts: [
      attempt({
        end: "replied",
        code: null,
        stdin: '{"jsonrpc":"2.0","id":2,"method":"hook.before_tool","params":{"tool":"exec"}}',
        stdout: '{"jsonrpc":"2.0","id":2,"result":{"action":"deny_tool","reason":"not on a Friday"}}',
        started_ms: 1,
        took_ms: 40,
      }),
    ],
  }),
  step("ask-me", {
    handler: "callback",
    source: { ...base.source, layer: "session" },
    outcome: "asked",
    attempts: [
      attempt({
        end: "replied",
        code: null,
        stdout: '{"hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"touches production"}}',
        started_ms: 2,
        took_ms: 12,
      }),
    ],
  }),
  step("approve-tests", {
    handler: "script",
    outcome: "allowed",
    attempts: [attempt({ started_ms: 41, took_ms: 22, stdout: '{"decision":"allow"}' })],
  }),
  step("journal", {
    handler: "script",
    outcome: "failed_open",
    mode: "detach",
    reason: "Hook exited with code 1",
    attempts: [attempt({ code: 1, started_ms: 66, took_ms: 80 })],
  }),
  step("still-running", { handler: "script", outcome: "detached", mode: "detach" }),
];

/** The reply left before the detached ones ended. */
export const KINDS_TOOK_MS = 64;
