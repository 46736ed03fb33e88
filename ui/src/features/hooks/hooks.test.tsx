import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Fault } from "@/ipc/fault";
import type { Params, Problem } from "@/ipc/types";
import { edited } from "@/testing/editReplies";
import { BROKEN_FILE, CANNOT_START } from "@/testing/healthData";
import { callsOf, renderApp } from "@/testing/render";
import { HOOKS, PROBLEMS, PROJECT, PROJECT_LIST, STATE } from "@/testing/sampleData";

const table = () => screen.findByRole("grid", { name: "Hooks in run order" });
const rowOf = async (label: string) => {
  const cell = await within(await table()).findByText(label);
  const row = cell.closest("tr");
  if (row === null) throw new Error(label);
  return row;
};

describe("the Hooks screen", () => {
  it("lists hooks in run order under the file they come from, with their place", async () => {
    renderApp("#/hooks");
    const rows = within(await table())
      .getAllByRole("row")
      .map((row) => row.textContent ?? "");
    const user = rows.findIndex((text) => text.includes("1 · user"));
    const project = rows.findIndex((text) => text.includes("2 · project"));
    expect(user).toBeGreaterThan(0);
    expect(project).toBeGreaterThan(user);
    expect(rows[project]).toContain(".jcli/hooks.yaml");
    expect(rows.findIndex((text) => text.includes("inject-time"))).toBeLessThan(project);
  });

  it("says which hook needs a review, is muted, or fails", async () => {
    renderApp("#/hooks");
    expect(await rowOf("redact-secrets")).toHaveTextContent("Needs review");
    expect(await rowOf("shorten-output")).toHaveTextContent("Muted");
    await waitFor(async () => expect(await rowOf("audit-log")).toHaveTextContent("Failing"));
  });

  it("says what keeps a guard from working, and what the agent does then", async () => {
    const { user } = renderApp("#/hooks", { "hooks.list": CANNOT_START });
    const row = await rowOf("guard-shell");
    expect(row).toHaveTextContent(/Cannot start.*`?python4`? is not installed on this machine/);
    expect(row.querySelector(".loud")).not.toBeNull();
    await user.click(row);
    const drawer = await screen.findByRole("region", { name: "Hook" });
    expect(drawer).toHaveTextContent("python4 is not installed on this machine: here the agent continues");
    expect(within(drawer).getByText("If it fails").nextElementSibling).toHaveTextContent("the agent continues");
  });

  it("mutes with the switch, says that the agent still runs it, and takes it back on Undo", async () => {
    const { engine, user } = renderApp("#/hooks");
    await user.click(within(await rowOf("guard-shell")).getByRole("switch"));
    await waitFor(() =>
      expect(callsOf(engine, "mute")).toEqual([{ project: PROJECT, hook: "jcli:project:pre_tool_execution:1" }]),
    );
    expect(await screen.findByText(/still runs in j-cli/)).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(callsOf(engine, "unmute")).toHaveLength(1));
  });

  it("mutes until a time that is chosen, which has to be in the future", async () => {
    const { engine, user } = renderApp("#/hooks?hook=jcli:project:pre_tool_execution:1");
    const drawer = await screen.findByRole("region", { name: "Hook" });
    await user.click(await within(drawer).findByRole("button", { name: "Mute" }));
    await user.click(await screen.findByRole("menuitem", { name: "Mute until …" }));
    const dialog = await screen.findByRole("dialog", { name: "Mute until" });
    const until = within(dialog).getByLabelText("Date and time");
    fireEvent.change(until, { target: { value: "2020-01-01T08:00" } });
    expect(within(dialog).getByRole("alert")).toHaveTextContent("Choose a time in the future.");
    fireEvent.change(until, { target: { value: "2100-01-01T08:00" } });
    await user.click(within(dialog).getByRole("button", { name: "Mute" }));
    await waitFor(() => expect(callsOf(engine, "mute")).toHaveLength(1));
    const { for_ms: ms = 0 } = callsOf(engine, "mute")[0] as Params<"mute">;
    expect(Math.abs(Date.now() + ms - new Date("2100-01-01T08:00").getTime())).toBeLessThan(60_000);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("opens a hook beside the list, and closes it with Esc", async () => {
    const { user } = renderApp("#/hooks");
    await user.click(await rowOf("tool-safety-review"));
    const drawer = await screen.findByRole("region", { name: "Hook" });
    expect(within(drawer).getByText("tool_matcher")).toBeInTheDocument();
    expect(within(drawer).getByText(/up to 2 attempts/)).toBeInTheDocument();
    expect(window.location.hash).toContain("hook=");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("region", { name: "Hook" })).not.toBeInTheDocument());
  });

  it("moves through the rows with J and K", async () => {
    const { user } = renderApp("#/hooks");
    await table();
    await user.keyboard("jj");
    await waitFor(async () => expect(await rowOf("audit-log")).toHaveAttribute("aria-selected", "true"));
    await user.keyboard("k");
    await waitFor(async () => expect(await rowOf("normalize-paths")).toHaveAttribute("aria-selected", "true"));
  });

  it("filters by words and says how to see all again", async () => {
    const { user } = renderApp("#/hooks");
    await table();
    await user.keyboard("/");
    await user.keyboard("guard");
    expect(await screen.findByText("9 hooks, 2 shown")).toBeInTheDocument();
    await user.keyboard("zzz");
    expect(await screen.findByText(/No hook matches/)).toBeInTheDocument();
  });

  it("finds hooks by what the screen says of them: state, dialect and layer", async () => {
    const { user } = renderApp("#/hooks");
    const filter = await screen.findByRole("textbox", { name: "Filter" });
    const found = async (words: string) => {
      await user.clear(filter);
      await user.type(filter, words);
      return within(await table())
        .getAllByRole("row")
        .flatMap((row) => row.querySelector(".name")?.textContent ?? []);
    };
    expect(await found("muted")).toEqual(["shorten-output"]);
    expect(await found("needs review")).toEqual(["redact-secrets"]);
    expect(await found("j-cli user")).toEqual(["normalize-paths", "audit-log", "inject-time"]);
  });

  it("sorts by slow runs, and gives the run order again", async () => {
    const { user } = renderApp("#/hooks");
    const first = async () => (await table()).querySelector(".name")?.textContent;
    await waitFor(async () => expect(await rowOf("keep-going")).toHaveTextContent("29.4"));
    expect(await first()).toBe("normalize-paths");
    const head = within(await table()).getByRole("button", { name: "p95" });
    await user.click(head);
    await waitFor(async () => expect(await first()).toBe("keep-going"));
    expect((await table()).querySelector(".group-row")).toBeNull();
    await user.click(head);
    await user.click(head);
    await waitFor(async () => expect(await first()).toBe("normalize-paths"));
  });

  it("shows the places searched when there is no hook", async () => {
    const sources = [
      {
        dialect: "jcli",
        layer: "project" as const,
        path: `${PROJECT}/.jcli/hooks.yaml`,
        exists: false,
        hooks: 0,
        last_good: false,
        last_good_since: null,
        definitions: 0,
        events: [],
        health: { state: "ready" as const, code: null, args: {}, at: null },
      },
    ];
    renderApp("#/hooks", { "hooks.list": { hooks: [], problems: [], sources } });
    expect(await screen.findByText("No hooks yet")).toBeInTheDocument();
    expect(screen.getByText("Hookwright searched 1 location for hooks of this project.")).toBeInTheDocument();
    expect(screen.getByText(".jcli/hooks.yaml")).toBeInTheDocument();
    expect(screen.getByText("no file yet")).toBeInTheDocument();
  });

  it("says what went wrong and what to do when the list cannot be had", async () => {
    renderApp("#/hooks", {
      "hooks.list": () => {
        throw new Fault({ code: "data_dir", message: "the data folder cannot be read", hint: "check its permissions" });
      },
    });
    expect(await screen.findByText("The data folder cannot be read")).toBeInTheDocument();
    expect(screen.getByText("Check its permissions")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Try again" })).toBeInTheDocument();
  });

  it("asks again when the engine says that hooks changed", async () => {
    const { engine } = renderApp("#/hooks");
    await table();
    const before = callsOf(engine, "hooks.list").length;
    engine.push({ kind: "stale", what: ["hooks"] });
    engine.push({ kind: "stale", what: ["hooks"] });
    await waitFor(() => expect(callsOf(engine, "hooks.list")).toHaveLength(before + 1));
  });

  it("keeps only the rows in view in the page, however many there are", async () => {
    const many = Array.from({ length: 1000 }, (_, index) => ({
      ...(HOOKS[index % HOOKS.length] as (typeof HOOKS)[number]),
      hook: `jcli:project:stop:${index}`,
    }));
    renderApp("#/hooks", { "hooks.list": { hooks: many, problems: [], sources: [] } });
    expect(within(await table()).getAllByRole("row").length).toBeLessThan(100);
    expect(await table()).toHaveAttribute("aria-rowcount", "1001");
  });
});

