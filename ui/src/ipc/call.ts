import { asFault } from "./fault";
import { transport } from "./transport";
import type { Method, Params, Reply } from "./types";

/** Calls the engine. Rejects with a `Fault`. */
export async function call<M extends Method>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Reply<M>> {
  try {
    return (await transport().send(method, params, signal)) as Reply<M>;
  } catch (thrown) {
    throw asFault(thrown);
  }
}
