import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Reply } from "@/ipc";
import { Fault } from "@/ipc/fault";
import type { Script } from "@/testing/fakeEngine";
import { callsOf, renderApp } from "@/testing/render";
import { PROJECT, sampleReplies } from "@/testing/sampleData";

const GUARD = "jcli:project:pre_tool_execution:1";

/** Two dialects: that of the hook, and one to convert it to. */
function withPicoclaw(): Reply<"dialects"> {
  const { dialects } = sampleReplies().dialects as Reply<"dialects">;
  return { dialects: [...dialects, { ...(dialects[0] as (typeof dialects)[0]), id: "picoclaw", name: "PicoClaw" }] };
}

async function sheetOf(changes: Script = {}) {
  const app = renderApp(`#/hooks?hook=${GUARD}`, { dialects: withPicoclaw(), ...changes });
  const drawer = await screen.findByRole("region", { name: "Hook" });
  await app.user.click(within(drawer).getByRole("button", { name: "More" }));
  await app.user.click(await screen.findByRole("menuitem", { name: "Convert to another dialect…" }));
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

  it("says why nothing can be written there", async () => {
    const { sheet } = await sheetOf({
      "hooks.convert": () => {
        throw new Fault({
          code: "edit_exists",
          message: "settings.json already exists",
          hint: "choose another folder",
        });
      },
    });
    expect(await within(sheet).findByText(/ettings\.json already exists/)).toBeInTheDocument();
  });
});
