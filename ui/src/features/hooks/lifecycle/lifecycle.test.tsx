import { act, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { hooksOfEvent, idAt } from "@/domain/hooks/facts";
import { showLanguage } from "@/i18n";
import { Fault } from "@/ipc/fault";
import type { HistoryRow, HookRow } from "@/ipc/types";
import { listed } from "@/testing/listed";
import { renderApp } from "@/testing/render";
import { EVENTS, HOOKS, PROJECT_LIST } from "@/testing/sampleData";
import { edgePath, effectsOf, lastOutcomes } from "./lifecycle";

const map = () => screen.findByRole("list", { name: "Lifecycle of j-cli" });
const node = async (event: string) => within(await map()).findByRole("button", { name: new RegExp(`^${event},`) });
const drawer = () => screen.findByRole("region", { name: "Event" });

describe("the Lifecycle map", () => {
  it("says of each event what hooks may do there, how many listen, and what they last came to", async () => {
    renderApp("#/hooks?view=lifecycle");
    await waitFor(async () =>
      expect(await node("pre_tool_execution")).toHaveAccessibleName(
        "pre_tool_execution, 5 hooks, can change, skip, stop, send back, last time: Changed, Failed · open, Denied",
      ),
    );
    expect(await node("session_end")).toHaveAccessibleName("session_end, 0 hooks, notify only");
    expect(await node("session_end")).toHaveClass("none");
    // One of them needs a review and one is muted: what waits stands there, and is marked.
    expect(await node("post_tool_execution")).toHaveAccessibleName(/, 1 hook, .*, 1 needs review/);
    expect(await node("post_tool_execution")).not.toHaveClass("none");
    expect(await node("pre_tool_execution")).toHaveClass("open");
  });

  it.each(["en", "zh-CN"] as const)("names a node in %s by what is drawn on it, in that order", async (language) => {
    renderApp("#/hooks?view=lifecycle");
    await node("pre_tool_execution");
    await act(() => showLanguage(language));
    for (const button of document.querySelectorAll(".map-node")) {
      const drawn = [".map-node-name", ".map-node-count", ".map-node-may"].map(
        (part) => button.querySelector(part)?.textContent ?? "",
      );
      const inOrder = drawn.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*");
      expect(button).toHaveAccessibleName(new RegExp(`^${inOrder}`));
    }
    await act(() => showLanguage("en"));
  });

  it("shows beside it what the event sees, may change and may end with, its advice and its chain", async () => {
    const { user } = renderApp("#/hooks?view=lifecycle");
    await user.click(await node("pre_tool_execution"));
    const beside = within(await drawer());
    expect(beside.getByText("tool_name")).toBeInTheDocument();
    expect(beside.getByText("skip the call, stop the step, send back")).toBeInTheDocument();
    expect(beside.getByText("The tool runs when this guard fails")).toBeInTheDocument();
    expect(await beside.findByText("412 events, 14 blocked")).toBeInTheDocument();
    expect(await beside.findByText("user · exit 127, jq: command not found")).toBeInTheDocument();
    const order = within(beside.getByRole("list")).getAllByRole("listitem");
    expect(order.map((item) => item.querySelector(".step-name")?.textContent)).toEqual([
      "normalize-paths",
      "audit-log",
      "guard-prod-db",
      "guard-shell",
      "tool-safety-review",
    ]);
  });

  it("is walked in reading order by keys, and closes with Esc", async () => {
    const { user } = renderApp("#/hooks?view=lifecycle");
    (await node("session_start")).focus();
    await user.keyboard("{ArrowDown}{ArrowRight}k");
    expect(await node("pre_send_message")).toHaveFocus();
    expect(screen.queryByRole("region", { name: "Event" })).not.toBeInTheDocument();
    await user.keyboard("{Enter}");
    expect(within(await drawer()).getByRole("heading", { name: "pre_send_message" })).toBeInTheDocument();
    await user.keyboard("{End}");
    expect(within(await drawer()).getByRole("heading", { name: "session_end" })).toBeInTheDocument();
    await user.keyboard("[[[[");
    expect(within(await drawer()).getByRole("heading", { name: "pre_auto_compact" })).toBeInTheDocument();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("region", { name: "Event" })).not.toBeInTheDocument());
  });

  it("fires the chosen event with F, and opens a hook in the list", async () => {
    const { user } = renderApp("#/hooks?view=lifecycle&event=stop");
    await user.click(within(await drawer()).getByRole("button", { name: /keep-going/ }));
    expect(await screen.findByRole("region", { name: "Hook" })).toBeInTheDocument();
    expect(window.location.hash).not.toContain("lifecycle");
    window.location.hash = "#/hooks?view=lifecycle&event=stop";
    await drawer();
    await user.keyboard("f");
    await waitFor(() => expect(window.location.hash).toContain("/fire?dialect=jcli&event=stop"));
  });

  it("leaves events without hooks out on demand, also for the keys, and keeps that in the address", async () => {
    const { user } = renderApp("#/hooks?view=lifecycle");
    await node("session_end");
    await user.click(screen.getByRole("switch", { name: "Only with hooks" }));
    await waitFor(async () =>
      expect(within(await map()).queryByRole("button", { name: /^session_end,/ })).not.toBeInTheDocument(),
    );
    expect(window.location.hash).toContain("hooked");
    // Where they were is drawn empty, so that no line ends nowhere.
    expect(document.querySelectorAll(".map-left-out").length).toBeGreaterThan(0);
    (await node("pre_tool_execution")).focus();
    await user.keyboard("{End}");
    expect(document.activeElement).toHaveAccessibleName(/, [1-9]\d* hooks?/);
    await user.click(screen.getByRole("switch", { name: "Only with hooks" }));
    expect(await node("session_end")).toBeInTheDocument();
    expect(window.location.hash).not.toContain("hooked");
  });

  it("stands without a history, and says so", async () => {
    renderApp("#/hooks?view=lifecycle", {
      "history.moments": () => {
        throw new Fault({ code: "no_history", message: "the history cannot be read" });
      },
    });
    expect(await screen.findByText(/Counts and outcomes are missing/)).toBeInTheDocument();
    expect(await node("pre_tool_execution")).toHaveAccessibleName(/send back$/);
  });
});

