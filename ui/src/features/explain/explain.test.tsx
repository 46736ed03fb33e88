import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Params, Reply, Step, Trace } from "@/ipc/types";
import { POLLUTED } from "@/testing/doctorData";
import { NOTHING_MATCHED } from "@/testing/editReplies";
import type { Script } from "@/testing/fakeEngine";
import { GONE_PROJECT } from "@/testing/goneData";
import { callsOf, renderApp } from "@/testing/render";
import { EXPLAIN, lastEvents, PROJECT, TRACE } from "@/testing/sampleData";

describe("the Explain screen", () => {
  it("says what the event was, lists its hooks in run order, and begins with the first that did not run", async () => {
    renderApp(`#/history/explain?trace=${TRACE.trace}`);
    const hooks = await screen.findByRole("listbox", { name: "Hooks of this event" });
    expect(
      within(hooks)
        .getAllByRole("option")
        .map((one) => one.querySelector(".trunc")?.textContent),
    ).toEqual(["normalize-paths", "audit-log", "guard-prod-db", "guard-shell", "tool-safety-review"]);
    expect(within(hooks).getByRole("option", { selected: true })).toHaveTextContent("guard-prod-db");
    expect(screen.getByText(/drop table carts/)).toBeInTheDocument();
    expect(screen.getByText("Bash would be skipped")).toBeInTheDocument();
  });

  it("shows what each check looked at, and what the filter wanted beside what the event had", async () => {
    const { user } = renderApp(`#/history/explain?trace=${TRACE.trace}`);
    const checks = await screen.findByRole("list", { name: "Checks" });
    // Those that passed stand in one line until they are asked for.
    expect(within(checks).queryByText("approved")).toBeNull();
    await user.click(within(checks).getByRole("button", { name: "4 checks passed" }));
    expect(within(checks).getByText(".jcli/hooks.yaml:3")).toBeInTheDocument();
    expect(within(checks).getByText("approved")).toBeInTheDocument();
    expect(await within(checks).findByText("psql")).toBeInTheDocument();
    expect(within(checks).getByText("Bash")).toBeInTheDocument();
    expect(within(checks).getByRole("link", { name: "Show in source" })).toHaveAttribute(
      "href",
      expect.stringContaining("tab=source"),
    );
  });
});

const SHELL = "jcli:project:pre_tool_execution:1";

/** The trace in which `guard-shell` missed a tool that its filter nearly names. */
const MISSED: Trace = {
  ...TRACE,
  payload_before: { ...TRACE.payload_before, tool_name: "bash" },
  steps: TRACE.steps.map((step) =>
    step.hook === SHELL
      ? {
          ...step,
          outcome: "not_matched",
          attempts: [],
          gates: step.gates.slice(0, 5).map((gate) =>
            gate.gate === "filter"
              ? {
                  ...gate,
                  pass: false,
                  why: "tool_name is bash, wanted Bash|Shell",
                  near_miss: "case",
                  code: "filter_differs",
                  args: { field: "tool_name", got: "bash", wanted: "Bash|Shell", key: "tool_matcher" },
                }
              : gate,
          ),
        }
      : step,
  ),
};

const MATCHES: Reply<"history.match"> = {
  looked_at: 200,
  matches: 12,
  matched: ["T1", "T2"],
  near: [{ trace: "T3", near_miss: "case" }],
  without_payload: 0,
  incomplete: false,
};

const missed = (changes: Script = {}) =>
  renderApp(`#/history/explain?trace=${TRACE.trace}&hook=${SHELL}`, {
    "history.show": ({ trace }) => ({ ...MISSED, trace }),
    "history.match": ({ steps, events }) =>
      events ? NOTHING_MATCHED : steps === undefined ? MATCHES : { ...MATCHES, matches: 14 },
    ...changes,
  });

