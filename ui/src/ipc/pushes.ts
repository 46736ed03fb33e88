/**
 * What the engine says unasked.
 *
 * Pushes are gathered for 100 ms and then handed on at once, so that a busy agent costs ten renders a second at most.
 */
import type { QueryClient } from "@tanstack/react-query";
import { tellPromptAnswer } from "./promptAnswers";
import { invalidate, makeOld, queryKey } from "./queries";
import { type Link, transport } from "./transport";
import type { HistoryRow, Push, PushOf, Topic } from "./types";

const GATHER_MS = 100;
/** Counters follow the live feed no faster than this. */
const COUNTERS_MS = 2000;

export interface Listeners {
  /** New history rows, oldest first, at most ten times a second. */
  traces(rows: HistoryRow[]): void;
  notice(notice: PushOf<"notice">): void;
  engine(state: "running" | "stopped"): void;
  navigate(where: PushOf<"navigate">): void;
  link(link: Link): void;
}

/** A trace is recorded again when its detached hooks have ended: one that is shown is asked for again. */
function refreshTraces(client: QueryClient, rows: readonly HistoryRow[]): void {
  for (const { trace } of rows) {
    const shown = queryKey("history.show", { trace });
    if (client.getQueryState(shown) !== undefined) void client.invalidateQueries({ queryKey: shown });
  }
}

/** Starts listening; the returned function ends it. */
export function listenToPushes(client: QueryClient, listeners: Listeners): () => void {
  let stale = new Set<Topic>();
  let rows: HistoryRow[] = [];
  let gather: ReturnType<typeof setTimeout> | undefined;
  let counters: ReturnType<typeof setTimeout> | undefined;
  let isCountedAgain = false;
  let wasDown = false;

  const countLater = () => {
    counters ??= setTimeout(() => {
      counters = undefined;
      invalidate(client, new Set<Topic>(["stats", "state"]));
      // The engine imports an event up to two seconds after it was pushed: what came last is counted the next time.
      if (isCountedAgain) countLater();
      isCountedAgain = false;
    }, COUNTERS_MS);
  };

  const flush = () => {
    gather = undefined;
    const topics = stale;
    const batch = rows;
    stale = new Set();
    rows = [];
    invalidate(client, topics);
    if (batch.length === 0) return;
    refreshTraces(client, batch);
    listeners.traces(batch);
    isCountedAgain = true;
    countLater();
  };
  const later = () => {
    gather ??= setTimeout(flush, GATHER_MS);
  };
  const onPush = (push: Push) => {
    switch (push.kind) {
      case "stale":
        for (const topic of push.what) stale.add(topic);
        later();
        return;
      case "traces":
        // The engine sends the newest first.
        rows.push(...[...push.rows].reverse());
        later();
        return;
      case "notice":
        listeners.notice(push);
        return;
      case "engine":
        if (push.state === "running") makeOld(client);
        listeners.engine(push.state);
        return;
      case "prompt_answer":
        tellPromptAnswer(push);
        return;
      case "navigate":
        listeners.navigate(push);
        return;
    }
  };
  const onLink = (link: Link) => {
    // What was pushed while the line was down is lost: ask for everything again.
    if (link === "up" && wasDown) makeOld(client);
    wasDown = link !== "up";
    listeners.link(link);
  };
  const stop = transport().listen(onPush, onLink);
  return () => {
    clearTimeout(gather);
    clearTimeout(counters);
    stop();
  };
}
