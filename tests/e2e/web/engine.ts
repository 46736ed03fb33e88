/** A test with an engine of its own: home, data folder, project, and the page that `hookwright serve --web` prints. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { test as base, expect, type Locator, type Page } from "@playwright/test";

const ROOT = resolve(import.meta.dirname, "../../..");
/** A folder a dialect, in it a folder a sample. */
export const SAMPLES = join(ROOT, "hooks-samples");
const STARTER = join(SAMPLES, "jcli/starter");
const BIN = process.env.HOOKWRIGHT_BIN ?? join(ROOT, "target/debug/hookwright");

const run = promisify(execFile);

/** A command that ended. */
export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** The languages of the window. */
export const LANGUAGES = ["en", "zh-CN"] as const;
export type Language = (typeof LANGUAGES)[number];

export class Engine {
  private constructor(
    /** A copy of the starter sample. */
    readonly project: string,
    /** The link that was printed; good for one window. */
    readonly link: string,
    private readonly place: string,
    /** What its programs run in: no home but the test's own. */
    readonly env: NodeJS.ProcessEnv,
    private readonly child: ChildProcess,
  ) {}

  static async start(): Promise<Engine> {
    const place = await mkdtemp(join(tmpdir(), "hw-"));
    const project = join(place, "starter");
    await cp(STARTER, project, { recursive: true });
    await mkdir(join(place, "home"));
    await mkdir(join(place, "run"), { mode: 0o700 });
    const env = {
      PATH: process.env.PATH,
      HOME: join(place, "home"),
      HOOKWRIGHT_DATA: join(place, "data"),
      XDG_RUNTIME_DIR: join(place, "run"),
      LANG: "C.UTF-8",
    };
    const child = spawn(BIN, ["serve", "--web"], { cwd: join(place, "home"), env, stdio: ["ignore", "pipe", "pipe"] });
    let complaints = "";
    child.stderr?.on("data", (bytes) => (complaints += bytes));
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      const link = /http:\/\/\S+/.exec(line)?.[0];
      if (link) return new Engine(project, link, place, env, child);
    }
    throw new Error(`the engine printed no link\n${complaints}`);
  }

  /** The page's own address, without the code. */
  get origin(): string {
    return new URL(this.link).origin;
  }

  /** The engine's own folder. */
  get data(): string {
    return join(this.place, "data");
  }

  /** The home folder of its programs. */
  get home(): string {
    return join(this.place, "home");
  }

  /** Where the sample goes that the page offers on its first start. */
  get sample(): string {
    return join(this.place, "data/samples/starter");
  }

  /** Writes a file below the home folder, such as the user's own hooks. */
  async writeHome(path: string, text: string): Promise<void> {
    const file = join(this.place, "home", path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  /** A copy of another sample, beside the project. */
  async copyOf(dialect: string, sample: string): Promise<string> {
    const copy = join(this.place, "samples", dialect, sample);
    await cp(join(SAMPLES, dialect, sample), copy, { recursive: true });
    return copy;
  }

  /** Runs the command line beside the engine, in the project. */
  hookwright(...args: string[]): Promise<Finished> {
    return this.hookwrightIn(this.project, ...args);
  }

  /** The same in another project. */
  async hookwrightIn(project: string, ...args: string[]): Promise<Finished> {
    try {
      const { stdout, stderr } = await run(BIN, [...args, "--project", project], { env: this.env });
      return { code: 0, stdout, stderr };
    } catch (thrown) {
      const { code, stdout, stderr } = thrown as { code: number; stdout: string; stderr: string };
      if (typeof code !== "number") throw thrown;
      return { code, stdout, stderr };
    }
  }

  /** Another link, for one more window. */
  async newLink(): Promise<string> {
    const printed = await this.hookwright("open", "--web");
    expect(printed, printed.stderr).toMatchObject({ code: 0 });
    return printed.stdout.trim();
  }

  /** Ends it as a person would; gives its exit status. */
  async stop(): Promise<number | null> {
    if (this.child.exitCode === null) {
      const ended = once(this.child, "exit");
      this.child.kill("SIGTERM");
      await ended;
    }
    return this.child.exitCode;
  }

  async clean(): Promise<void> {
    await this.stop();
    await rm(this.place, { recursive: true, force: true });
  }
}

/** Opens the page on the engine's project, whose hooks are approved; the overview comes first. */
export async function openApproved(page: Page, engine: Engine): Promise<void> {
  const approved = await engine.hookwright("trust", "--all");
  expect(approved, approved.stderr).toMatchObject({ code: 0 });
  await page.goto(engine.link);
  const path = page.getByLabel("Path of the folder");
  // The first screen can still be drawing what the engine answered, and then a click on it is lost.
  await expect(async () => {
    // A click that ends late has opened it all the same.
    if (!(await path.isVisible())) await page.getByRole("button", { name: "Open a folder" }).click({ timeout: 5000 });
    await expect(path).toBeVisible({ timeout: 5000 });
  }).toPass();
  await path.fill(engine.project);
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
}

/** The same, and goes to the list of hooks, which is then shown in the language that is given. */
export async function openHooks(page: Page, engine: Engine, language: Language = "en"): Promise<void> {
  await openApproved(page, engine);
  await go(page, "Hooks");
  await expect(row(page, "guard_shell.sh")).toContainText("Ready");
  if (language === "en") return;
  await speak(page, language);
  await expect(row(page, "guard_shell.sh")).toContainText("就绪");
}

/** Reads the texts of the review on show to their end, approves it, and gives the name of the hook. */
export async function approveShown(page: Page): Promise<string> {
  const button = page.getByRole("button", { name: /^(Read on|Approve)$/ });
  const sure = page.getByRole("alertdialog");
  await expect(async () => {
    await button.click();
    await expect(sure).toBeVisible({ timeout: 500 });
  }).toPass();
  const yes = sure.getByRole("button", { name: /^Approve / });
  const name = (await yes.innerText()).replace("Approve ", "");
  await yes.click();
  await expect(page.getByText(`${name} was approved.`)).toBeVisible();
  return name;
}

/** Goes to a section, and waits until its screen is there: rows of the screen before must not be taken for its own. */
export async function go(page: Page, section: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name: section, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: section })).toBeVisible();
}