describe("what applies to the whole event", () => {
  const SENTENCE = `The project folder ${PROJECT} no longer exists, so its hooks are missing`;

  it("is said of an event that was not fired, also before it is", async () => {
    renderApp("#/history/explain?dialect=jcli&event=pre_tool_execution", GONE_PROJECT);
    expect(await screen.findByText(SENTENCE)).toBeInTheDocument();
    cleanup();
    renderApp("#/fire", GONE_PROJECT);
    expect(await screen.findByText(SENTENCE)).toBeInTheDocument();
  });

  it("is said of a recorded event as it was recorded", async () => {
    const [notice] = (GONE_PROJECT.explain as Reply<"explain">).notices ?? [];
    if (notice === undefined) throw new Error("there is no notice");
    renderApp(`#/history/explain?trace=${TRACE.trace}`, { "history.show": { ...TRACE, notices: [notice] } });
    expect(await screen.findByText(SENTENCE)).toBeInTheDocument();
  });
});

describe("a filter that did not match", () => {
  it("marks the difference between what was wanted and what the event had", async () => {
    missed();
    const checks = await screen.findByRole("list", { name: "Checks" });
    await within(checks).findByRole("button", { name: /Add bash to the condition/ });
    expect([...checks.querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual(["B", "b"]);
  });

  it("is mended in its file: the difference first, with what it would match, then the edit, with Undo", async () => {
    const { engine, user } = missed();
    await user.click(await screen.findByRole("button", { name: /Add bash to the condition/ }));
    const dialog = await screen.findByRole("dialog", { name: "Add bash to the condition" });
    expect(await within(dialog).findByText("14 after this change")).toBeInTheDocument();
    await waitFor(() => expect(dialog).toHaveTextContent("tool_name: psql"));
    const edits = () => (callsOf(engine, "edit.change") as Params<"edit.change">[]).filter((one) => !one.dry_run);
    expect(edits()).toEqual([]);
    await user.click(within(dialog).getByRole("button", { name: /Apply the fix/ }));
    expect(await screen.findByText("The condition of guard-shell was changed.")).toBeInTheDocument();
    expect(edits()).toMatchObject([
      {
        project: PROJECT,
        hook: SHELL,
        version: "0123456789abcdef",
        steps: [{ do: "set", field: "filter.tool_matcher", value: "Bash|Shell|bash" }],
      },
    ]);
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(callsOf(engine, "edit.undo")).toEqual([{ project: PROJECT, undo: "E1" }]));
  });

  it("offers the other fix, too, and a key for the first", async () => {
    const { user } = missed();
    expect(await screen.findByRole("button", { name: "Change Bash to bash" })).toBeInTheDocument();
    await user.keyboard("{Control>}.{/Control}");
    expect(await screen.findByRole("dialog", { name: "Add bash to the condition" })).toBeInTheDocument();
  });

  it("says how many of the last events would match, with the way to each", async () => {
    missed();
    const matches = await screen.findByRole("region", { name: "Last events" });
    expect(await within(matches).findByText("12 of the last 200 events would match")).toBeInTheDocument();
    const links = within(matches).getAllByRole("link");
    expect(links.map((link) => link.getAttribute("href"))).toEqual(
      ["T1", "T2", "T3"].map((trace) => expect.stringContaining(`trace=${trace}`)),
    );
    expect(links[2]).toHaveTextContent("only the letter case differs");
  });

  it("is not mended where that is not certain", async () => {
    renderApp(`#/history/explain?trace=${TRACE.trace}`);
    await screen.findByRole("list", { name: "Checks" });
    expect(await screen.findByText("No pre_tool_execution events are recorded yet.")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: /to the condition|Change .* to/ })).not.toBeInTheDocument();
  });
});

