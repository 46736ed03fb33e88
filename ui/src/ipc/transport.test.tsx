import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WrittenNumber } from "@/lib/exactJson";
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
  invoke: async (_: string, { method, params }: { method: string; params: string }) => {
    if (method === "explain") return params;
    if (desktop.pushFirst !== null) desktop.push({ kind: "engine", state: desktop.pushFirst });
    return JSON.stringify({ state: desktop.engine });
  },
}));

const SECRET = "5ec4e7";

/** The stream of pushes, which opens when it is told to. */
class Stream {
  static all: Stream[] = [];
  static get last(): Stream {
    return Stream.all.at(-1) as Stream;
  }
  private control!: ReadableStreamDefaultController<Uint8Array>;
  private answer!: (response: Response) => void;
  readonly response = new Promise<Response>((resolve) => {
    this.answer = resolve;
  });
  constructor() {
    Stream.all.push(this);
  }
  open(): void {
    const start = (control: ReadableStreamDefaultController<Uint8Array>) => {
      this.control = control;
    };
    this.answer(new Response(new ReadableStream({ start })));
  }
  refuse(status: number): void {
    this.answer(new Response("no", { status }));
  }
  send(...chunks: string[]): void {
    for (const chunk of chunks) this.control.enqueue(new TextEncoder().encode(chunk));
  }
  push(push: Push): void {
    this.send(`data: ${JSON.stringify(push)}\n\n`);
  }
  end(): void {
    this.control.close();
  }
}

type Reply = (init: RequestInit) => Promise<Response>;

/** What `/rpc` gives; each request of `/pushes` makes a `Stream`. */
function serve(rpc: Reply): void {
  vi.stubGlobal(
    "fetch",
    vi.fn((path: string, init: RequestInit) => (path === "/pushes" ? new Stream().response : rpc(init))),
  );
}

function answer(status: number, body: unknown): void {
  serve(async () => new Response(typeof body === "string" ? body : JSON.stringify(body), { status }));
}

const calls = (path: string) => vi.mocked(fetch).mock.calls.filter(([asked]) => asked === path);

/** A page whose stream is open, as it nearly always is. */
function openedPage() {
  const page = pageTransport();
  Stream.last.open();
  return page;
}

function heardOf(page: ReturnType<typeof pageTransport>): (Push | Link)[] {
  const heard: (Push | Link)[] = [];
  page.listen(
    (push) => heard.push(push),
    (link) => heard.push(link),
  );
  return heard;
}

const refusal = async (promise: Promise<unknown>): Promise<Fault> =>
  promise.then(
    () => Promise.reject(new Error("it was not refused")),
    (fault: Fault) => fault,
  );

