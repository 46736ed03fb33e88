// jcli: every event has a flat payload, and every reply is one JSON object whose fields replace those of the payload.

import { EndTurn, Retry } from "../session.mjs";

export const NAME = "jcli";
const TOOLS = { read: "Read", write: "Write", shell: "Bash", task: "Task" };
const MAX_RETRIES = 3;

// A prompt needs no approval, because nothing is started: the engine sends it back as `model.complete`.
export const REGISTRATIONS = [
  { event: "stop", definition: { type: "llm", prompt: "Was the user told what changed?", timeout: 5 } },
];

export async function play(session) {
  const talk = new Talk(session);
  await session.fire("session_start", { messages: talk.messages });
  try {
    for (const turn of session.script.turns) await talk.turn(turn);
  } finally {
    session.ending = true; // also when a signal ends the conversation
    await session.fire("session_end", { messages: talk.messages });
  }
}

/** The shell command of a tool event that the agent's own hook looks at. */
export function commandOf(event, payload) {
  if (event !== "pre_tool_execution" || payload.tool_name !== TOOLS.shell) return undefined;
  return JSON.parse(payload.tool_arguments || "{}").command;
}

/** The reply of the agent's own hook. */
export function ownReply(_event, reason) {
  return { json: reason ? { action: "skip", system_message: reason } : {}, exit_code: 0, stderr: "" };
}

/** Ends the turn, or sends the model back, where the reply says so. Returns the reply's fields. */
function obey({ json }) {
  if (json.action !== "stop") return json;
  throw json.retry_feedback ? new Retry(json.retry_feedback) : new EndTurn();
}

class Talk {
  constructor(session) {
    this.session = session;
    this.messages = [];
    this.systemPrompt = session.script.system_prompt;
    this.model = session.script.model;
  }

  async turn(turn) {
    const { session } = this;
    try {
      const fields = obey(await session.fire("pre_send_message", { user_input: turn.user, messages: this.messages }));
      this.userInput = fields.user_input ?? turn.user;
    } catch (error) {
      if (error instanceof EndTurn) return;
      if (!(error instanceof Retry)) throw error;
      this.userInput = error.message;
    }
    this.messages.push({ role: "user", content: this.userInput });
    await session.fire("post_send_message", { user_input: this.userInput, messages: this.messages });
    this.mustCompact = turn.compact ?? false;
    const replies = turn.replies.values();
    for (let step = 0; step < turn.replies.length + MAX_RETRIES; step += 1) {
      try {
        if (await this.step(replies)) return;
      } catch (error) {
        if (error instanceof EndTurn) return;
        if (!(error instanceof Retry)) throw error;
        session.say(`the model is sent back: ${error.message}`);
        this.messages.push({ role: "user", content: error.message });
      }
    }
    session.say("sent back too often: the turn ends");
  }

  /** One request to the model and the tools that it calls. Returns true when the turn is over. */
  async step(replies) {
    if (this.mustCompact) {
      this.mustCompact = false;
      await this.compact();
    }
    const request = { messages: this.messages, system_prompt: this.systemPrompt, model: this.model };
    let fields = obey(await this.session.fire("pre_llm_request", request));
    this.messages = [...(fields.messages ?? this.messages), ...(fields.inject_messages ?? [])];
    this.systemPrompt = fields.system_prompt ?? this.systemPrompt;
    this.addContext(fields);
    const reply = replies.next().value ?? { text: "I have nothing to add." };
    const answer = { assistant_output: reply.text, messages: this.messages, model: this.model };
    fields = obey(await this.session.fire("post_llm_response", answer));
    const message = { role: "assistant", content: fields.assistant_output ?? reply.text };
    const scripted = reply.calls ?? [];
    const calls = scripted.map(({ tool, input }, at) => ({
      id: `call_${at + 1}`,
      name: TOOLS[tool],
      arguments: JSON.stringify(input),
    }));
    if (calls.length > 0) message.tool_calls = calls;
    this.messages.push(message);
    for (const [at, call] of calls.entries()) {
      const content = await this.run(call, scripted[at]);
      this.messages.push({ role: "tool", content, tool_call_id: call.id });
    }
    return calls.length === 0 && this.mayStop();
  }

  /** Runs one tool, as the hooks allow. Returns what the model gets. */
  async run(call, scripted) {
    const before = { tool_name: call.name, tool_arguments: call.arguments };
    let fields = obey(await this.session.fire("pre_tool_execution", before));
    call.arguments = fields.tool_arguments ?? call.arguments;
    const error = fields.action === "skip" ? "skipped by a hook" : scripted.error;
    if (error) {
      const failure = { tool_name: call.name, tool_error: error };
      fields = obey(await this.session.fire("post_tool_execution_failure", failure));
      return [fields.tool_error ?? error, fields.additional_context].filter(Boolean).join("\n");
    }
    const after = { tool_name: call.name, tool_result: scripted.result };
    return obey(await this.session.fire("post_tool_execution", after)).tool_result ?? scripted.result;
  }

  async mayStop() {
    const end = { user_input: this.userInput, messages: this.messages };
    const fields = obey(
      await this.session.fire("stop", { ...end, system_prompt: this.systemPrompt, model: this.model }),
    );
    this.addContext(fields);
    if (fields.retry_feedback) throw new Retry(fields.retry_feedback);
    return true;
  }

  addContext({ additional_context: context }) {
    if (context) this.systemPrompt = [this.systemPrompt, context].filter(Boolean).join("\n\n");
  }

  /** First old tool results are cut, then everything becomes a summary. */
  async compact() {
    if (await this.allowedToCompact("pre_micro_compact", {})) {
      for (const message of this.messages) {
        if (message.role === "tool") message.content = message.content.slice(0, 20);
      }
      const fields = obey(await this.session.fire("post_micro_compact", { messages: this.messages }));
      this.messages = fields.messages ?? this.messages;
    }
    const allowed = await this.allowedToCompact("pre_auto_compact", { system_prompt: this.systemPrompt });
    if (allowed) {
      const summary = `[summary of ${this.messages.length} messages] ${allowed.additional_context ?? ""}`.trim();
      this.messages = [{ role: "user", content: summary }];
      const fields = obey(await this.session.fire("post_auto_compact", { messages: this.messages }));
      this.messages = fields.messages ?? this.messages;
    }
  }

  /** Fires the event before a compaction. Returns the reply's fields, or undefined when a hook cancels it. */
  async allowedToCompact(event, more) {
    const { json } = await this.session.fire(event, { messages: this.messages, model: this.model, ...more });
    if (json.action !== "stop") return json;
    if (json.retry_feedback) this.messages.push({ role: "user", content: json.retry_feedback });
    return undefined;
  }
}