describe("a hook that ran and failed", () => {
  const BROKE: Trace = {
    ...TRACE,
    steps: TRACE.steps.map((step) =>
      step.hook === SHELL
        ? {
            ...step,
            outcome: "failed_open",
            reason: "exit code 126",
            gates: step.gates.map((gate) => ({ ...gate, pass: true, why: null, near_miss: null })),
            attempts: step.attempts.map((attempt) => ({ ...attempt, code: 126, stderr: "sh: Permission denied" })),
          }
        : step,
    ),
  };
  const UNSTARTED: Reply<"explain"> = {
    ...EXPLAIN,
    steps: EXPLAIN.steps.map((step) =>
      step.hook === SHELL
        ? {
            ...step,
            gates: [
              ...step.gates.filter(({ gate }) => gate !== "starts"),
              {
                gate: "starts",
                pass: false,
                why: "guard.sh is not executable",
                near_miss: null,
                code: null,
                args: {},
                fixes: [{ kind: "file", fix: "make_executable", path: `${PROJECT}/guard.sh` }],
              },
            ],
          }
        : step,
    ),
  };

  it("is explained by its output, and by what keeps it from starting now, with the fix", async () => {
    const { engine, user } = renderApp(`#/history/explain?trace=${TRACE.trace}&hook=${SHELL}`, {
      "history.show": BROKE,
      explain: UNSTARTED,
    });
    expect(await screen.findByText("sh: Permission denied")).toBeInTheDocument();
    const fault = await screen.findByRole("region", { name: "Why it cannot start now" });
    expect(fault).toHaveTextContent("guard.sh is not executable");
    await user.click(within(fault).getByRole("button", { name: "Make guard.sh executable" }));
    await screen.findByRole("dialog", { name: "Make guard.sh executable" });
    await waitFor(() => expect(callsOf(engine, "edit.fix")[0]).toMatchObject({ hook: SHELL, dry_run: true }));
  });

  it("leads to the line of the script that wrote what cannot be read, with the fix", async () => {
    const path = `${PROJECT}/.jcli/hooks/guard.sh`;
    const step = POLLUTED.steps.findIndex(({ attempts }) => attempts.some((one) => one.output_problems !== undefined));
    const broke = { ...POLLUTED.steps[step], outcome: "failed_open" } as Step;
    const gates = broke.gates.map((gate) => ({ ...gate, pass: true, why: null, near_miss: null }));
    const trace = { ...POLLUTED, steps: POLLUTED.steps.map((one, at) => (at === step ? { ...broke, gates } : one)) };
    const fix = { fix: "to_stderr" as const, path, lines: [2] };
    const origin = { step, attempt: broke.attempts.length - 1, problem: 0, hook: broke.hook, path, script: true };
    const { engine, user } = renderApp(`#/history/explain?trace=${TRACE.trace}&hook=${broke.hook}`, {
      "history.show": trace,
      "output.origins": { origins: [{ ...origin, line: 2, fixes: [fix] }] },
    });
    await user.click(await screen.findByRole("button", { name: "Print to stderr in guard.sh" }));
    const sheet = await screen.findByRole("dialog", { name: "Print to stderr in guard.sh" });
    await waitFor(() => expect(callsOf(engine, "edit.fix")[0]).toMatchObject({ hook: broke.hook, fix, dry_run: true }));
    await user.click(within(sheet).getAllByRole("button", { name: /Close|Cancel/ })[0] as HTMLElement);
    await user.click(await screen.findByRole("button", { name: "Open guard.sh at line 2" }));
    await waitFor(() => expect(decodeURIComponent(window.location.hash)).toContain("line=2"));
    const address = decodeURIComponent(window.location.hash);
    expect(address).toContain(`file=${path}`);
    expect(address).toContain("tab=source");
  });
});

const PROD_DB = "jcli:project:pre_tool_execution:0";
const HOUR_MS = 3_600_000;

/** Four events: 30 h ago, 3 h ago, an hour ago and just now. */
function fewEvents(): Reply<"history.match"> {
  const all = lastEvents(Date.now());
  const at = [0, 1, 3, 30].map((hours) => new Date(Date.now() - hours * HOUR_MS).toISOString());
  const did = [
    { outcome: "not_matched", reason: 0 },
    { outcome: "not_matched", reason: 1 },
    { outcome: "denied", reason: null },
    { outcome: "not_matched", reason: 0 },
  ] as const;
  return { ...all, events: did.map((one, index) => ({ ...one, trace: `E${index}`, at: at[index] ?? "" })) };
}

