/** A scripted engine for tests and stories. Never part of the shipped bundle. */
import { Fault } from "@/ipc/fault";
import type { Link, Transport } from "@/ipc/transport";
import type { Method, Params, Push, Reply } from "@/ipc/types";

/** What each call answers: a reply, or a function of the parameters. A thrown Fault is a refusal. */
export type Script = {
  [M in Method]?: Reply<M> | ((params: Params<M>) => Reply<M> | Promise<Reply<M>>);
};

export interface FakeEngine extends Transport {
  /** Every call so far. */
  readonly calls: { method: string; params: unknown }[];
  push(push: Push): void;
  link(link: Link): void;
}

export function fakeEngine(
  script: Script,
  options: { window?: boolean; delayMs?: number; pushes?: readonly Push[] } = {},
): FakeEngine {
  const calls: { method: string; params: unknown }[] = [];
  const pushTo = new Set<(push: Push) => void>();
  let unsent = options.pushes ?? [];
  const linkTo = new Set<(link: Link) => void>();
  return {
    window: options.window ?? false,
    calls,
    async send(method, params) {
      calls.push({ method, params });
      if (options.delayMs) await new Promise((resolve) => setTimeout(resolve, options.delayMs));
      const answer = script[method as Method] as unknown;
      if (answer === undefined) {
        throw new Fault({ code: "unknown_method", message: `the script has no answer to ${method}` });
      }
      return typeof answer === "function" ? (answer as (params: unknown) => unknown)(params) : answer;
    },
    listen(onPush, onLink) {
      pushTo.add(onPush);
      linkTo.add(onLink);
      for (const push of unsent) onPush(push);
      unsent = [];
      return () => {
        pushTo.delete(onPush);
        linkTo.delete(onLink);
      };
    },
    push(push) {
      for (const listener of pushTo) listener(push);
    },
    link(link) {
      for (const listener of linkTo) listener(link);
    },
  };
}
