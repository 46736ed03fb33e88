/**
 * The way to the engine: the `rpc` command of the desktop window, or `POST /rpc` of the loopback page.
 *
 * Nothing else in the interface knows which of the two it runs in.
 */
import { readReply, toJson } from "@/lib/exactJson";
import { Fault, type FaultBody } from "./fault";
import type { Push } from "./types";

export type Link = "up" | "down" | "refused";

export interface Transport {
  readonly window: boolean;
  /** Rejects with a `Fault`. `signal` gives up a call whose reply is no longer of interest, where that is possible. */
  send(method: string, params: unknown, signal?: AbortSignal): Promise<unknown>;
  /** Listens until the returned function is called; one at a time. What came before is handed on first. */
  listen(onPush: (push: Push) => void, onLink: (link: Link) => void): () => void;
}

type Answer = { result: unknown } | { fault: FaultBody };

function refused(): Fault {
  return new Fault({ code: "ui_session_over", message: "This page is signed out." });
}

function windowless(): Fault {
  return new Fault({ code: "ui_needs_link", message: "This window needs its own link." });
}

function unreachable(): Fault {
  return new Fault({ code: "ui_unreachable", message: "The engine does not respond." });
}

/** Calls wait as long at most until pushes arrive, in ms. A line that takes longer counts as down until then. */
const OPENS_MS = 1000;

/** What a line says: how it is, or a push. */
export type Said = Link | Push;

/**
 * The line that pushes come over, opened at once: what is read before it is open could grow old without a push. `ready` is
 * there when it is open, or is known to be down. What it says before somebody listens is kept.
 */
function openLine(connect: (say: (said: Said) => void) => void) {
  const kept: Said[] = [];
  const keep = (said: Said): void => void kept.push(said);
  let hear = keep;
  const ready = new Promise<void>((resolve) => {
    const say = (said: Said) => {
      clearTimeout(late);
      hear(said);
      resolve();
    };
    const late = setTimeout(say, OPENS_MS, "down");
    connect(say);
  });
  const listen: Transport["listen"] = (onPush, onLink) => {
    const own = (said: Said) => (typeof said === "string" ? onLink(said) : onPush(said));
    hear = own;
    kept.splice(0).forEach(own);
    return () => {
      if (hear === own) hear = keep;
    };
  };
  return { ready, listen };
}

/** Where the server's `enter.js` stores the secret of this window. It outlives a reload, and no other tab has it. */
const WINDOW_KEY = "hookwright.window";
/** After how many ms a stream that broke is asked for again. */
const REOPENS_MS = 2000;

/** The secret of this window; null in a tab that was not opened by a link. */
function readSecret(): string | null {
  try {
    return sessionStorage.getItem(WINDOW_KEY) || null;
  } catch {
    return null; // This browser stores nothing for the page.
  }
}

/** Hands on every push of a stream of Server-Sent Events, each of which is one line, until the stream ends. */
async function readPushes(body: ReadableStream<Uint8Array>, say: (push: Push) => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data:")) say(JSON.parse(line.slice("data:".length)) as Push);
  }
}

/**
 * `POST /rpc` and the stream of `GET /pushes` of `hookwright serve --web`. A browser sends the cookie to other ports too, so
 * both want the secret of this window besides. `EventSource` could not send it.
 */
export function pageTransport(base = ""): Transport {
  const secret = readSecret();
  const request = (path: string, init: RequestInit): Promise<Response> =>
    fetch(`${base}${path}`, {
      credentials: "same-origin",
      ...init,
      headers: { ...init.headers, "x-hookwright-window": secret ?? "" },
    });
  const { ready, listen } = openLine((say) => {
    const open = async (): Promise<void> => {
      try {
        const { ok, status, body } = await request("/pushes", { cache: "no-store" });
        if (isRefusal(status)) {
          // The secret never becomes valid again: another link gives another one.
          say("refused");
          return;
        }
        if (ok && body !== null) {
          say("up");
          await readPushes(body, say);
        }
      } catch {
        // The engine ended, or the line broke.
      }
      say("down");
      setTimeout(open, REOPENS_MS);
    };
    if (secret === null) say("refused");
    else void open();
  });
  return {
    window: false,
    listen,
    async send(method, params, signal) {
      if (secret === null) throw windowless();
      await ready;
      let response: Response;
      try {
        response = await request("/rpc", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: toJson({ method, params }),
          signal,
        });
      } catch {
        throw unreachable();
      }
      if (isRefusal(response.status)) throw refused();
      let answer: Answer;
      try {
        answer = readReply(await response.text()) as Answer;
      } catch {
        throw unreachable();
      }
      if ("fault" in answer) throw new Fault(answer.fault);
      return answer.result;
    },
  };
}

function isRefusal(status: number): boolean {
  return status === 401 || status === 403;
}

/** The `rpc` command and the `push` event of the desktop window. */
export function windowTransport(): Transport {
  const desktop = import("./desktop");
  const { ready, listen } = openLine((say) => void desktop.then(({ connect }) => connect(say)));
  return {
    window: true,
    listen,
    async send(method, params) {
      await ready;
      return (await desktop).send(method, params);
    },
  };
}

let current: Transport | null = null;

/** True inside the desktop window. */
export function inWindow(): boolean {
  return "__TAURI_INTERNALS__" in globalThis;
}

export function transport(): Transport {
  current ??= inWindow() ? windowTransport() : pageTransport();
  return current;
}

/** Puts a scripted engine in place of the real one; tests and stories only. */
export function replaceTransport(replacement: Transport): void {
  current = replacement;
}
