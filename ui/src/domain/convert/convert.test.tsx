import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Params, Reply } from "@/ipc";
import { Fault } from "@/ipc/fault";
import type { Script } from "@/testing/fakeEngine";
import { callsOf, renderApp } from "@/testing/render";
import { PROJECT, sampleReplies } from "@/testing/sampleData";

const GUARD = "jcli:project:pre_tool_execution:1";

const EXISTS = new Fault({
  code: "edit_exists",
  message: "settings.json already exists",
  hint: "choose another folder",
});

/** As the invented engine converts. */
const replyTo = sampleReplies()["hooks.convert"] as (
  params: Params<"hooks.convert">,
) => Reply<"hooks.convert"> | Promise<Reply<"hooks.convert">>;

/** Two dialects: that of the hook, and one to convert it to. */
function withPicoclaw(): Reply<"dialects"> {
  const { dialects } = sampleReplies().dialects as Reply<"dialects">;
  return { dialects: [...dialects, { ...(dialects[0] as (typeof dialects)[0]), id: "picoclaw", name: "PicoClaw" }] };
}

async function sheetOf(changes: Script = {}) {
  const app = renderApp(`#/hooks?hook=${GUARD}`, { dialects: withPicoclaw(), ...changes });
  const drawer = await screen.findByRole("region", { name: "Hook" });
  await app.user.click(within(drawer).getByRole("button", { name: "More" }));
  await app.user.click(await screen.findByRole("menuitem", { name: "Convert to another hook system…" }));
  const sheet = await screen.findByRole("dialog", { name: "Convert guard-shell" });
  return { ...app, sheet };
}

describe("converting a hook to another dialect", () => {
  it("shows the new files and what is different before anything is written", async () => {
    const { engine, sheet } = await sheetOf();
    expect(await within(sheet).findByText(/The timeout of 5 s is written as 5000 ms/)).toBeInTheDocument();
    expect(within(sheet).getByText("Check whether the script reads them")).toBeInTheDocument();
    expect(callsOf(engine, "hooks.convert").every((call) => (call as { dry_run?: boolean }).dry_run)).toBe(true);
  });

  it("writes them into the folder that is named, with Undo", async () => {
    const { engine, user, sheet } = await sheetOf();
    const folder = await within(sheet).findByLabelText("Folder");
    await user.clear(folder);
    await user.type(folder, "converted");
    const write = within(sheet).getByRole("button", { name: "Write files" });
    await waitFor(() => expect(write).not.toHaveAttribute("aria-disabled", "true"));
    await user.click(write);
    expect(await screen.findByText("1 file was written.")).toBeInTheDocument();
    expect(callsOf(engine, "hooks.convert").at(-1)).toMatchObject({
      project: PROJECT,
      hook: GUARD,
      folder: "converted",
    });
    expect(screen.getByRole("button", { name: "Undo" })).toBeInTheDocument();
  });

  it("suggests the project, and where the agent has such a file in it, the first folder without one", async () => {
    const taken: unknown[] = [PROJECT, "converted/picoclaw"];
    const { user, engine, sheet } = await sheetOf({
      "hooks.convert": (params) => {
        if (taken.includes(params.folder)) throw EXISTS;
        return replyTo(params);
      },
    });
    const folder = await within(sheet).findByLabelText("Folder");
    await waitFor(() => expect(folder).toHaveValue("converted/picoclaw-2"));
    expect((callsOf(engine, "hooks.convert")[0] as Params<"hooks.convert">).folder).toBe(PROJECT);
    expect(within(sheet).getByText(/^PicoClaw already has such a file in this project\./)).toBeInTheDocument();
    expect(within(sheet).queryByText(/already exists/)).not.toBeInTheDocument();
    const write = () => within(sheet).getByRole("button", { name: "Write files" });
    await waitFor(() => expect(write()).not.toHaveAttribute("aria-disabled", "true"));
    await user.click(write());
    await waitFor(() =>
      expect(callsOf(engine, "hooks.convert").at(-1)).toMatchObject({ folder: "converted/picoclaw-2" }),
    );
  });

  it("says why nothing can be written into a folder that was named", async () => {
    const { user, sheet } = await sheetOf({
      "hooks.convert": (params) => {
        if (params.folder === "mine") throw EXISTS;
        return replyTo(params);
      },
    });
    const folder = await within(sheet).findByLabelText("Folder");
    await user.clear(folder);
    await user.type(folder, "mine");
    expect(folder).toHaveValue("mine");
    expect(await within(sheet).findByText(/ettings\.json already exists/)).toBeInTheDocument();
  });
});
