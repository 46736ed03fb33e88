/** "Always for this agent": a connected agent registers commands, is allowed, and is revoked. */
import { type ChildProcess, spawn } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { type Engine, expect, go, openApproved, SAMPLES, test } from "./engine.ts";

/** It speaks with the connection of the sample agent. Each line that it reads is a request, each that it prints a result. */
const AGENT = `
import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from engine import Engine
engine = Engine({})
engine.call("session.open", {"protocol": 1, "dialect": "jcli", "session_id": "journey", "cwd": sys.argv[2],
    "agent": {"name": "sample-agent-python", "version": "1.0"}, "offers": []})
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(engine.call(request["method"], request["params"])), flush=True)
`;

class Agent {
  private readonly child: ChildProcess;
  private readonly lines: AsyncIterator<string>;

  constructor(engine: Engine) {
    this.child = spawn("python3", ["-c", AGENT, join(SAMPLES, "agents/python"), engine.project], {
      env: engine.env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines: Interface = createInterface({ input: this.child.stdout as NodeJS.ReadableStream });
    this.lines = lines[Symbol.asyncIterator]();
  }

  async call(method: string, params: object): Promise<Record<string, unknown>> {
    this.child.stdin?.write(`${JSON.stringify({ method, params })}\n`);
    const { value } = await this.lines.next();
    return JSON.parse(value) as Record<string, unknown>;
  }

  /** Registers a command at the end of a turn; whether it may run. */
  async register(command: string): Promise<unknown> {
    const { trusted } = await this.call("hook.register", { event: "stop", definition: { command } });
    return trusted;
  }

  stop(): void {
    this.child.kill("SIGKILL");
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

test("an agent is always allowed where its hook waits, and revoked in Trust", async ({ page, engine }) => {
  await openApproved(page, engine);
  const agent = new Agent(engine);
  try {
    expect(await agent.register("touch stopped")).toBe(false);
    await agent.call("event.fire", { event: "stop", payload: {} });
    expect(await exists(join(engine.project, "stopped"))).toBe(false);

    await go(page, "Agents");
    await page.getByRole("tab", { name: "Session hooks 1" }).click();
    await expect(page.getByText("needs review")).toBeVisible();
    const always = page.getByRole("button", { name: "Always allow sample-agent-python to register commands" });
    await page.screenshot({ path: test.info().outputPath("agent-waits.png") });
    await always.click();
    const sure = page.getByRole("alertdialog");
    await expect(sure.getByRole("button", { name: "Keep asking" })).toBeFocused();
    await expect(sure).toContainText("runs without a review, in every project");
    await expect(sure).toContainText(/Program\/.*python3/);
    await page.screenshot({ path: test.info().outputPath("agent-always.png") });
    await sure.getByRole("button", { name: "Always allow sample-agent-python" }).click();
    await expect(page.getByText("may run")).toBeVisible();
    await agent.call("event.fire", { event: "stop", payload: {} });
    expect(await exists(join(engine.project, "stopped"))).toBe(true);
    expect(await agent.register("touch later")).toBe(true);

    await go(page, "Trust");
    await page.getByRole("tab", { name: /^Approved/ }).click();
    const allowed = page.getByRole("region", { name: "Agents that are always allowed" });
    await expect(allowed).toContainText("sample-agent-python");
    await page.screenshot({ path: test.info().outputPath("agent-allowed.png") });
    await allowed.getByRole("button", { name: "Revoke: always allow sample-agent-python" }).click();
    await expect(allowed).toBeHidden();
    expect(await agent.register("touch third")).toBe(false);

    // What it registered waits again, and its review has the same button.
    await page.getByRole("tab", { name: "Waiting 3" }).click();
    await expect(page.getByText("Registered by agents")).toBeVisible();
    await expect(always).toBeVisible();
    await page.screenshot({ path: test.info().outputPath("agent-review.png") });
    await always.click();
    await sure.getByRole("button", { name: "Always allow sample-agent-python" }).click();
    await expect(page.getByText("Nothing to review")).toBeVisible();

    // The command line revokes the same approval, and the window follows.
    const revoked = await engine.hookwright("trust", "jcli:agent:sample-agent-python", "--revoke");
    expect(revoked, revoked.stderr).toMatchObject({ code: 0 });
    await expect(page.getByRole("tab", { name: "Waiting 3" })).toBeVisible();
  } finally {
    agent.stop();
  }
});
