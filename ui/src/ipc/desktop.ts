/** The way to the engine in the desktop window: its `rpc` command and its `push` event. The page never loads this. */
import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { readReply, toJson } from "@/lib/exactJson";
import { Fault, type FaultBody } from "./fault";
import type { Said } from "./transport";
import type { Push, PushOf } from "./types";

export async function connect(say: (said: Said) => void): Promise<void> {
  let isEngineKnown = false;
  await listen<Push>("push", ({ payload }) => {
    isEngineKnown ||= payload.kind === "engine";
    say(payload);
  });
  say("up");
  // A project that the program was started with waits until it can be shown. What was pushed before now is lost: the reply
  // says whether there is still an engine.
  const reply = (await send("window.listening", {}).catch(() => null)) as Pick<PushOf<"engine">, "state"> | null;
  // A push can overtake the reply, and is newer.
  if (reply?.state === "stopped" && !isEngineKnown) say({ kind: "engine", state: "stopped" });
}

export async function send(method: string, params: unknown): Promise<unknown> {
  try {
    return readReply(await invoke<string>("rpc", { method, params: toJson(params) }));
  } catch (thrown) {
    if (typeof thrown === "object" && thrown !== null && "code" in thrown) throw new Fault(thrown as FaultBody);
    throw new Fault({ code: "ui_unexpected", message: String(thrown) });
  }
}
