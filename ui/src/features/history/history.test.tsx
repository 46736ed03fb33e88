import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Trace } from "@/ipc/types";
import { callsOf, renderApp } from "@/testing/render";
import { historyRows, TRACE } from "@/testing/sampleData";

const rows = historyRows(40);
const [newest, , third] = rows;
const list = () => screen.findByRole("grid", { name: "Chains" });
const row = async (at: number) => within(await list()).getAllByRole("row")[at + 1] as HTMLElement;

/** An engine whose every trace is the same chain at its own time; the third's first hook said something else. */
const traces = {
  "history.show": ({ trace }: { trace: string }): Trace => {
    const found = rows.find((one) => one.trace === trace);
    const steps =
      trace === third?.trace
        ? TRACE.steps.map((step, at) => (at === 0 ? { ...step, outcome: "denied" as const } : step))
        : TRACE.steps;
    return { ...TRACE, trace, at: found?.at ?? TRACE.at, steps };
  },
};

describe("the brush over the histogram", () => {
  it("takes a span by drag, asks for it, and shows it as a filter that can be removed", async () => {
    const { engine, user } = renderApp("#/history");
    await list();
    const from = await screen.findByRole("slider", { name: "From" });
    const brush = from.parentElement as HTMLElement;
    brush.setPointerCapture = () => undefined;
    brush.getBoundingClientRect = () => new DOMRect(0, 0, 600, 32);
    fireEvent.pointerDown(brush, { button: 0, clientX: 100 });
    fireEvent.pointerMove(brush, { clientX: 200 });
    fireEvent.pointerUp(brush);
    await waitFor(() =>
      expect(callsOf(engine, "history.page").at(-1)).toMatchObject({
        since: "2026-11-20T13:43:05.120Z",
        until: "2026-11-20T13:53:05.120Z",
      }),
    );
    await user.click(screen.getByRole("button", { name: "Remove time" }));
    expect(from).toHaveAttribute("aria-valuenow", "0");
    expect(screen.queryByRole("button", { name: "Remove time" })).toBeNull();
  });

  it("is moved with the arrow keys at both ends, and given up with Esc", async () => {
    const { engine, user } = renderApp("#/history");
    await list();
    const from = await screen.findByRole("slider", { name: "From" });
    from.focus();
    await user.keyboard("{ArrowRight}{PageUp}");
    expect(from).toHaveAttribute("aria-valuenow", "9");
    // Reaching to now, it goes on with the time.
    expect(callsOf(engine, "history.page").at(-1)).not.toHaveProperty("until");
    screen.getByRole("slider", { name: "Until" }).focus();
    await user.keyboard("{Home}");
    expect(screen.getByRole("slider", { name: "Until" })).toHaveAttribute("aria-valuenow", "10");
    await user.keyboard("{Escape}");
    expect(from).toHaveAttribute("aria-valuenow", "0");
    expect(screen.queryByRole("button", { name: "Remove time" })).toBeNull();
  });

  it("is given up with Esc on the page, once nothing lies over the list", async () => {
    const { user } = renderApp(`#/history?since=2026-11-20T13:43:05Z&trace=${newest?.trace}`, traces);
    const chip = await screen.findByRole("button", { name: "Remove time" });
    await screen.findByRole("region", { name: "Chain" });
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("region", { name: "Chain" })).toBeNull());
    expect(chip).toBeInTheDocument();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("button", { name: "Remove time" })).toBeNull());
  });
});

describe("comparing two chains", () => {
  it("begins with Ctrl and a click on a second row, and says which steps differ", async () => {
    const { user } = renderApp("#/history", traces);
    await user.click(await row(0));
    await user.keyboard("{Control>}");
    await user.click(await row(2));
    await user.keyboard("{/Control}");
    const compare = await screen.findByRole("region", { name: "Compare" });
    expect(await within(compare).findByRole("status")).toHaveTextContent(`1 of ${TRACE.steps.length} steps differs.`);
    const steps = within(compare).getAllByRole("option");
    expect(steps[0]).toHaveAttribute("aria-selected", "true");
    expect(steps[0]).toHaveTextContent(/Denied.*outcome/);
    expect((await list()).querySelectorAll("tr[aria-selected=true]")).toHaveLength(2);
    // A plain click is about one chain again.
    await user.click(await row(1));
    await waitFor(() => expect(screen.queryByRole("region", { name: "Compare" })).toBeNull());
    expect(await screen.findByRole("region", { name: "Chain" })).toBeInTheDocument();
  });

  it("works from the keyboard: C holds the chain, the next row is the other one, Esc goes back", async () => {
    const { user } = renderApp("#/history", traces);
    await user.click(await row(0));
    await screen.findByText(/Show in Hooks/);
    await user.keyboard("c");
    expect(await screen.findByText(/Choose another chain/)).toBeInTheDocument();
    await user.keyboard("{ArrowDown}");
    const compare = await screen.findByRole("region", { name: "Compare" });
    expect(await within(compare).findByRole("status")).toHaveTextContent("All steps came to the same.");
    await user.keyboard("{ArrowDown}");
    await waitFor(() => expect(within(compare).getByRole("status")).toHaveTextContent("steps differs."));
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("region", { name: "Compare" })).toBeNull());
    expect((await list()).querySelectorAll("tr[aria-selected=true]")).toHaveLength(1);
  });
});
