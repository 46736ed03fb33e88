import { QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fakeEngine } from "@/testing/fakeEngine";
import { historyRows } from "@/testing/sampleData";
import { listenToPushes } from "./pushes";
import { createQueryClient, invalidate, queryKey } from "./queries";
import { replaceTransport } from "./transport";

const quiet = {
  traces: () => undefined,
  notice: () => undefined,
  engine: () => undefined,
  navigate: () => undefined,
  link: () => undefined,
};

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("pushes", () => {
  it("of 100 ms are handed on at once", () => {
    const engine = fakeEngine({});
    replaceTransport(engine);
    const client = createQueryClient();
    const invalidated = vi.spyOn(client, "invalidateQueries");
    const batches: number[] = [];
    const stop = listenToPushes(client, { ...quiet, traces: (rows) => batches.push(rows.length) });
    for (const row of historyRows(50)) engine.push({ kind: "traces", rows: [row] });
    engine.push({ kind: "stale", what: ["hooks"] });
    engine.push({ kind: "stale", what: ["trust", "hooks"] });
    expect(batches).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(batches).toEqual([50]);
    expect(invalidated).toHaveBeenCalledTimes(1);
    stop();
  });

  it("of a trace that is recorded again make the one on screen old", () => {
    const engine = fakeEngine({});
    replaceTransport(engine);
    const client = createQueryClient();
    const [shown, other] = historyRows(2);
    const keys = [shown, other].map((row) => queryKey("history.show", { trace: row?.trace ?? "" }));
    for (const key of keys) client.setQueryData(key, {});
    const stop = listenToPushes(client, quiet);
    engine.push({ kind: "traces", rows: shown === undefined ? [] : [shown] });
    vi.advanceTimersByTime(100);
    expect(keys.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual([true, false]);
    stop();
  });

  it("of new events refresh the counters, and once more for what is imported later", () => {
    const engine = fakeEngine({});
    replaceTransport(engine);
    const client = createQueryClient();
    const key = queryKey("state", {});
    const isOld = () => client.getQueryState(key)?.isInvalidated;
    client.setQueryData(key, {});
    const stop = listenToPushes(client, quiet);
    engine.push({ kind: "traces", rows: historyRows(1) });
    vi.advanceTimersByTime(2100);
    expect(isOld()).toBe(true);
    client.setQueryData(key, {});
    vi.advanceTimersByTime(2000);
    expect(isOld()).toBe(true);
    client.setQueryData(key, {});
    vi.advanceTimersByTime(10_000);
    expect(isOld()).toBe(false);
    stop();
  });

  it("make every answer old that the command list says", () => {
    const client = createQueryClient();
    const keys = [queryKey("edit.list", {}), queryKey("agents.list", {})];
    for (const key of keys) client.setQueryData(key, {});
    invalidate(client, new Set(["hooks"]));
    expect(keys.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual([true, false]);
  });

  it("make a first answer old that is still on its way, once it is there", async () => {
    const answers: ((answer: number) => void)[] = [];
    const client = createQueryClient();
    const queryFn = () => new Promise<number>((resolve) => answers.push(resolve));
    const seen: unknown[] = [];
    const stop = new QueryObserver(client, { queryKey: queryKey("hooks.list", { project: null }), queryFn }).subscribe(
      ({ data }) => seen.push(data),
    );
    invalidate(client, new Set(["hooks"]));
    invalidate(client, new Set(["hooks"]));
    expect(answers).toHaveLength(1);
    answers[0]?.(1);
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    expect(seen).toContain(1);
    answers[1]?.(2);
    await vi.waitFor(() => expect(seen.at(-1)).toBe(2));
    expect(answers).toHaveLength(2);
    stop();
  });

  it("are not missed after the line was down, and nothing is read again when it opens at once", () => {
    const engine = fakeEngine({});
    replaceTransport(engine);
    const client = createQueryClient();
    const key = queryKey("edit.list", {});
    client.setQueryData(key, {});
    const isOld = () => client.getQueryState(key)?.isInvalidated;
    const stop = listenToPushes(client, quiet);
    engine.link("up");
    expect(isOld()).toBe(false);
    engine.link("down");
    engine.link("up");
    expect(isOld()).toBe(true);
    stop();
  });

  it("reach nobody after the end", () => {
    const engine = fakeEngine({});
    replaceTransport(engine);
    const seen = vi.fn();
    const stop = listenToPushes(createQueryClient(), { ...quiet, engine: seen });
    stop();
    engine.push({ kind: "engine", state: "stopped" });
    expect(seen).not.toHaveBeenCalled();
  });
});
