#!/usr/bin/env node
// A small agent on Hookwright's socket. It plays a scripted conversation; its model and its tools are scripted, too.
//
// Start an engine (`hookwright serve`, or the window), then: node agent.mjs --dialect qoder --once

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { EngineError, EngineLeft } from "./engine.mjs";
import { Session, Stopped } from "./session.mjs";

const DIALECTS = ["jcli", "qoder", "agent-hooks"];
const SCRIPT = new URL("../conversation.json", import.meta.url);
const RECONNECT_MS = 2000;

const USAGE = `node agent.mjs [options]
  --dialect ${DIALECTS.join("|")}   the hook system (default: jcli)
  --session ID       the id of the session; without it the engine chooses one
  --cwd DIR          the project (default: the current directory)
  --native           the agent runs the hooks of its files itself
  --pace SECONDS     pause before each event
  --once             play once and exit; without it the agent stays connected
  --loop SECONDS     play again after so many seconds, without end`;

function wrongUsage(why) {
  console.error(`${why}\n${USAGE}`);
  process.exit(2);
}

function readOptions() {
  let values;
  try {
    ({ values } = parseArgs({
      options: {
        dialect: { type: "string", default: "jcli" },
        session: { type: "string" },
        cwd: { type: "string", default: "." },
        native: { type: "boolean", default: false },
        pace: { type: "string", default: "0" },
        once: { type: "boolean", default: false },
        loop: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
      },
    }));
  } catch (error) {
    wrongUsage(error.message);
  }
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  if (!DIALECTS.includes(values.dialect)) wrongUsage(`unknown dialect ${values.dialect}`);
  if (values.once && values.loop !== undefined) wrongUsage("--once and --loop exclude each other");
  const [pace, loop] = [Number(values.pace), values.loop === undefined ? undefined : Number(values.loop)];
  if (!(pace >= 0) || (loop !== undefined && !(loop >= 0))) wrongUsage("--pace and --loop need seconds");
  return { ...values, pace, loop };
}

/** Plays the conversation once. The session stays open until the pause is over. */
async function play(dialect, script, options, stop) {
  const session = await Session.connect(dialect, script, options, stop);
  try {
    await session.open();
    await dialect.play(session);
    if (options.once) return;
    session.say("the conversation is over; the agent stays connected");
    const stopped = new Promise((done) => stop.addEventListener("abort", done, { once: true }));
    const over = [session.engine.left, stopped];
    const timer = new AbortController();
    if (options.loop !== undefined) {
      over.push(sleep(options.loop * 1000, undefined, { signal: timer.signal }).catch(() => {}));
    }
    if (!stop.aborted) await Promise.race(over);
    timer.abort();
    if (stop.aborted) throw new Stopped();
    if (session.engine.hasLeft) throw new EngineLeft("the engine has closed the connection");
  } finally {
    if (!session.engine.hasLeft) await session.close();
  }
}

async function main() {
  const options = readOptions();
  const dialect = await import(`./dialects/${options.dialect}.mjs`);
  const script = JSON.parse(readFileSync(SCRIPT, "utf8"));
  process.stdout.on("error", () => process.exit(1)); // the reader of stdout has ended, as `| head` does
  const stop = new AbortController();
  let stopCode = 0;
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]]) {
    process.once(signal, () => {
      stopCode = code; // `once`: the second signal ends the agent at once
      stop.abort();
    });
  }
  for (;;) {
    try {
      await play(dialect, script, options, stop.signal);
      if (options.loop === undefined) return 0;
    } catch (error) {
      // The engine may be faster than the last event: then that failed.
      if (error instanceof Stopped || (stop.signal.aborted && error instanceof EngineLeft)) return stopCode;
      if (error instanceof EngineError) {
        console.error(`the engine refused: ${error.message}`);
        return 1;
      }
      if (!(error instanceof EngineLeft)) throw error;
      console.error(error.message);
      if (options.loop === undefined) return 1;
      await sleep(RECONNECT_MS, undefined, { signal: stop.signal }).catch(() => {});
    }
    if (stop.signal.aborted) return stopCode;
  }
}

process.exitCode = await main();
