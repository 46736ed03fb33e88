// qoder: all hooks of an event run at once, and the strictest decision comes back, most of it in hookSpecificOutput.

import { join } from "node:path";
import { EndSession, EndTurn } from "../session.mjs";

export const NAME = "qoder";
const TOOLS = { read: "Read", write: "Write", shell: "Bash", task: "Task" };
const MAX_RETRIES = 3;
const TOOK_MS = 12; // a scripted tool needs no time

export const REGISTRATIONS = [
  { event: "PreToolUse", definition: { callback: "guard", matcher: "Bash", timeout: 5 } },
];

export async function play(session) {
  const talk = new Talk(session);
  let reason = "other";
  try {
    await talk.start();
    for (const turn of session.script.turns) await talk.turn(turn);
    reason = "prompt_input_exit";
  } catch (error) {
    if (!(error instanceof EndSession)) throw error;
    session.say(`a hook ends the session: ${error.message}`);
  } finally {
    session.ending = true; // also when a signal ends the conversation
    await session.fire("SessionEnd", { reason });
  }
}

/** The shell command of a tool event that the agent's own hook looks at. */
export function commandOf(event, payload) {
  if (event !== "PreToolUse" || payload.tool_name !== TOOLS.shell) return undefined;
  return payload.tool_input?.command;
}

/** The reply of the agent's own hook. */
export function ownReply(event, reason) {
  const decision = { hookEventName: event, permissionDecision: "deny", permissionDecisionReason: reason };
  return { json: reason ? { hookSpecificOutput: decision } : {}, exit_code: 0, stderr: "" };
}

class Talk {
  /** What hooks have told the model. */
  context = [];
  calls = 0;

  constructor(session) {
    this.session = session;
  }

  /** The fields of the reply, and its hookSpecificOutput. */
  async fire(event, payload) {
    const { json } = await this.session.fire(event, payload);
    const specific = json.hookSpecificOutput ?? {};
    if (specific.additionalContext) this.context.push(specific.additionalContext);
    if (json.continue === false) throw new EndSession(json.stopReason || "no reason given");
    return { json, specific };
  }

  async start() {
    const { specific } = await this.fire("SessionStart", { source: "startup" });
    const rules = { file_path: join(this.session.cwd, "AGENTS.md"), memory_type: "Project" };
    await this.fire("InstructionsLoaded", { ...rules, load_reason: "session_start" });
    if (specific.watchPaths) this.session.say(`watches ${specific.watchPaths.join(", ")}`);
    if (specific.initialUserMessage) await this.turn({ user: specific.initialUserMessage, replies: [] });
  }

  async turn(turn) {
    if (turn.compact) {
      await this.fire("PreCompact", { trigger: "auto", custom_instructions: null });
      await this.fire("PostCompact", { trigger: "auto", compact_summary: "[summary]" });
    }
    const { json } = await this.fire("UserPromptSubmit", { prompt: turn.user });
    if (json.decision === "block") return; // the reason is for the user, not for the model
    const replies = turn.replies.values();
    let sentBack = 0;
    try {
      while (await this.step(replies, sentBack)) sentBack += 1;
    } catch (error) {
      if (!(error instanceof EndTurn)) throw error;
    }
  }

  /** The model works until it wants to stop. Returns true when a hook sends it back. */
  async step(replies, sentBack) {
    let reply;
    do {
      reply = replies.next().value ?? { text: "I have nothing to add." };
      for (const call of reply.calls ?? []) await this.call(call);
    } while (reply.calls);
    const end = { stop_hook_active: sentBack > 0, last_assistant_message: reply.text };
    const { json } = await this.fire("Stop", end);
    if (json.decision !== "block") return false;
    if (sentBack === MAX_RETRIES) {
      this.session.say("sent back too often: the turn ends");
      return false;
    }
    this.session.say(`the model is sent back: ${json.reason}`);
    return true;
  }

  /** Runs one tool, as hooks and user allow. Returns what the model gets. */
  async call(call) {
    this.calls += 1;
    const asked = { tool_name: TOOLS[call.tool], tool_input: call.input, tool_use_id: `toolu_${this.calls}` };
    const { specific } = await this.fire("PreToolUse", asked);
    const decision = specific.permissionDecision;
    if (decision === "deny") return specific.permissionDecisionReason ?? "denied by a hook";
    asked.tool_input = specific.updatedInput ?? asked.tool_input;
    if (decision === "ask" || (call.needs_permission && decision !== "allow")) {
      const denied = await this.askPermission(asked);
      if (denied) return denied;
    }
    return this.run(call, asked);
  }

  /** Returns why the tool must not run. Where no hook decides, the user does: this one always agrees. */
  async askPermission(asked) {
    const { tool_name, tool_input } = asked;
    const { specific } = await this.fire("PermissionRequest", { tool_name, tool_input, permission_suggestions: [] });
    const { behavior, interrupt, message, updatedInput } = specific.decision ?? {};
    if (behavior === "deny") {
      if (interrupt) throw new EndTurn();
      return message || "permission denied";
    }
    asked.tool_input = updatedInput ?? asked.tool_input;
    return undefined;
  }

  async run(call, asked) {
    if (call.tool === "task") await this.subagent(call);
    if (call.error) {
      const failure = { error: call.error, is_interrupt: false, duration_ms: TOOK_MS };
      await this.fire("PostToolUseFailure", { ...asked, ...failure });
      return call.error;
    }
    const after = { ...asked, tool_response: call.result, duration_ms: TOOK_MS };
    const { json, specific } = await this.fire("PostToolUse", after);
    await this.afterEffects(call, asked);
    // After a block the tool has run; the model learns what is wrong with that.
    if (json.decision === "block" && json.reason) return json.reason;
    return specific.updatedToolOutput || specific.updatedMCPToolOutput || call.result;
  }

  async subagent(call) {
    const agent = { agent_id: `agent_${this.calls}`, agent_type: "general-purpose" };
    await this.fire("SubagentStart", agent);
    const end = { stop_hook_active: false, agent_transcript_path: "", last_assistant_message: call.result };
    await this.fire("SubagentStop", { ...agent, ...end });
  }

  /** What a tool changes beside its result. */
  async afterEffects(call, asked) {
    const { cwd } = this.session;
    if (call.tool === "write") {
      const path = join(cwd, asked.tool_input.file_path ?? "");
      await this.fire("FileChanged", { file_path: path, event: "change" });
    }
    if (call.cd) await this.fire("CwdChanged", { old_cwd: cwd, new_cwd: join(cwd, call.cd) });
  }
}
