import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { keepDiff, useKnownDiffs } from "@/domain/edits/diffs";
import { Fault } from "@/ipc/fault";
import type { Reply } from "@/ipc/types";
import { changesOf } from "@/testing/changes";
import { callsOf, renderApp } from "@/testing/render";
import { EDITS, PROJECT } from "@/testing/sampleData";
import { editToUndo, undoToRedo } from "./editList";

const PATCH = "--- /p/hooks.yaml\n+++ /p/hooks.yaml\n@@ -1 +1 @@\n-on_error: skip\n+on_error: abort\n";

function undone(id: string): Reply<"edit.undo"> {
  return {
    edit: "01E7",
    undone: id,
    what: "edit",
    hook: null,
    path: "",
    files: [],
    diff: PATCH,
    changes: changesOf(PATCH),
    trashed: null,
  };
}

beforeEach(() => useKnownDiffs.setState({ diffs: new Map() }));

/** The undos that were written, and not only shown. */
const undosOf = (engine: Parameters<typeof callsOf>[0]) =>
  callsOf(engine, "edit.undo").filter((params) => !(params as { dry_run?: boolean }).dry_run);

const table = () => screen.findByRole("grid", { name: "Edits" });
const drawer = () => screen.findByRole("region", { name: "Edit" });

describe("the list of edits", () => {
  it("says when what was done to which hook, and which cannot be undone", async () => {
    renderApp("#/hooks?view=edits");
    const rows = within(await table()).getAllByRole("row");
    const texts = rows.map((row) => row.textContent ?? "");
    expect(texts.some((text) => /Undo of “Removed keep-going”.*Redo/.test(text))).toBe(true);
    expect(texts.some((text) => /Removed keep-going.*Undone/.test(text))).toBe(true);
    expect(texts.some((text) => /Changed guard-shell.*Undo/.test(text))).toBe(true);
    expect(texts.some((text) => /Added inject-time.*Cannot be undone/.test(text))).toBe(true);
    expect(texts.some((text) => /Saved hooks\.yaml.*and 1 more file/.test(text))).toBe(true);
  });

  it("tells why an edit cannot be undone, and which edit undid another", async () => {
    const { user } = renderApp("#/hooks?view=edits&edit=01E3");
    expect(await drawer()).toHaveTextContent("changed since this edit");
    expect(within(await drawer()).queryByRole("button", { name: /^Undo/ })).not.toBeInTheDocument();
    window.location.hash = "#/hooks?view=edits&edit=01E5";
    await waitFor(async () => expect(await drawer()).toHaveTextContent("Undone by"));
    expect(within(await drawer()).getByRole("button", { name: "Redo this edit" })).toBeInTheDocument();
    const [by] = within(await drawer())
      .getAllByRole("button")
      .filter((button) => button.className === "link");
    await user.click(by as HTMLElement);
    await waitFor(() => expect(window.location.hash).toContain("01E6"));
  });

  it("undoes the chosen edit, says so, and offers to redo it", async () => {
    const { engine, user } = renderApp("#/hooks?view=edits&edit=01E4", { "edit.undo": ({ undo }) => undone(undo) });
    await user.click(within(await drawer()).getByRole("button", { name: "Undo this edit" }));
    expect(await screen.findByText("Undone: Changed guard-shell.")).toBeInTheDocument();
    expect(undosOf(engine)).toEqual([{ project: PROJECT, undo: "01E4" }]);
    const toast = screen.getByText("Undone: Changed guard-shell.").closest("li") as HTMLElement;
    await user.click(within(toast).getByRole("button", { name: "Redo" }));
    await waitFor(() => expect(undosOf(engine)[1]).toEqual({ project: PROJECT, undo: "01E7" }));
  });

  it("shows the exact difference of an edit that this window made, and of one that cannot be undone says that it is not known", async () => {
    keepDiff("01E4", changesOf(PATCH));
    renderApp("#/hooks?view=edits&edit=01E4");
    const difference = within(await drawer()).getByRole("group", { name: "Difference in /p/hooks.yaml" });
    await waitFor(() => expect(difference.querySelector(".cm-deletedLine")).toHaveTextContent("on_error: skip"));
    window.location.hash = "#/hooks?view=edits&edit=01E1";
    expect(await screen.findByText(/The difference is known only for edits made in this window./)).toBeInTheDocument();
  });

  it("shows what undoing an edit of another program would change, before it is undone", async () => {
    const { engine } = renderApp("#/hooks?view=edits&edit=01E4", { "edit.undo": ({ undo }) => undone(undo) });
    const difference = await within(await drawer()).findByRole("group", { name: "Difference in /p/hooks.yaml" });
    expect(within(await drawer()).getByRole("heading", { name: "What Undo changes" })).toBeInTheDocument();
    await waitFor(() => expect(difference.querySelector(".cm-deletedLine")).toHaveTextContent("on_error: skip"));
    expect(callsOf(engine, "edit.undo")).toEqual([{ project: PROJECT, undo: "01E4", dry_run: true }]);
  });

  it("reads on where there are more", async () => {
    const { engine } = renderApp("#/hooks?view=edits", {
      "edit.list": ({ after }) => ({
        edits: EDITS.map((edit) => ({
          ...edit,
          edit: `${after ?? ""}${edit.edit}`,
          at: after ? edit.at.replace("2026-11", "2026-10") : edit.at,
        })),
        next: after === null ? "01E1" : null,
        problems: [],
      }),
    });
    await table();
    await waitFor(() => expect(callsOf(engine, "edit.list")[1]).toMatchObject({ after: "01E1" }));
  });

  it("says what will stand there when there is nothing yet, and when the list cannot be read", async () => {
    const { user } = renderApp("#/hooks?view=edits", { "edit.list": { edits: [], next: null, problems: [] } });
    expect(await screen.findByText("No edits yet")).toBeInTheDocument();
    await user.click(screen.getByRole("tab", { name: "List" }));
    expect(await screen.findByRole("grid", { name: "Hooks in run order" })).toBeInTheDocument();
  });
});

