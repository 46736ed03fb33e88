/**
 * The way to the engine: the `rpc` command of the desktop window, or `POST /rpc` of the loopback page.
 *
 * Nothing else in the interface knows which of the two it runs in.
 */
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

/** `POST /rpc` and Server-Sent Events of `hookwright serve --web`. */
export function pageTransport(base = ""): Transport {
  const { ready, listen } = openLine((say) => {
    const open = () => {
      const source = new EventSource(`${base}/pushes`, { withCredentials: true });
      source.onopen = () => say("up");
      source.onmessage = (event) => say(JSON.parse(String(event.data)) as Push);
      source.onerror = () => {
        say("down");
        // A browser gives up for good after some answers.
        if (source.readyState === EventSource.CLOSED) setTimeout(open, 2000);
      };
    };
    open();
  });
  return {
    window: false,
    listen,
    async send(method, params, signal) {
      await ready;
      let response: Response;
      try {
        response = await fetch(`${base}/rpc`, {
          method: "POST",
          credentials: "same-origin",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ method, params }),
          signal,
        });
      } catch {
        throw unreachable();
      }
      if (response.status === 401 || response.status === 403) throw refused();
      let answer: Answer;
      try {
        answer = (await response.json()) as Answer;
      } catch {
        throw unreachable();
      }
      if ("fault" in answer) throw new Fault(answer.fault);
      return answer.result;
    },
  };
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