const strip = (script: Script = {}) =>
  renderApp(`#/history/explain?trace=${TRACE.trace}&hook=${PROD_DB}`, {
    "history.show": ({ trace }) => ({ ...TRACE, trace }),
    "history.match": ({ events }) => (events ? fewEvents() : NOTHING_MATCHED),
    ...script,
  });
const cells = async () => within(await screen.findByRole("listbox", { name: /last .* events/ })).getAllByRole("option");

describe("the last events of a hook", () => {
  it("have a cell each, the oldest first, which says what the hook did and why", async () => {
    const { engine } = strip();
    const names = (await cells()).map((cell) => cell.getAttribute("aria-label"));
    expect(names.map((name) => name?.split(" · ").slice(1).join(" · "))).toEqual([
      "Not matched · tool_name is Bash, wanted psql",
      "Denied",
      "Not matched · tool_name is bash, wanted Bash|Shell",
      "Not matched · tool_name is Bash, wanted psql",
    ]);
    expect(screen.getByText("1 ran")).toBeInTheDocument();
    expect(screen.getByText("1 near miss")).toBeInTheDocument();
    expect(screen.getByText("2 did not run")).toBeInTheDocument();
    expect(callsOf(engine, "history.match")).toContainEqual({
      project: PROJECT,
      dialect: "jcli",
      event: "pre_tool_execution",
      hook: PROD_DB,
      last: 1000,
      events: true,
    });
  });

  it("open their own explanation, by click and by keys, for the same hook", async () => {
    const { user } = strip();
    await user.click((await cells())[0] as HTMLElement);
    await waitFor(() => expect(window.location.hash).toContain("trace=E3"));
    expect(window.location.hash).toContain(encodeURIComponent(PROD_DB));
    expect((await cells())[0]).toHaveAttribute("aria-selected", "true");
    const list = screen.getByRole("listbox", { name: /last .* events/ });
    list.focus();
    await user.keyboard("{ArrowRight}");
    expect(list).toHaveAttribute("aria-activedescendant", (await cells())[1]?.id);
    await user.keyboard("{End}{Enter}");
    await waitFor(() => expect(window.location.hash).toContain("trace=E0"));
  });

  it("are counted where they had the same reason within a day, with the way to them", async () => {
    strip();
    const same = await screen.findByRole("region", { name: "Same reason, last 24 h" });
    expect(same).toHaveTextContent("1 event. tool_name is Bash, wanted psql");
    const link = within(same).getByRole("link", { name: "Show in History" });
    const words = `event:pre_tool_execution hook:${PROD_DB} since:24h text:"tool_name is Bash, wanted psql"`;
    expect(decodeURIComponent(link.getAttribute("href") ?? "").replaceAll("+", " ")).toContain(words);
  });

  it("are not all known where only the newest could be read", async () => {
    strip({
      "history.match": () => ({ ...fewEvents(), events: fewEvents().events?.slice(0, 2) ?? [], incomplete: true }),
    });
    expect(await screen.findByText("At least 1 event.")).toBeInTheDocument();
  });

  it("name no reason where the hook ran", async () => {
    renderApp(`#/history/explain?trace=${TRACE.trace}&hook=${SHELL}`, {
      "history.match": ({ events }) => (events ? fewEvents() : NOTHING_MATCHED),
    });
    await cells();
    expect(screen.queryByRole("region", { name: "Same reason, last 24 h" })).not.toBeInTheDocument();
  });

  it("take no place where no event is recorded", async () => {
    strip({ "history.match": NOTHING_MATCHED });
    expect(await screen.findByText("No pre_tool_execution events are recorded yet.")).toBeInTheDocument();
    expect(screen.queryByRole("listbox", { name: /last .* event/ })).not.toBeInTheDocument();
    expect(screen.queryByRole("region", { name: "Same reason, last 24 h" })).not.toBeInTheDocument();
  });
});