describe("Ctrl Z among the hooks", () => {
  it("undoes the newest edit that can be undone", async () => {
    const { engine, user } = renderApp("#/hooks", { "edit.undo": ({ undo }) => undone(undo) });
    await screen.findByRole("grid");
    await user.keyboard("{Control>}z{/Control}");
    expect(await screen.findByText("Undone: Changed guard-shell.")).toBeInTheDocument();
    expect(callsOf(engine, "edit.undo")).toEqual([{ project: PROJECT, undo: "01E4" }]);
  });

  it("with Shift redoes the newest undo", async () => {
    const { engine, user } = renderApp("#/hooks", { "edit.undo": ({ undo }) => undone(undo) });
    await screen.findByRole("grid");
    await user.keyboard("{Control>}{Shift>}z{/Shift}{/Control}");
    await waitFor(() => expect(callsOf(engine, "edit.undo")).toEqual([{ project: PROJECT, undo: "01E6" }]));
  });

  it("says when there is nothing to undo, and why the engine refused", async () => {
    const { user } = renderApp("#/hooks", { "edit.list": { edits: [], next: null, problems: [] } });
    await screen.findByRole("grid");
    await user.keyboard("{Control>}z{/Control}");
    expect(await screen.findByText("No edit can be undone.")).toBeInTheDocument();
  });

  it("says why the engine refused", async () => {
    const { user } = renderApp("#/hooks", {
      "edit.undo": () => {
        throw new Fault({ code: "x", message: "hooks.yaml changed since this edit", hint: "undo by hand" });
      },
    });
    await screen.findByRole("grid");
    await user.keyboard("{Control>}z{/Control}");
    expect(await screen.findByText("hooks.yaml changed since this edit · undo by hand")).toBeInTheDocument();
  });

  it("never redoes by undoing an undo, and redoes nothing that was edited over", () => {
    expect(editToUndo(EDITS)?.edit).toBe("01E4");
    expect(undoToRedo(EDITS)?.edit).toBe("01E6");
    expect(undoToRedo(EDITS.slice(2))).toBeUndefined();
  });
});
