import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { replaceTransport } from "@/ipc/transport";
import { setUnsaved } from "@/lib/unsaved";
import QuitGuard from "./QuitGuard";

const heard: { ask: (() => void) | null } = { ask: null };
vi.mock("@tauri-apps/api/event", () => ({
  listen: (_: string, ask: () => void) => {
    heard.ask = ask;
    return Promise.resolve(() => {
      heard.ask = null;
    });
  },
}));

function start(files: string[]) {
  const sent: [string, unknown][] = [];
  replaceTransport({
    window: true,
    send: (method, params) => {
      sent.push([method, params]);
      return Promise.resolve({});
    },
    listen: () => () => {},
  });
  setUnsaved(files);
  return { sent, ...render(<QuitGuard />) };
}

afterEach(() => setUnsaved([]));

describe("quitting with unsaved text", () => {
  it("tells the program how many files there are, and that there are none once it is gone", async () => {
    const { sent, unmount } = start(["/p/a.yaml", "/p/b.py"]);
    await waitFor(() => expect(sent).toContainEqual(["window.unsaved", { files: 2 }]));
    act(() => setUnsaved(["/p/a.yaml"]));
    await waitFor(() => expect(sent.at(-1)).toEqual(["window.unsaved", { files: 1 }]));
    unmount();
    expect(sent.at(-1)).toEqual(["window.unsaved", { files: 0 }]);
  });

  it("names the files, answers at once, and quits only when told to", async () => {
    const { sent } = start(["/p/a.yaml"]);
    await waitFor(() => expect(heard.ask).not.toBeNull());
    const before = sent.length;
    act(() => heard.ask?.());
    expect(await screen.findByRole("alertdialog")).toHaveTextContent("/p/a.yaml");
    expect(sent.slice(before)).toEqual([["window.unsaved", { files: 1 }]]);
    await userEvent.click(screen.getByRole("button", { name: /Keep editing/ }));
    expect(screen.queryByRole("alertdialog")).not.toBeInTheDocument();
    expect(sent.map(([method]) => method)).not.toContain("window.quit");
    act(() => heard.ask?.());
    await userEvent.click(await screen.findByRole("button", { name: /Quit without saving/ }));
    expect(sent.at(-1)).toEqual(["window.quit", {}]);
  });
});
