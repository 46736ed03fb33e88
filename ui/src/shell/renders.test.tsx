import { act, screen, waitFor } from "@testing-library/react";
import { type ComponentType, Profiler } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Method } from "@/ipc/types";
import { useView } from "@/lib/view";
import { callsOf, renderApp } from "@/testing/render";
import { PROJECT } from "@/testing/sampleData";
import { SCENARIO_FILE, simulatorStory } from "@/testing/simulatorData";

/** How often each part was drawn. */
const drawn = vi.hoisted(() => new Map<string, number>());

function counted<P extends object>(name: string, Part: ComponentType<P>) {
  return (props: P) => (
    <Profiler id={name} onRender={() => drawn.set(name, (drawn.get(name) ?? 0) + 1)}>
      <Part {...props} />
    </Profiler>
  );
}

vi.mock("@/shell/Nav", async (load) => ({ Nav: counted("Nav", (await load<typeof import("./Nav")>()).Nav) }));
vi.mock("@/shell/Status", async (load) => ({
  Status: counted("Status", (await load<typeof import("./Status")>()).Status),
}));
vi.mock("@/features/fire/FixturesTree", async (load) => {
  const module = await load<typeof import("@/features/fire/FixturesTree")>();
  return { ...module, FixturesTree: counted("FixturesTree", module.FixturesTree) };
});
vi.mock("@/domain/trace/VerdictBanner", async (load) => {
  const module = await load<typeof import("@/domain/trace/VerdictBanner")>();
  return { ...module, VerdictBanner: counted("result", module.VerdictBanner) };
});

/** Waits until everything that was asked for is there and drawn. */
async function settled() {
  await act(() => new Promise((resolve) => setTimeout(resolve, 0)));
  await waitFor(() => {
    const before = [...drawn.values()].join();
    expect([...drawn.values()].join()).toBe(before);
  });
}

beforeEach(() => drawn.clear());

const frame = () => [drawn.get("Nav") ?? 0, drawn.get("Status") ?? 0];

describe("a key in a text field", () => {
  it("of a payload draws neither the frame, nor the events, nor the result again", async () => {
    const { user } = renderApp("#/fire");
    await user.click(await screen.findByTestId("fire"));
    await screen.findByText("Show in History");
    await settled();
    drawn.clear();
    const draft = `fire ${PROJECT} jcli pre_tool_execution example`;
    act(() => useView.getState().setDraft(draft, '{"tool_name": "B"}'));
    expect(await screen.findByRole("img", { name: "Edited" })).toBeInTheDocument();
    act(() => useView.getState().setDraft(draft, '{"tool_name": "Ba"}'));
    expect(frame()).toEqual([0, 0]);
    expect(drawn.get("FixturesTree") ?? 0).toBe(0);
    expect(drawn.get("result") ?? 0).toBe(0);
  });

  it("of a scenario does not draw the frame again", async () => {
    const story = simulatorStory();
    const { engine, user } = renderApp(`#/simulator?scenario=file/${SCENARIO_FILE}`, story);
    const field = (await screen.findAllByRole("textbox", { name: "User" }))[0] as HTMLElement;
    await settled();
    drawn.clear();
    await user.type(field, "abc");
    await user.tab();
    await waitFor(() => expect(callsOf(engine, "scenarios.read" satisfies Method).length).toBeGreaterThan(1));
    expect(await screen.findByRole("img", { name: "Edited, not saved" })).toBeInTheDocument();
    expect(frame()).toEqual([0, 0]);
  });
});
