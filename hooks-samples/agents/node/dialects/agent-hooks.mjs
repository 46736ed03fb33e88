// agent-hooks: a hook speaks by its exit code. 2 blocks, with the reason on stderr; JSON is read only with 0.

import { EndSession } from "../session.mjs";

export const NAME = "agent-hooks";
const TOOLS = { read: "ReadFile", write: "WriteFile", shell: "Shell", task: "Task" };
const TOOK_MS = 12; // a scripted tool needs no time

export const REGISTRATIONS = []; // the dialect has no session hooks

export async function play(session) {
  const talk = new Talk(session);
  const started = performance.now();
  let reason = "error";
  try {
    const blocked = (await talk.fire("session_start", { model: session.script.model, args: {} })).blocked;
    if (blocked !== undefined) throw new EndSession(blocked);
    for (const turn of session.script.turns) await talk.turn(turn);
    reason = "user_exit";
  } catch (error) {
    if (!(error instanceof EndSession)) throw error;
    reason = "hook";
    session.say(`a hook ends the session: ${error.message}`);
  } finally {
    session.ending = true; // also when a signal ends the conversation
    const duration_seconds = Math.round(performance.now() - started) / 1000;
    await session.fire("session_end", { duration_seconds, total_steps: talk.steps, exit_reason: reason });
  }
}

/** The shell command of a tool event that the agent's own hook looks at. */
export function commandOf(event, payload) {
  if (event !== "before_tool" || payload.tool_name !== TOOLS.shell) return undefined;
  return payload.tool_input?.command;
}

/** The reply of the agent's own hook. */
export function ownReply(_event, reason) {
  return { json: {}, exit_code: reason ? 2 : 0, stderr: reason ?? "" };
}

class Talk {
  /** What hooks have told the model. */
  context = [];
  steps = 0;
  calls = 0;

  constructor(session) {
    this.session = session;
  }

  /** The reason of a block, else undefined, and the fields of the reply. */
  async fire(event, payload) {
    const { json, exit_code, stderr } = await this.session.fire(event, payload);
    if (exit_code === 2) return { blocked: stderr, fields: {} };
    if (json.additional_context) this.context.push(json.additional_context);
    if (json.decision === "ask") this.session.say(`the user is asked, and agrees: ${json.reason ?? ""}`);
    return { blocked: undefined, fields: json };
  }

  async turn(turn) {
    if (turn.compact) await this.fire("pre_compact", {}); // a block leaves the messages as they are
    if ((await this.fire("before_agent", {})).blocked !== undefined) return;
    const replies = turn.replies.values();
    // The engine blocks at most three stops of a turn, so this ends.
    while (await this.step(replies));
    await this.fire("after_agent", {});
  }

  /** One request to the model and the tools that it calls. Returns true when the turn goes on. */
  async step(replies) {
    this.steps += 1;
    const reply = replies.next().value ?? { text: "I have nothing to add." };
    for (const call of reply.calls ?? []) await this.call(call);
    if (reply.calls) return true;
    const { blocked } = await this.fire("before_stop", {
      stop_reason: "no_tool_calls",
      step_count: this.steps,
      final_message: { role: "assistant", content: reply.text },
    });
    if (blocked !== undefined) this.session.say(`the model is sent back: ${blocked}`);
    return blocked !== undefined;
  }

  /** Runs one tool, as the hooks allow. Returns what the model gets. */
  async call(call) {
    this.calls += 1;
    const asked = { tool_name: TOOLS[call.tool], tool_input: call.input, tool_use_id: `call_${this.calls}` };
    const before = await this.fire("before_tool", asked);
    if (before.blocked !== undefined) return `Tool blocked: ${before.blocked}`;
    asked.tool_input = before.fields.modified_input ?? asked.tool_input;
    if (call.tool === "task") await this.subagent(call);
    if (call.error) {
      await this.fire("after_tool_failure", { ...asked, error: call.error, duration_ms: TOOK_MS });
      return call.error;
    }
    const { blocked } = await this.fire("after_tool", { ...asked, tool_output: call.result, duration_ms: TOOK_MS });
    return blocked === undefined ? call.result : `Result withheld: ${blocked}`;
  }

  async subagent({ input }) {
    const task = { subagent_name: "helper", subagent_type: "general", task_description: input.description };
    await this.fire("subagent_start", task);
    await this.fire("subagent_stop", task);
  }
}