describe("what the map is drawn from", () => {
  it("rounds the corners of a way, less where there is no room", () => {
    expect(
      edgePath([
        [0, 0],
        [20, 0],
      ]),
    ).toBe("M0 0L20 0");
    expect(
      edgePath([
        [0, 0],
        [20, 0],
        [20, 40],
        [60, 40],
      ]),
    ).toBe("M0 0L12 0Q20 0 20 8L20 32Q20 40 28 40L60 40");
    expect(
      edgePath([
        [0, 0],
        [4, 0],
        [4, 40],
      ]),
    ).toBe("M0 0L2 0Q4 0 4 8L4 40");
  });

  it("counts a hook of several events at each that it serves", () => {
    const every = { ...HOOKS[0], hook: "pc:user:*:watch", event: "*", position: null, serves: ["stop"] } as HookRow;
    expect(
      hooksOfEvent(listed({ ...PROJECT_LIST, hooks: [every, ...HOOKS] }), "jcli", "stop").map((hook) => hook.label),
    ).toEqual(["normalize-paths", "keep-going"]);
    expect(idAt(every, "stop")).toBe("pc:user:stop:watch");
  });

  it("keeps the loudest outcomes in run order where there is room for three", () => {
    const outcomes = ["no_opinion", "changed", "denied", "allowed", "failed_open", "skipped"];
    const row = { outcomes, reasons: outcomes.map(() => null) } as unknown as HistoryRow;
    expect(lastOutcomes(row)).toEqual(["changed", "denied", "failed_open"]);
    expect(lastOutcomes(null)).toEqual([]);
  });

  it("names what hooks may do by the event's table", () => {
    const of = (name: string) => effectsOf(EVENTS.find((event) => event.name === name) as (typeof EVENTS)[number]);
    expect(of("session_start")).toEqual(["notify"]);
    expect(of("pre_tool_execution")).toEqual(["change", "skip", "stop", "retry"]);
    expect(of("stop")).toEqual(["stop", "retry"]);
    expect(of("pre_auto_compact")).toEqual(["stop", "add"]);
  });
});
