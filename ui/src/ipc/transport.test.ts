import { afterEach, describe, expect, it, vi } from "vitest";
import type { Fault } from "./fault";
import { pageTransport, windowTransport } from "./transport";
import type { Push } from "./types";

const desktop = vi.hoisted(() => ({ push: (_: unknown) => {}, engine: "running", pushFirst: null as string | null }));
vi.mock("@tauri-apps/api/event", () => ({
  listen: async (_: string, onEvent: (event: { payload: unknown }) => void) => {
    desktop.push = (payload) => onEvent({ payload });
    return () => {};
  },
}));
vi.mock("@tauri-apps/api/core", () => ({
  invoke: async () => {
    if (desktop.pushFirst !== null) desktop.push({ kind: "engine", state: desktop.pushFirst });
    return { state: desktop.engine };
  },
}));

function answer(status: number, body: unknown): void {
  vi.stubGlobal(
    "fetch",
    vi.fn(async () => new Response(typeof body === "string" ? body : JSON.stringify(body), { status })),
  );
}

const refusal = async (promise: Promise<unknown>): Promise<Fault> =>
  promise.then(
    () => Promise.reject(new Error("it was not refused")),
    (fault: Fault) => fault,
  );

afterEach(() => vi.unstubAllGlobals());

describe("the loopback page", () => {
  it("posts method and parameters and gives the result", async () => {
    answer(200, { result: { pid: 7 } });
    await expect(pageTransport().send("state", {})).resolves.toEqual({ pid: 7 });
    expect(fetch).toHaveBeenCalledWith(
      "/rpc",
      expect.objectContaining({ method: "POST", body: '{"method":"state","params":{}}' }),
    );
  });

  it("rejects with the engine's fault, code and hint kept", async () => {
    answer(200, { fault: { code: "unknown_hook", message: "no such hook", args: { hook: "x" }, hint: "list them" } });
    expect(await refusal(pageTransport().send("mute", {}))).toMatchObject({
      code: "unknown_hook",
      message: "no such hook",
      args: { hook: "x" },
      hint: "list them",
    });
  });

  it("gives up a call that nothing waits for any more", async () => {
    vi.stubGlobal(
      "fetch",
      vi.fn(
        (_: string, { signal }: RequestInit) =>
          new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
      ),
    );
    const nothingWaits = new AbortController();
    const refused = refusal(pageTransport().send("explain", {}, nothingWaits.signal));
    nothingWaits.abort();
    expect(await refused).toBeInstanceOf(Error);
  });

  it.each([401, 403])("knows from %i that its session is over", async (status) => {
    answer(status, "no");
    expect((await refusal(pageTransport().send("state", {}))).code).toBe("ui_session_over");
  });

  it("says that the engine is gone when nothing or no JSON answers", async () => {
    answer(502, "<html>");
    expect((await refusal(pageTransport().send("state", {}))).code).toBe("ui_unreachable");
    vi.stubGlobal(
      "fetch",
      vi.fn(async () => Promise.reject(new TypeError("failed"))),
    );
    expect((await refusal(pageTransport().send("state", {}))).code).toBe("ui_unreachable");
  });
});

describe("the desktop window", () => {
  const pushed = async (engine: string, pushFirst: string | null): Promise<Push[]> => {
    Object.assign(desktop, { engine, pushFirst });
    const pushes: Push[] = [];
    windowTransport().listen(
      (push) => pushes.push(push),
      () => {},
    );
    await vi.waitFor(() => expect(pushes).not.toEqual([]));
    return pushes;
  };

  it("hears of an engine that ended before the page listened", async () => {
    expect(await pushed("stopped", null)).toEqual([{ kind: "engine", state: "stopped" }]);
  });

  it("keeps to a push that overtook the reply", async () => {
    expect(await pushed("running", "stopped")).toEqual([{ kind: "engine", state: "stopped" }]);
  });
});
