import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Fault } from "@/ipc/fault";
import type { Reply } from "@/ipc/types";
import { edited } from "@/testing/editReplies";
import type { Script } from "@/testing/fakeEngine";
import { callsOf, renderApp } from "@/testing/render";
import { HOOKS, PROJECT, sampleReplies } from "@/testing/sampleData";

const GUARD = "jcli:project:pre_tool_execution:1";
const VERSION = HOOKS.find((hook) => hook.hook === GUARD)?.version;

const UNDONE: Reply<"edit.undo"> = {
  edit: "E2",
  undone: "E1",
  what: "edit",
  hook: GUARD,
  path: "",
  files: [],
  diff: "",
  changes: [],
  trashed: null,
};

async function menuOf(changes: Script, hook = GUARD) {
  const app = renderApp(`#/hooks?hook=${hook}`, { "edit.undo": UNDONE, ...changes });
  const drawer = await screen.findByRole("region", { name: "Hook" });
  await app.user.click(within(drawer).getByRole("button", { name: "More" }));
  return app;
}

const item = (name: RegExp | string) => screen.findByRole("menuitem", { name });

describe("changing a hook's file from the Hooks screen", () => {
  it("removes it at once, and Undo takes exactly that edit back", async () => {
    const { engine, user } = await menuOf({ "edit.remove": edited(null) });
    await user.click(await item("Remove"));
    expect(
      await screen.findByText(/^guard-shell was removed\. You can undo it under Edits for 30 days\.$/),
    ).toBeInTheDocument();
    expect(callsOf(engine, "edit.remove")).toMatchObject([{ project: PROJECT, hook: GUARD, version: VERSION }]);
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(callsOf(engine, "edit.undo")).toEqual([{ project: PROJECT, undo: "E1" }]));
  });

  it("leaves a person with the hook they look at by then", async () => {
    const other = "jcli:project:pre_tool_execution:0";
    const { engine, user } = await menuOf({ "edit.remove": edited(null) });
    await user.click(await item("Remove"));
    await screen.findByText(/^guard-shell was removed/);
    window.location.hash = `#/hooks?hook=${other}`;
    const lists = callsOf(engine, "hooks.list").length;
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(callsOf(engine, "hooks.list").length).toBeGreaterThan(lists));
    await new Promise((settled) => setTimeout(settled, 0));
    expect(decodeURIComponent(window.location.hash)).toContain(`hook=${other}`);
  });

  it("says why a change is refused", async () => {
    const { user } = await menuOf({
      "edit.change": () => {
        throw new Fault({ code: "edit_no_layer", message: "it cannot be put there", hint: "it has user" });
      },
    });
    await user.click(await item("Move to your own hooks"));
    expect(await screen.findByText("it cannot be put there · it has user")).toBeInTheDocument();
  });

  it("leads to the review that has to come before a change", async () => {
    const { user } = await menuOf({
      "edit.change": () => {
        throw new Fault({
          code: "edit_unreviewed",
          message: `${GUARD} is not approved; in the user layer it would run without a review`,
          args: { hook: GUARD },
          hint: `run \`hookwright trust ${GUARD}\` to review it first; nothing was changed`,
        });
      },
    });
    await user.click(await item("Move to your own hooks"));
    const said = "guard-shell is not approved; in the user layer it would run without a review. Review it first.";
    const refusal = (await screen.findByText(said, { exact: false })).closest(".toast") as HTMLElement;
    await user.click(within(refusal).getByRole("button", { name: "Review" }));
    await waitFor(() => expect(decodeURIComponent(window.location.hash)).toBe(`#/trust?hook=${GUARD}`));
  });

  it("turns it off for the agent where there is a switch", async () => {
    const dialects = sampleReplies().dialects as Reply<"dialects">;
    const withSwitch = { dialects: dialects.dialects.map((one) => ({ ...one, switch: "enabled" })) };
    const { engine, user } = await menuOf({ dialects: withSwitch, "edit.change": edited(GUARD) });
    await user.click(await item("Turn off for j-cli"));
    expect(await screen.findByText("guard-shell is now off in its file.")).toBeInTheDocument();
    expect(callsOf(engine, "edit.change")).toMatchObject([
      { project: PROJECT, hook: GUARD, steps: [{ do: "disable" }] },
    ]);
  });

  it("moves it in its list with Alt and the arrows, never past the ends, and stays with it", async () => {
    const { engine, user } = renderApp(`#/hooks?hook=${GUARD}`, { "edit.change": edited(GUARD) });
    await screen.findByRole("region", { name: "Hook" });
    await user.keyboard("{Alt>}{ArrowDown}{/Alt}");
    await waitFor(() =>
      expect(callsOf(engine, "edit.change")).toMatchObject([
        { project: PROJECT, hook: GUARD, steps: [{ do: "move_to", place: 3 }] },
      ]),
    );
    window.location.hash = "#/hooks?hook=jcli:project:pre_tool_execution:0";
    await waitFor(() =>
      expect(within(screen.getByRole("region", { name: "Hook" })).getByRole("heading", { level: 2 })).toHaveTextContent(
        "guard-prod-db",
      ),
    );
    await user.keyboard("{Alt>}{ArrowUp}{/Alt}");
    expect(callsOf(engine, "edit.change")).toHaveLength(1);
  });

  it("moves it by drag within its list, and nowhere else", async () => {
    const { engine } = renderApp("#/hooks", { "edit.change": edited(GUARD) });
    const grid = await screen.findByRole("grid", { name: "Hooks in run order" });
    const rows = () => within(grid).getAllByRole("row");
    const row = (label: string) => within(grid).getByText(label).closest("tr") as HTMLElement;
    for (const [at, one] of rows().entries()) one.getBoundingClientRect = () => new DOMRect(0, at * 40, 600, 40);
    const middle = (label: string) => ({ clientX: 8, clientY: rows().indexOf(row(label)) * 40 + 20, isPrimary: true });
    const grip = await waitFor(() => {
      const found = row("guard-shell").querySelector(".grip-handle");
      if (found === null) throw new Error("no grip yet");
      return found;
    });
    const over = async (label: string, shown: string | null) => {
      fireEvent.pointerMove(document, middle(label));
      await waitFor(() => {
        expect(grid.querySelectorAll(".drop-before, .drop-after")).toHaveLength(shown === null ? 0 : 1);
        if (shown !== null) expect(row(label)).toHaveClass(shown);
      });
    };
    fireEvent.pointerDown(grip, { ...middle("guard-shell"), button: 0 });
    fireEvent.pointerMove(document, { ...middle("guard-shell"), clientX: 20 });
    await over("tool-safety-review", "drop-after");
    await over("keep-going", null);
    await over("guard-prod-db", "drop-before");
    fireEvent.pointerUp(document, middle("guard-prod-db"));
    await waitFor(() =>
      expect(callsOf(engine, "edit.change")).toMatchObject([
        { project: PROJECT, hook: GUARD, steps: [{ do: "move_to", place: 1 }] },
      ]),
    );
  });

  it("explains the order where it is not the file's", async () => {
    const { user } = renderApp("#/hooks");
    const grid = await screen.findByRole("grid", { name: "Hooks in run order" });
    const row = within(grid).getByText("audit-log").closest("tr") as HTMLElement;
    await user.hover(await waitFor(() => row.querySelector(".grip") ?? expect.fail("no grip yet")));
    expect(await screen.findByRole("tooltip")).toHaveTextContent(
      "The file does not set the run order. Layer after layer.",
    );
  });

  it("explains the order to the keys that would move it, too", async () => {
    const { engine, user } = renderApp("#/hooks?hook=jcli:user:pre_tool_execution:1", { "edit.change": edited(GUARD) });
    await screen.findByRole("region", { name: "Hook" });
    await user.keyboard("{Alt>}{ArrowDown}{/Alt}");
    const said = await screen.findAllByText("The file does not set the run order. Layer after layer.");
    // Beside its place in the chain, and as what the key came to.
    expect(said).toHaveLength(2);
    expect(callsOf(engine, "edit.change")).toEqual([]);
  });
});

describe("the toast of an edit", () => {
  it("offers Redo after Undo, and Undo after Redo", async () => {
    const { engine, user } = await menuOf({ "edit.change": edited(GUARD) });
    const press = async (text: string, name: string) => {
      const [toast] = await screen.findAllByText(text);
      await user.click(within(toast?.parentElement as HTMLElement).getByRole("button", { name }));
    };
    await user.click(await item(/^Move down/));
    await press("guard-shell is now at position 3 of its list.", "Undo");
    await press("Undone: Changed guard-shell.", "Redo");
    await press("Redone: Changed guard-shell.", "Undo");
    await waitFor(() =>
      expect(callsOf(engine, "edit.undo")).toEqual(["E1", "E2", "E2"].map((undo) => ({ project: PROJECT, undo }))),
    );
  });
});
