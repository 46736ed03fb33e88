/**
 * The way to the engine: the `rpc` command of the desktop window, or `POST /rpc` of the loopback page.
 *
 * Nothing else in the interface knows which of the two it runs in.
 */
import { Fault, type FaultBody } from "./fault";
import type { Push, PushOf } from "./types";

export type Link = "up" | "down" | "refused";

export interface Transport {
  readonly window: boolean;
  /** Rejects with a `Fault`. `signal` gives up a call whose reply is no longer of interest, where that is possible. */
  send(method: string, params: unknown, signal?: AbortSignal): Promise<unknown>;
  /** Listens until the returned function is called. */
  listen(onPush: (push: Push) => void, onLink: (link: Link) => void): () => void;
}

type Answer = { result: unknown } | { fault: FaultBody };

function refused(): Fault {
  return new Fault({ code: "ui_session_over", message: "This page is signed out." });
}

function unreachable(): Fault {
  return new Fault({ code: "ui_unreachable", message: "The engine does not respond." });
}

/** `POST /rpc` and Server-Sent Events of `hookwright serve --web`. */
export function pageTransport(base = ""): Transport {
  return {
    window: false,
    async send(method, params, signal) {
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
    listen(onPush, onLink) {
      let source: EventSource | null = null;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const open = () => {
        source = new EventSource(`${base}/pushes`, { withCredentials: true });
        source.onopen = () => onLink("up");
        source.onmessage = (event) => onPush(JSON.parse(String(event.data)) as Push);
        source.onerror = () => {
          onLink("down");
          // A browser gives up for good after some answers; it is asked again until it is closed here.
          if (source?.readyState === EventSource.CLOSED) {
            timer = setTimeout(open, 2000);
          }
        };
      };
      open();
      return () => {
        clearTimeout(timer);
        source?.close();
      };
    },
  };
}

/** The `rpc` command and the `push` event of the desktop window. */
export function windowTransport(): Transport {
  const core = import("@tauri-apps/api/core");
  const events = import("@tauri-apps/api/event");
  return {
    window: true,
    async send(method, params) {
      const { invoke } = await core;
      try {
        return await invoke("rpc", { method, params });
      } catch (thrown) {
        if (typeof thrown === "object" && thrown !== null && "code" in thrown) throw new Fault(thrown as FaultBody);
        throw new Fault({ code: "ui_unexpected", message: String(thrown) });
      }
    },
    listen(onPush, onLink) {
      let stopped = false;
      let unlisten: (() => void) | undefined;
      void events.then(async ({ listen }) => {
        let isEngineKnown = false;
        const stop = await listen<Push>("push", ({ payload }) => {
          isEngineKnown ||= payload.kind === "engine";
          onPush(payload);
        });
        if (stopped) stop();
        else {
          unlisten = stop;
          onLink("up");
          // A project that the program was started with waits until it can be shown. What was pushed before now is lost:
          // the reply says whether there is still an engine, and all that was read meanwhile is read again.
          const { invoke } = await core;
          const reply = await invoke<Pick<PushOf<"engine">, "state">>("rpc", {
            method: "window.listening",
            params: {},
          }).catch(() => null);
          // A push can overtake the reply, and is newer.
          if (reply !== null && !stopped && !isEngineKnown) onPush({ kind: "engine", state: reply.state });
        }
      });
      return () => {
        stopped = true;
        unlisten?.();
      };
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