beforeEach(() => {
  Stream.all = [];
  sessionStorage.setItem("hookwright.window", SECRET);
  answer(200, { result: {} });
});
afterEach(() => {
  sessionStorage.clear();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const STALE: Push = { kind: "stale", what: ["hooks"] };
const RUNNING: Push = { kind: "engine", state: "running" };

describe("the stream of the loopback page", () => {
  it("is open before the first call is made, so that no push about its reply is lost", async () => {
    const page = pageTransport();
    const reply = page.send("state", {});
    await new Promise((resolve) => setTimeout(resolve));
    expect(calls("/rpc")).toEqual([]);
    Stream.last.open();
    await reply;
    expect(calls("/rpc")).toHaveLength(1);
  });

  it("keeps what it says before somebody listens", async () => {
    const page = openedPage();
    await page.send("state", {});
    Stream.last.push(STALE);
    await new Promise((resolve) => setTimeout(resolve));
    expect(heardOf(page)).toEqual(["up", STALE]);
  });

  it("is read wherever it is cut, and its comments are left out", async () => {
    const page = openedPage();
    await page.send("state", {});
    const heard = heardOf(page);
    const text = `: listening\n\ndata: ${JSON.stringify(STALE)}\n\n:\n\ndata:${JSON.stringify(RUNNING)}\n\n`;
    for (const letter of text) Stream.last.send(letter);
    await vi.waitFor(() => expect(heard).toEqual(["up", STALE, RUNNING]));
  });

  it("counts as down where it does not open in time, and calls no longer wait for it", async () => {
    vi.useFakeTimers();
    const page = pageTransport();
    const heard = heardOf(page);
    const reply = page.send("state", {});
    await vi.advanceTimersByTimeAsync(1000);
    await reply;
    Stream.last.open();
    await vi.advanceTimersByTimeAsync(0);
    expect(heard).toEqual(["down", "up"]);
  });

  it("is asked for again where it ended", async () => {
    vi.useFakeTimers();
    const heard = heardOf(openedPage());
    await vi.advanceTimersByTimeAsync(0);
    Stream.last.end();
    await vi.advanceTimersByTimeAsync(2000);
    expect(Stream.all).toHaveLength(2);
    Stream.last.open();
    await vi.advanceTimersByTimeAsync(0);
    expect(heard).toEqual(["up", "down", "up"]);
  });

  it("is not asked for again where this window is refused", async () => {
    vi.useFakeTimers();
    const heard = heardOf(pageTransport());
    Stream.last.refuse(401);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(Stream.all).toHaveLength(1);
    expect(heard).toEqual(["refused"]);
  });
});

describe("the secret of the window", () => {
  it("goes with every request, in a header", async () => {
    await openedPage().send("state", {});
    for (const [path, init] of vi.mocked(fetch).mock.calls) {
      expect(new Headers(init?.headers).get("x-hookwright-window")).toBe(SECRET);
      expect(path).not.toContain(SECRET);
    }
    expect(vi.mocked(fetch).mock.calls.map(([path]) => path)).toEqual(["/pushes", "/rpc"]);
  });

  it.each([
    ["no secret", null],
    ["an exchange that failed", ""],
  ])("sends nothing with %s, and says why", async (_, kept) => {
    sessionStorage.clear();
    if (kept !== null) sessionStorage.setItem("hookwright.window", kept);
    const page = pageTransport();
    expect((await refusal(page.send("state", {}))).code).toBe("ui_needs_link");
    expect(fetch).not.toHaveBeenCalled();
    expect(heardOf(page)).toEqual(["refused"]);
  });
});

describe("the loopback page", () => {
  it("posts method and parameters and gives the result", async () => {
    answer(200, { result: { pid: 7 } });
    await expect(openedPage().send("state", {})).resolves.toEqual({ pid: 7 });
    expect(fetch).toHaveBeenCalledWith(
      "/rpc",
      expect.objectContaining({ method: "POST", body: '{"method":"state","params":{}}' }),
    );
  });

  it("gives and takes the numbers of payloads as they were written", async () => {
    answer(200, '{"result":{"payload":{"n":[1e2,-0]},"took_ms":12.0}}');
    const page = openedPage();
    const reply = await page.send("explain", {});
    await page.send("fixtures.save", reply);
    const { body } = calls("/rpc").at(-1)?.[1] ?? {};
    expect(body).toBe('{"method":"fixtures.save","params":{"payload":{"n":[1e2,-0]},"took_ms":12}}');
  });

  it("rejects with the engine's fault, code and hint kept", async () => {
    answer(200, { fault: { code: "unknown_hook", message: "no such hook", args: { hook: "x" }, hint: "list them" } });
    expect(await refusal(openedPage().send("mute", {}))).toMatchObject({
      code: "unknown_hook",
      message: "no such hook",
      args: { hook: "x" },
      hint: "list them",
    });
  });

  it("gives up a call that nothing waits for any more", async () => {
    serve(({ signal }) => new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))));
    const nothingWaits = new AbortController();
    const refused = refusal(openedPage().send("explain", {}, nothingWaits.signal));
    await vi.waitFor(() => expect(calls("/rpc")).toHaveLength(1));
    nothingWaits.abort();
    expect(await refused).toBeInstanceOf(Error);
  });

  it.each([401, 403])("knows from %i that its session is over", async (status) => {
    answer(status, "no");
    expect((await refusal(openedPage().send("state", {}))).code).toBe("ui_session_over");
  });

  it("says that the engine is gone when nothing or no JSON answers", async () => {
    answer(502, "<html>");
    expect((await refusal(openedPage().send("state", {}))).code).toBe("ui_unreachable");
    serve(async () => Promise.reject(new TypeError("failed")));
    expect((await refusal(openedPage().send("state", {}))).code).toBe("ui_unreachable");
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

  it("gives and takes the numbers of payloads as they were written", async () => {
    const asked = { payload: { n: new WrittenNumber("1e2") } };
    expect(await windowTransport().send("explain", asked)).toEqual(asked);
  });

  it("hears of an engine that ended before the page listened", async () => {
    expect(await pushed("stopped", null)).toEqual([{ kind: "engine", state: "stopped" }]);
  });

  it("keeps to a push that overtook the reply", async () => {
    expect(await pushed("running", "stopped")).toEqual([{ kind: "engine", state: "stopped" }]);
  });
});
