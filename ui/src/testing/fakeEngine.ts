/** A scripted engine for tests and stories. Never part of the shipped bundle. */
import { Fault } from "@/ipc/fault";
import type { Link, Transport } from "@/ipc/transport";
import type { Method, Params, Push, Reply } from "@/ipc/types";
import { changesOf } from "./changes";
import { listed, type Rows } from "./listed";

/** What a script says of a reply: of a list of hooks only the rows, of an edit only the unified diff. */
type Scripted<M extends Method> = M extends "hooks.list"
  ? Rows
  : Reply<M> extends { changes: unknown }
    ? Omit<Reply<M>, "changes">
    : Reply<M>;

/** What each call answers: a reply, or a function of the parameters. A thrown Fault is a refusal. */
export type Script = {
  [M in Method]?: Scripted<M> | ((params: Params<M>) => Scripted<M> | Promise<Scripted<M>>);
};

export interface FakeEngine extends Transport {
  /** Every call so far. */
  readonly calls: { method: string; params: unknown }[];
  push(push: Push): void;
  link(link: Link): void;
}

function withChanges(reply: unknown): unknown {
  if (typeof reply !== "object" || reply === null || !("diff" in reply) || typeof reply.diff !== "string") return reply;
  return { ...reply, changes: changesOf(reply.diff) };
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
      const reply = typeof answer === "function" ? await (answer as (params: unknown) => unknown)(params) : answer;
      return method === "hooks.list" ? listed(reply as Rows) : withChanges(reply);
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