describe("the problems of a project", () => {
  it("stand with place, message, hint and code, errors first", async () => {
    renderApp("#/hooks?view=problems");
    const grid = await screen.findByRole("grid", { name: "Problems" });
    const rows = within(grid).getAllByRole("row");
    expect(rows[1]).toHaveTextContent("ignore is not a value of on_error");
    expect(rows[1]).toHaveTextContent(".jcli/hooks.yaml:22:15");
    expect(rows[1]).toHaveTextContent("unknown_value");
    expect(rows[1]).toHaveTextContent("Use skip or abort");
  });

  it("have a bar where the agent does not run a file whose older version is in use here", async () => {
    renderApp("#/hooks", { "hooks.list": BROKEN_FILE });
    const bar = await screen.findByRole("list", { name: "Files that cannot be read" });
    expect(bar).toHaveTextContent(/hooks\.yaml:22 is invalid since .*j-cli runs none of its hooks/);
    expect(within(bar).getByRole("button", { name: "Show line 22" })).toBeInTheDocument();
    expect(await rowOf("guard-shell")).toHaveTextContent(/Lost.*not in j-cli/);
  });
});

describe("the chosen problem", () => {
  const error = PROBLEMS[0] as Problem;
  const other: Problem = { ...error, code: "unknown_field", path: "/elsewhere/hooks.yaml", line: 1 };
  const detail = () => screen.findByRole("region", { name: "Problem" });

  /** Chooses the error, then the engine lists `problems`. */
  async function chosen(problems: Problem[]) {
    let listed: Problem[] = [error];
    const { engine, user } = renderApp("#/hooks?view=problems", {
      "hooks.list": () => ({ ...PROJECT_LIST, problems: listed }),
    });
    await user.click(await screen.findByText(/ignore is not a value|is not a value of/));
    await detail();
    listed = problems;
    act(() => engine.push({ kind: "stale", what: ["hooks"] }));
    await waitFor(() => expect(callsOf(engine, "hooks.list").length).toBeGreaterThan(1));
    return { engine, user };
  }

  it("stays the same one when another one comes before it", async () => {
    await chosen([other, error]);
    await screen.findByText(/All 2/);
    expect(await detail()).toHaveTextContent("unknown_value");
    expect(await detail()).toHaveTextContent(".jcli/hooks.yaml:22");
  });

  it("is followed to its new line, in the address too", async () => {
    await chosen([other, { ...error, line: 25 }]);
    await waitFor(async () => expect(await detail()).toHaveTextContent(".jcli/hooks.yaml:25"));
    expect(decodeURIComponent(window.location.hash)).toContain('hooks.yaml",25,null]');
  });

  it("leaves its file open when it is gone, and says so", async () => {
    await chosen([]);
    expect(await screen.findByText("This problem was fixed, or its file changed.")).toBeInTheDocument();
    expect(await detail()).toHaveTextContent("unknown_value");
  });

  it("of an address that names none leaves the list as it is", async () => {
    renderApp("#/hooks?view=problems&problem=0");
    expect(await screen.findByText("This problem was fixed, or its file changed.")).toBeInTheDocument();
    expect(screen.queryByRole("region", { name: "Problem" })).not.toBeInTheDocument();
  });
});

