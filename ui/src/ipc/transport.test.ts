import { afterEach, describe, expect, it, vi } from "vitest";
import type { Fault } from "./fault";
import { pageTransport } from "./transport";

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
