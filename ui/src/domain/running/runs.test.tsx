import { act, renderHook } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { replaceTransport } from "@/ipc/transport";
import { fakeEngine, type Script } from "@/testing/fakeEngine";
import { createRuns, forgetRuns } from "./runs";

const MOST_KEPT = 2;
const runs = createRuns<string>(MOST_KEPT);

/** Starts a run that ends when it is told to. */
function startLong(key: string) {
  let end: (result: string) => void = () => undefined;
  let fail: (why: Error) => void = () => undefined;
  let asked = 0;
  act(() =>
    runs.start(key, () => {
      asked += 1;
      return new Promise((resolve, reject) => {
        end = resolve;
        fail = reject;
      });
    }),
  );
  return {
    asked: () => asked,
    end: (result: string) => act(async () => end(result)),
    fail: (why: string) => act(async () => fail(new Error(why))),
  };
}

const shown = (key: string) => renderHook(() => runs.useRun(key)).result.current;

function engine(script: Script) {
  const fake = fakeEngine(script);
  replaceTransport(fake);
  return fake;
}

afterEach(() => act(forgetRuns));

describe("a run", () => {
  it("is known by its key to whoever asks later, and so is its result", async () => {
    const run = startLong("a");
    expect(shown("a").since).not.toBeNull();
    await run.end("done");
    expect(shown("a")).toMatchObject({ since: null, result: "done", first: true });
    expect(shown("b").result).toBeNull();
  });

  it("is not started while one of its key runs", () => {
    const run = startLong("a");
    expect(startLong("a").asked()).toBe(0);
    expect(startLong("b").asked()).toBe(1);
    expect(run.asked()).toBe(1);
  });

  it("that failed has no result, and says why", async () => {
    await startLong("a").end("old");
    await startLong("a").fail("broken");
    expect(shown("a")).toMatchObject({ since: null, result: null });
    expect(shown("a").fault?.message).toBe("broken");
  });

  it("is stopped by the name that the engine knows", async () => {
    const fake = engine({ "fire.stop": { stopped: true } });
    const run = startLong("a");
    const { id } = shown("a");
    await act(() => runs.stop("a"));
    expect(fake.calls).toEqual([{ method: "fire.stop", params: { run: id } }]);
    await run.end("half");
    expect(shown("a")).toMatchObject({ stopped: true, result: "half" });
  });

  it("that the engine does not stop goes on", async () => {
    engine({});
    startLong("a");
    await act(() => expect(runs.stop("a")).rejects.toThrow("no answer"));
    expect(shown("a")).toMatchObject({ stopped: false });
    expect(shown("a").since).not.toBeNull();
  });

  it("is kept while it runs, however many ended since", async () => {
    startLong("long");
    for (const key of ["a", "b", "c"]) await startLong(key).end(key);
    expect([shown("a").result, shown("b").result, shown("c").result]).toEqual([null, "b", "c"]);
    expect(shown("long").since).not.toBeNull();
  });
});