/** Changes a setting from the page, as Settings does. */
export async function set(page: Page, key: string, value: string): Promise<void> {
  const status = await page.evaluate(
    async (params) => {
      const window = sessionStorage.getItem("hookwright.window") ?? "";
      const headers = { "content-type": "application/json", "x-hookwright-window": window };
      const body = JSON.stringify({ method: "settings.set", params });
      return (await fetch("/rpc", { method: "POST", headers, body })).status;
    },
    { key, value },
  );
  expect(status).toBe(200);
}

/** Shows the page in another language, as Settings does. */
export async function speak(page: Page, language: Language): Promise<void> {
  await set(page, "ui.language", language);
  await page.reload();
  // An address that changes while the page starts is not looked at.
  await page.getByRole("heading", { level: 1 }).waitFor();
}

/** A row of the table on screen, by something it says. */
export function row(page: Page, words: string): Locator {
  return page.getByRole("row").filter({ hasText: words });
}

/** Changes a file as an editor would: another one is put in its place. */
export async function edit(path: string, change: (text: string) => string): Promise<void> {
  await writeFile(`${path}.new`, change(await readFile(path, "utf8")));
  await rename(`${path}.new`, path);
}

export const test = base.extend<{ engine: Engine }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs from this pattern
  engine: async ({}, use) => {
    const engine = await Engine.start();
    await use(engine);
    await engine.clean();
  },
  // The desktop window freezes it, and what works here must work there.
  page: async ({ page }, use) => {
    await page.addInitScript(() => Object.freeze(Object.prototype));
    await use(page);
  },
});

export { expect };
