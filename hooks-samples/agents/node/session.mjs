// A session of this agent with the engine: what it fires, what it offers, and what it prints.

import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Engine, EngineError } from "./engine.mjs";

const NAME = "sample-agent-node";
const VERSION = "1.0";
const MODEL_ANSWER = '{"system_message": "The scripted model has read this."}';

/** A hook ended the turn. */
export class EndTurn extends Error {}

/** A hook ended the conversation. */
export class EndSession extends Error {}

/** A hook sends the model back to work; the message is the feedback. */
export class Retry extends Error {}

/** The user ended the agent. */
export class Stopped extends Error {}

/** The agent's own hook: why this shell command must not run, or undefined. */
export function guard(command) {
  return /\brm\s+-(rf|fr)\s+(\/|~|\.)(\s|$)/.test(command ?? "") ? "it deletes a whole folder tree" : undefined;
}

/** One conversation. `dialect` is a module of the folder `dialects`, `stop` the signal that ends the agent. */
export class Session {
  static async connect(dialect, script, options, stop) {
    const session = new Session(dialect, script, options, stop);
    session.engine = await Engine.connect({
      "agent.fire": (params) => session.testEvent(params),
      "model.complete": (params) => session.complete(params),
      "callback.call": (params) => session.callBack(params),
      "session.notice": ({ kind, text }) => session.say(`${kind}: ${text}`),
    });
    return session;
  }

  constructor(dialect, script, options, stop) {
    Object.assign(this, { dialect, script, options, stop, cwd: resolve(options.cwd), ending: false });
  }

  // ── what the agent sends ────────────────────────────────────────────────────────────────────────────────────────

  async open() {
    const agent = { name: NAME, version: VERSION, pid: process.pid };
    const depth = process.env.HOOKWRIGHT_DEPTH ?? "";
    if (/^\d+$/.test(depth)) agent.depth = Number(depth); // this agent was started by a hook
    const opened = await this.engine.call("session.open", {
      protocol: 1,
      dialect: this.dialect.NAME,
      agent,
      session_id: this.options.session,
      cwd: this.cwd,
      offers: ["fire", "model", "callbacks"],
      native: this.options.native,
    });
    this.id = opened.session;
    this.say(`session ${this.id}: ${opened.hooks} hooks, ${opened.untrusted} of them not approved`);
    for (const registration of this.dialect.REGISTRATIONS) {
      // In a native session the agent runs its own hook itself; as a callback it would run twice.
      if (this.options.native && "callback" in registration.definition) continue;
      const { hook } = await this.engine.call("hook.register", registration);
      this.say(`registered ${hook}`);
    }
  }

  /** Fires an event and waits for the reply. An event that the engine refuses does not stop the agent. */
  async fire(event, payload) {
    await this.pace();
    const own = this.options.native ? await this.runOwnHooks(event, payload) : undefined;
    let result;
    try {
      result = await this.engine.call("event.fire", { event, payload });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.line(event, "error", error.message);
      return this.dialect.ownReply(event, undefined);
    }
    if (own) return own;
    const reply = { ...result.reply, json: result.reply.json ?? {} };
    this.line(event, result.verdict.kind, summary(result, reply), result.trace);
    return reply;
  }

  /** Runs and reports the agent's own hooks. Returns the reply of the one that blocks, if one does. */
  async runOwnHooks(event, payload) {
    const { reply, steps } = this.ownPipeline(event, payload);
    if (steps.length === 0) return undefined;
    await this.engine.call("run.report", { event, payload, steps });
    if (steps[0].outcome !== "denied") return undefined;
    this.line(event, "blocked", "by the agent's own guard");
    return reply;
  }

  async close() {
    await this.engine.call("session.close");
    this.engine.close();
  }

  // ── what the engine asks ────────────────────────────────────────────────────────────────────────────────────────

  /** `agent.fire`: runs the agent's own hooks on a test event, which changes nothing in the conversation. */
  testEvent({ event, payload }) {
    const answer = this.ownPipeline(event, payload);
    this.say(`agent.fire ${event}: ${answer.steps.length} own hooks ran`);
    return answer;
  }

  /** `model.complete`: the scripted model answers every prompt with the same text. */
  complete({ prompt }) {
    this.say(`model.complete: ${prompt.trim().split("\n")[0].slice(0, 60)}`);
    return { text: MODEL_ANSWER };
  }

  /** `callback.call`: the hook that the agent registered for this session. */
  callBack({ callback, event, input }) {
    const name = event ?? input.hook_event_name; // old engines send no `event`
    const reason = guard(this.dialect.commandOf(name, input));
    this.say(`callback ${callback} at ${name}: ${reason ?? "no objection"}`);
    return { output: this.dialect.ownReply(name, reason).json };
  }

  /** The reply of the agent's own hooks, and a step for each that ran. */
  ownPipeline(event, payload) {
    const command = this.dialect.commandOf(event, payload);
    if (command === undefined) return { reply: this.dialect.ownReply(event, undefined), steps: [] };
    const reason = guard(command);
    const outcome = reason ? "denied" : "no_opinion";
    return {
      reply: this.dialect.ownReply(event, reason),
      steps: [{ hook: `${NAME}:guard`, label: "guard", outcome }],
    };
  }

  // ── what the user sees ──────────────────────────────────────────────────────────────────────────────────────────

  /** One line for each event. All other lines are indented. */
  line(event, verdict, text, trace = "") {
    console.log(`${event.padEnd(28)} ${verdict.padEnd(11)} ${text.padEnd(48)} ${trace}`.trimEnd());
  }

  say(text) {
    console.log(`    ${text}`);
  }

  /** Waits before an event. A stopped agent fires nothing more, except the event that ends the session. */
  async pace() {
    if (this.ending) return;
    if (this.options.pace) await sleep(this.options.pace * 1000, undefined, { signal: this.stop }).catch(() => {});
    if (this.stop.aborted) throw new Stopped();
  }
}

/** What the verdict says, else which fields the reply has. */
function summary({ verdict, recorded = true }, reply) {
  const fields = Object.keys(reply.json)
    .filter((field) => field !== "action" && field !== "approved")
    .join(", ");
  const said = verdict.feedback || verdict.reason || reply.stderr || (fields && `reply has ${fields}`);
  return said.split(/\s+/).join(" ").trim() + (recorded ? "" : " (not recorded)");
}
