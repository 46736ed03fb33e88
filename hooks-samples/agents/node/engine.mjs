// The connection to Hookwright: JSON-RPC 2.0 over the agent socket, one JSON object a line, in both directions.

import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { StringDecoder } from "node:string_decoder";

/** No engine listens, or it has closed the connection. */
export class EngineLeft extends Error {}

/** The engine answered a request with an error. */
export class EngineError extends Error {
  constructor({ code, message, data }) {
    super(message + (data?.hint ? ` (${data.hint})` : ""));
    this.code = code;
  }
}

/** The folder that a variable names. A relative one counts as unset. */
function absolute(variable) {
  const value = process.env[variable] ?? "";
  return isAbsolute(value) ? value : undefined;
}

/** Hookwright's data folder. A relative place is an error, since the working directory would decide who is asked. */
function dataFolder() {
  const folder = process.env.HOOKWRIGHT_DATA;
  if (folder) {
    if (!isAbsolute(folder)) throw new EngineLeft(`HOOKWRIGHT_DATA is relative: ${folder}`);
    return folder;
  }
  const share = absolute("XDG_DATA_HOME");
  if (share) return join(share, "hookwright");
  const home = homedir();
  if (!isAbsolute(home)) throw new EngineLeft(`HOME is relative: ${home}`);
  if (process.platform === "win32") return join(absolute("LOCALAPPDATA") ?? join(home, "AppData/Local"), "hookwright");
  if (process.platform === "darwin") return join(home, "Library/Application Support/hookwright");
  return join(home, ".local/share/hookwright");
}

/** The paths at which the engine may listen, in the order in which they are tried. */
function* socketPlaces() {
  const named = process.env.HOOKWRIGHT_SOCKET;
  if (named) {
    yield named; // then it is the only one
    return;
  }
  const run = join(dataFolder(), "run");
  if (process.platform !== "win32") {
    const runtime = absolute("XDG_RUNTIME_DIR");
    if (runtime) yield join(runtime, "hookwright/agent.sock");
    yield join(run, "agent.sock");
  }
  let firstLine = "";
  try {
    firstLine = readFileSync(join(run, "endpoint"), "utf8").split("\n")[0];
  } catch {
    // no engine has written it yet
  }
  if (firstLine) yield firstLine;
}

function openSocket(path) {
  return new Promise((done, failed) => {
    const stream = connect(path, () => done(stream));
    stream.once("error", failed);
  });
}

async function connectToEngine() {
  const tried = [];
  for (const place of socketPlaces()) {
    if (tried.includes(place)) continue;
    tried.push(place);
    try {
      return await openSocket(place);
    } catch {
      // absent or refused: the next place may answer
    }
  }
  throw new EngineLeft(`no engine listens at ${tried.join(" or ")}`);
}

/** One connection. `handlers` maps the methods that the engine may call to functions of their parameters. */
export class Engine {
  #stream;
  #handlers;
  #lastId = 0;
  #pending = new Map();

  static async connect(handlers) {
    return new Engine(await connectToEngine(), handlers);
  }

  constructor(stream, handlers) {
    this.#stream = stream;
    this.#handlers = handlers;
    this.hasLeft = false;
    /** Resolves when the engine has closed the connection. */
    this.left = new Promise((done) => stream.once("close", done));
    stream.on("error", () => {}); // "close" follows
    stream.once("close", () => this.#leave());
    this.#readLines();
  }

  /** Sends a request and waits for its result. */
  call(method, params = {}) {
    return new Promise((resolve, reject) => {
      if (this.hasLeft) {
        reject(new EngineLeft("the engine has closed the connection"));
        return;
      }
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      this.#write({ jsonrpc: "2.0", id, method, params });
    });
  }

  close() {
    this.#stream.end();
  }

  #write(message) {
    this.#stream.write(`${JSON.stringify(message)}\n`);
  }

  #readLines() {
    const decoder = new StringDecoder("utf8");
    let parts = []; // of a line that is not complete
    this.#stream.on("data", (bytes) => {
      const [end, ...lines] = decoder.write(bytes).split("\n");
      parts.push(end);
      for (const next of lines) {
        this.#receive(parts.join(""));
        parts = [next];
      }
    });
  }

  #receive(line) {
    const message = JSON.parse(line);
    if (message.method) {
      this.#serve(message);
      return;
    }
    const waiting = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    // An error without an id is about a line that the engine could not read.
    if (!waiting) console.error("the engine reports:", message.error);
    else if (message.error) waiting.reject(new EngineError(message.error));
    else waiting.resolve(message.result);
  }

  /** Answers a request of the engine, or takes a notification. */
  async #serve({ id, method, params }) {
    let answer;
    try {
      const handler = this.#handlers[method];
      answer = handler
        ? { result: await handler(params ?? {}) }
        : { error: { code: -32601, message: `unknown method ${method}` } };
    } catch (error) {
      answer = { error: { code: -32603, message: String(error) } };
    }
    if (id !== undefined && !this.hasLeft) this.#write({ jsonrpc: "2.0", id, ...answer });
  }

  #leave() {
    this.hasLeft = true;
    for (const { reject } of this.#pending.values()) {
      reject(new EngineLeft("the engine has closed the connection"));
    }
    this.#pending.clear();
  }
}
