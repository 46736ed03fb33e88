import { screen, waitFor, within } from "@testing-library/react";
import { toast as sonner } from "sonner";
import { afterEach, describe, expect, it, vi } from "vitest";
import { showLanguage } from "@/i18n";
import type { PushOf } from "@/ipc";
import { callsOf, renderApp } from "@/testing/render";
import { PROJECT, TRACE, WAITING } from "@/testing/sampleData";

const FAILED: PushOf<"notice"> = {
  kind: "notice",
  reason: "failed_open",
  code: "notice_failed_open",
  text: "guard guard_shell.sh failed at pre_tool_execution; the agent continued",
  args: { case: "failed", hook: "guard_shell.sh", event: "pre_tool_execution" },
  to: `/history?trace=${TRACE.trace}&step=0`,
  project: PROJECT,
};

async function begin(address = "#/settings", changes = {}) {
  const shown = renderApp(address, changes);
  await screen.findByRole("heading", { level: 1 });
  return shown;
}

const toastOf = (text: string) => screen.findByText(text).then((found) => found.closest(".toast") as HTMLElement);

afterEach(async () => {
  vi.restoreAllMocks();
  sonner.dismiss();
  await waitFor(() => expect(document.querySelector(".toast")).toBeNull());
  await showLanguage("en");
});

describe("a notice of the engine", () => {
  it("is a full sentence that is read aloud, and leads to the execution", async () => {
    const { engine, user } = await begin();
    engine.push(FAILED);
    const shown = await toastOf("Guard guard_shell.sh failed at pre_tool_execution; the agent continued.");
    expect(shown).toHaveAttribute("role", "alert");
    await user.click(within(shown).getByRole("button", { name: "Open" }));
    await waitFor(() => expect(window.location.hash).toBe(`#/history?trace=${TRACE.trace}&step=0`));
  });

  it("names its project where another one is on show", async () => {
    const { engine } = await begin();
    engine.push({ ...FAILED, project: "/home/me/code/shop" });
    await toastOf("shop: Guard guard_shell.sh failed at pre_tool_execution; the agent continued.");
  });

  it("is in the language of the window", async () => {
    const { engine } = await begin();
    await showLanguage("zh-CN");
    engine.push(FAILED);
    await toastOf("防护 Hook guard_shell.sh 在 pre_tool_execution 失败，Agent 已继续执行。");
    expect(screen.getByRole("region", { name: /^消息/ })).toHaveAttribute("aria-live", "polite");
  });

  it("leads to the review of a hook that waits for approval", async () => {
    const { engine, user } = await begin();
    const to = "/trust?hook=jcli:project:stop:0";
    const text = "hook keep_going.py at stop waits for approval";
    const args = { case: "new", hook: "keep_going.py", event: "stop" };
    engine.push({ ...FAILED, reason: "waits_for_approval", code: "notice_waits_for_approval", text, args, to });
    const shown = await toastOf("Hook keep_going.py at stop waits for approval.");
    expect(shown).toHaveAttribute("role", "status");
    await user.click(within(shown).getByRole("button", { name: "Open" }));
    await waitFor(() => expect(window.location.hash).toBe(`#${to}`));
  });

  it("says how many hooks wait now, as Trust lists them, and nothing where none does", async () => {
    let pending = [WAITING, { ...WAITING, hook: "jcli:project:stop:0" }, { ...WAITING, kind: "agent_program" }];
    const { engine } = await begin("#/settings", {
      "trust.list": () => ({ pending, approved: [], denied: [] }),
    });
    const notice: PushOf<"notice"> = {
      ...FAILED,
      reason: "waits_for_approval",
      code: "notice_waits_for_approval",
      text: "5 hooks wait for approval",
      args: { case: "many", count: 5 },
      to: "/trust",
    };
    engine.push(notice);
    await toastOf("2 hooks wait for review.");
    pending = pending.slice(0, 1);
    engine.push(notice);
    await toastOf("1 hook waits for review.");
    pending = [];
    const asked = callsOf(engine, "trust.list").length;
    engine.push(notice);
    engine.push(FAILED);
    await toastOf("Guard guard_shell.sh failed at pre_tool_execution; the agent continued.");
    expect(callsOf(engine, "trust.list")).toHaveLength(asked + 1);
    expect(screen.queryByText(/^0 hooks|^5 hooks/)).toBeNull();
  });

  it("shows what a hook is called as text", async () => {
    const { engine } = await begin();
    const text = "guard <img src=x> failed at stop; the agent continued";
    engine.push({ ...FAILED, text, args: { case: "failed", hook: "<img src=x>", event: "stop" } });
    const shown = await toastOf("Guard <img src=x> failed at stop; the agent continued.");
    expect(shown.querySelector("img")).toBeNull();
  });

  it("is reached with F6, and opened with the keyboard alone", async () => {
    const { engine, user } = await begin("#/hooks");
    engine.push({ ...FAILED, to: "/trust" });
    const shown = await toastOf("Guard guard_shell.sh failed at pre_tool_execution; the agent continued.");
    // Without a layout no element has a place on the screen, and only what has one is a region.
    vi.spyOn(Element.prototype, "getClientRects").mockReturnValue([{}] as unknown as DOMRectList);
    for (let press = 0; press < 12 && !shown.parentElement?.contains(document.activeElement); press += 1)
      await user.keyboard("{F6}");
    await user.tab();
    expect(within(shown).getByRole("button", { name: "Open" })).toHaveFocus();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(window.location.hash).toBe("#/trust"));
  });

  it("about a program that joined leads to its session", async () => {
    const { engine, user } = await begin();
    const to = `/agents?session=s1&dialect=jcli&project=${PROJECT}`;
    const text = "another program joined session s1: agent";
    const args = { case: "unknown", session: "s1", agent: "agent" };
    engine.push({ ...FAILED, reason: "session_joined", code: "session_joined", text, args, to });
    const shown = await toastOf("Another program joined session s1: agent.");
    await user.click(within(shown).getByRole("button", { name: "Open" }));
    await waitFor(() => expect(window.location.hash).toMatch(/^#\/agents\?session=s1&dialect=jcli&project=/));
  });

  it("about a file leads to the problems", async () => {
    const { engine, user } = await begin();
    engine.push({
      ...FAILED,
      reason: null,
      code: "not_a_directory",
      text: "/x is not a directory",
      args: {},
      to: null,
    });
    const shown = await toastOf("/x is not a directory");
    await user.click(within(shown).getByRole("button", { name: "Open" }));
    await waitFor(() => expect(window.location.hash).toBe("#/hooks?view=problems"));
  });
});

describe("the switches of notifications", () => {
  it("are on until they are switched off, each alone", async () => {
    const { engine, user } = await begin("#/settings?section=notifications");
    const names = ["A guard failed open", "A hook exceeded its time", "A new hook waits for approval"];
    for (const name of names) expect(await screen.findByRole("switch", { name })).toBeChecked();
    await user.click(screen.getByRole("switch", { name: names[1] }));
    await waitFor(() =>
      expect(callsOf(engine, "settings.set")).toEqual([{ key: "notifications.over_budget", value: false }]),
    );
  });
});
