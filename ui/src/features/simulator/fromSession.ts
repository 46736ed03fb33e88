/** A scenario from the recorded events of one session. Payloads are those of History, so secrets are masked already. */
import type { HistoryRow, Trace } from "@/ipc";
import { isNested, readExactly, toJson } from "@/lib/exactJson";

type Json = Record<string, unknown>;

interface ScriptedCall {
  tool: string;
  arguments: unknown;
  result?: unknown;
  error?: string;
}

interface ScriptedStep {
  calls?: ScriptedCall[];
  reply?: string;
}

export interface ScriptedTurn {
  user: string;
  steps: ScriptedStep[];
}

/** A session of the history, to choose from. */
export interface RecordedSession {
  dialect: string;
  session: string;
  /** What its agent is called; null for events without one. */
  agent: string | null;
  /** Its events that were read, oldest first. */
  traces: readonly string[];
  /** The last event, RFC 3339. */
  at: string;
}

/** The sessions of a page of the history, the latest first. Simulated events are left out. */
export function sessionsOf(rows: readonly HistoryRow[]): RecordedSession[] {
  const sessions = new Map<string, RecordedSession>();
  for (const { session, dialect, agent, origin, trace, at } of rows) {
    if (session === null || origin === "simulated" || origin === "reported") continue;
    const key = `${dialect} ${session}`;
    const known = sessions.get(key);
    if (known === undefined) sessions.set(key, { dialect, session, agent, traces: [trace], at });
    else sessions.set(key, { ...known, traces: [trace, ...known.traces] });
  }
  return [...sessions.values()];
}

function objectOf(value: unknown): Json {
  return isNested(value) && !Array.isArray(value) ? (value as Json) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : value === null ? "" : toJson(value);
}

/** Arguments that an agent sends as text are JSON all the same. */
function argumentsOf(value: unknown): unknown {
  if (typeof value !== "string") return value ?? {};
  try {
    const read = readExactly(value);
    return isNested(read) ? read : value;
  } catch {
    return value;
  }
}

function messagesOf(payload: Json): Json[] {
  return Array.isArray(payload.messages) ? payload.messages.map(objectOf) : [];
}

/** The event that begins a turn, and where the user's message is in its payload. */
const TURN_STARTS: Record<string, (payload: Json) => string> = {
  pre_send_message: (payload) => textOf(payload.user_input),
  UserPromptSubmit: (payload) => textOf(payload.prompt),
  turn_start: (payload) => textOf(objectOf(payload.Payload).UserMessage),
  before_agent: () => "",
  after_user_input: (payload) => textOf(messagesOf(payload).findLast(({ role }) => role === "user")?.content),
};

/** The events before a tool runs. */
const CALL_STARTS = new Set(["pre_tool_execution", "PreToolUse", "before_tool"]);

/** The events after a tool ran, and where its result and its error are in the payload. */
const CALL_ENDS: Record<string, (payload: Json) => Pick<ScriptedCall, "result" | "error">> = {
  post_tool_execution: (payload) => ({ result: payload.tool_result ?? "" }),
  post_tool_execution_failure: (payload) => ({ error: textOf(payload.tool_error) }),
  PostToolUse: (payload) => ({ result: payload.tool_response ?? "" }),
  PostToolUseFailure: (payload) => ({ error: textOf(payload.error) }),
  after_tool: (payload) => ({ result: payload.tool_output ?? payload.result ?? "" }),
  after_tool_failure: (payload) => ({ error: textOf(payload.error) }),
};

/** The events that have what the model replied. */
const REPLIES: Record<string, (payload: Json) => string> = {
  post_llm_response: (payload) => textOf(payload.assistant_output),
  Stop: (payload) => textOf(payload.last_assistant_message),
  before_stop: (payload) => textOf(payload.final_message),
  after_llm: (payload) => textOf(objectOf(payload.response).content),
};

interface OpenCall {
  call: ScriptedCall;
  done: boolean;
}

/** The turns of a session from its events, oldest first. Each tool call that begins after another ended is a new step. */
export function turnsOfSession(traces: readonly Pick<Trace, "event" | "payload_before">[]): ScriptedTurn[] {
  const turns: ScriptedTurn[] = [];
  let open: OpenCall[] = [];
  const turn = (): ScriptedTurn => {
    const last = turns.at(-1);
    if (last !== undefined) return last;
    const first = { user: "", steps: [] };
    turns.push(first);
    return first;
  };
  const begin = (call: ScriptedCall) => {
    const { steps } = turn();
    const last = steps.at(-1);
    const fits = last !== undefined && open.length > 0 && open.some(({ done }) => !done);
    const answered = last !== undefined && open.length === 0 && last.calls === undefined && last.reply !== undefined;
    if (fits || answered) last.calls = [...(last.calls ?? []), call];
    else {
      steps.push({ calls: [call] });
      open = [];
    }
    open.push({ call, done: false });
  };
  for (const { event, payload_before: payload } of traces) {
    const start = TURN_STARTS[event];
    const ended = CALL_ENDS[event];
    const reply = REPLIES[event];
    const tool = textOf(payload.tool_name ?? payload.tool);
    if (start !== undefined) {
      turns.push({ user: start(payload), steps: [] });
      open = [];
    } else if (CALL_STARTS.has(event)) {
      begin({ tool, arguments: argumentsOf(payload.tool_arguments ?? payload.tool_input ?? payload.arguments) });
    } else if (ended !== undefined) {
      const found = open.find(({ call, done }) => !done && call.tool === tool);
      if (found !== undefined) {
        Object.assign(found.call, ended(payload));
        found.done = true;
      }
    } else if (event === "after_tool_call") {
      begin({ ...insertedCall(payload, tool) });
      for (const one of open) one.done = true;
    } else if (reply !== undefined) {
      open = [];
      const said = reply(payload);
      if (said !== "" && turn().steps.at(-1)?.reply !== said) turn().steps.push({ reply: said });
    }
  }
  return turns.filter(({ user, steps }) => user !== "" || steps.length > 0);
}

/** A tool call from the message list that a skill hook is given: arguments and result are messages of it. */
function insertedCall(payload: Json, tool: string): ScriptedCall {
  const messages = messagesOf(payload);
  const calls = messages.flatMap(({ tool_calls: all }) => (Array.isArray(all) ? all.map(objectOf) : []));
  const found = calls.findLast(({ name }) => name === tool);
  const result = messages.find((message) => found !== undefined && message.tool_call_id === found.id)?.content;
  return { tool, arguments: argumentsOf(found?.arguments), result: result ?? "" };
}