describe("a watcher that is not live", () => {
  it("is said on the screen and in the status bar", async () => {
    renderApp("#/hooks", {
      state: { ...STATE, watching: { ...STATE.watching, live: false, why: "Too many files to watch." } },
    });
    expect(await screen.findByText("Too many files to watch.")).toBeInTheDocument();
    expect(screen.getByText("Updates delayed")).toBeInTheDocument();
  });
});

describe("a file that its agent rejects", () => {
  it("has a bar that says so and leads to the problem", async () => {
    const problems = [{ ...(PROBLEMS[0] as (typeof PROBLEMS)[number]), rejects_file: true }];
    const { user } = renderApp("#/hooks", { "hooks.list": { ...PROJECT_LIST, problems } });
    expect(await screen.findByText("j-cli rejects this file: none of its hooks run there.")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Show the problem" }));
    expect(await screen.findByRole("region", { name: "Problem" })).toHaveTextContent("unknown_value");
  });

  it("has none for a finding that concerns only one hook", async () => {
    renderApp("#/hooks");
    await screen.findByRole("grid");
    expect(screen.queryByText(/rejects this file/)).not.toBeInTheDocument();
  });
});

describe("several selected hooks", () => {
  it("are muted together with one message, and unmuted by its Undo", async () => {
    const { engine, user } = renderApp("#/hooks");
    const grid = await screen.findByRole("grid");
    await user.click(within(grid).getByRole("row", { name: /normalize-paths/ }));
    await user.keyboard("{Control>}");
    await user.click(within(grid).getByRole("row", { name: /audit-log/ }));
    await user.keyboard("{/Control}");
    const bar = within(await screen.findByRole("toolbar", { name: "Selected hooks" }));
    expect(bar.getByText("2 hooks selected")).toBeInTheDocument();
    await user.click(bar.getByRole("button", { name: "Mute for 30 min" }));
    expect(await screen.findByText("2 hooks are muted for 30 min.")).toBeInTheDocument();
    expect(callsOf(engine, "mute")).toHaveLength(2);
    expect(screen.queryByRole("toolbar", { name: "Selected hooks" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(callsOf(engine, "unmute")).toHaveLength(2));
  });

  it("are turned off up to the one that is refused, and Undo takes back what was done", async () => {
    const answers = [edited(null)];
    const { engine, user } = renderApp("#/hooks", {
      "hook.turn_off": () => {
        const answer = answers.pop();
        if (answer === undefined) throw new Fault({ code: "edit_changed_on_disk", message: "the file has changed" });
        return answer;
      },
      "edit.undo": { edit: "E2", undone: "E1", what: "edit", hook: null, path: "", files: [], diff: "", trashed: null },
    });
    const grid = await screen.findByRole("grid");
    await user.click(within(grid).getByRole("row", { name: /normalize-paths/ }));
    await user.keyboard("{Control>}");
    await user.click(within(grid).getByRole("row", { name: /audit-log/ }));
    await user.keyboard("{/Control}");
    const bar = within(await screen.findByRole("toolbar", { name: "Selected hooks" }));
    await user.click(bar.getByRole("button", { name: "Turn off" }));
    expect(await screen.findByText("the file has changed")).toBeInTheDocument();
    const done = await screen.findByText("1 hook is turned off.");
    await user.click(within(done.parentElement as HTMLElement).getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(callsOf(engine, "edit.undo")).toEqual([{ project: PROJECT, undo: "E1" }]));
  });
});
