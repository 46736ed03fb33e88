import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Fault } from "./fault";
import { type Link, pageTransport, windowTransport } from "./transport";
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

/** A stream of pushes that opens when it is told to. */
class Stream {
  static readonly CLOSED = 2;
  static last: Stream;
  static opens = true;
  readyState = 1;
  onopen = () => {};
  onerror = () => {};
  onmessage = (_: { data: string }) => {};
  constructor() {
    Stream.last = this;
    if (Stream.opens) queueMicrotask(() => this.onopen());
  }
  push(push: Push): void {
    this.onmessage({ data: JSON.stringify(push) });
  }
}

beforeEach(() => {
  Stream.opens = true;
  vi.stubGlobal("EventSource", Stream);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const STALE: Push = { kind: "stale", what: ["hooks"] };

describe("the stream of the loopback page", () => {
  it("is open before the first call is made, so that no push about its reply is lost", async () => {
    Stream.opens = false;
    answer(200, { result: {} });
    const page = pageTransport();
    const reply = page.send("state", {});
    await new Promise((resolve) => setTimeout(resolve));
    expect(fetch).not.toHaveBeenCalled();
    Stream.last.onopen();
    await reply;
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it("keeps what it says before somebody listens", async () => {
    const page = pageTransport();
    Stream.last.onopen();
    Stream.last.push(STALE);
    const heard: (Push | Link)[] = [];
    page.listen(
      (push) => heard.push(push),
      (link) => heard.push(link),
    );
    expect(heard).toEqual(["up", STALE]);
  });

  it("counts as down where it does not open in time, and calls no longer wait for it", async () => {
    vi.useFakeTimers();
    Stream.opens = false;
    answer(200, { result: {} });
    const page = pageTransport();
    const links: Link[] = [];
    page.listen(
      () => {},
      (link) => links.push(link),
    );
    const reply = page.send("state", {});
    await vi.advanceTimersByTimeAsync(1000);
    await reply;
    Stream.last.onopen();
    expect(links).toEqual(["down", "up"]);
  });

  it("is asked for again where the browser gave it up", async () => {
    vi.useFakeTimers();
    pageTransport();
    const first = Stream.last;
    first.readyState = Stream.CLOSED;
    first.onerror();
    await vi.advanceTimersByTimeAsync(2000);
    expect(Stream.last).not.toBe(first);
  });
});

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
    await vi.waitFor(() => expect(fetch).toHaveBeenCalled());
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

  it("calls only when it hears pushes", async () => {
    Object.assign(desktop, { engine: "running", pushFirst: null, push: null });
    await windowTransport().send("state", {});
    expect(desktop.push).not.toBeNull();
  });

  it("hears of an engine that ended before the page listened", async () => {
    expect(await pushed("stopped", null)).toEqual([{ kind: "engine", state: "stopped" }]);
  });

  it("keeps to a push that overtook the reply", async () => {
    expect(await pushed("running", "stopped")).toEqual([{ kind: "engine", state: "stopped" }]);
  });
});
