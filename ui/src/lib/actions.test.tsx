import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { ACTION_IDS, ACTIONS } from "@/commands";
import { type ActionHandlers, useOfferedActions, useScreenActions } from "./actions";
import { chordsOf } from "./keys";

function Screen({ actions }: { actions: ActionHandlers }) {
  useScreenActions(actions);
  return (
    <>
      <input aria-label="text" />
      <button type="button">press</button>
    </>
  );
}

const chords = (init: KeyboardEventInit) => chordsOf(new KeyboardEvent("keydown", init));
const offered = () => useOfferedActions.getState().offered.map(({ id }) => id);

describe("a key press", () => {
  it("is called as in the registry", () => {
    expect(chords({ key: "f", code: "KeyF" })).toEqual(["F"]);
    expect(chords({ key: "k", code: "KeyK", ctrlKey: true })).toEqual(["Ctrl K"]);
    expect(chords({ key: "T", code: "KeyT", shiftKey: true })).toEqual(["Shift T"]);
    expect(chords({ key: "?", code: "Slash", shiftKey: true })).toEqual(["?"]);
    expect(chords({ key: " ", code: "Space" })).toEqual(["Space"]);
    expect(chords({ key: "Enter", code: "Enter", ctrlKey: true })).toEqual(["Ctrl Enter"]);
  });

  it("counts by its position on layouts without Latin letters or with signs in place of digits", () => {
    expect(chords({ key: "а", code: "KeyF" })).toEqual(["А", "F"]);
    expect(chords({ key: "л", code: "KeyK", ctrlKey: true })).toEqual(["Ctrl Л", "Ctrl K"]);
    expect(chords({ key: "х", code: "BracketLeft" })).toEqual(["Х", "["]);
    expect(chords({ key: "é", code: "Digit2" })).toEqual(["É", "2"]);
    // A Latin layout with other places means what it writes.
    expect(chords({ key: "a", code: "KeyQ" })).toEqual(["A"]);
  });

  it("with a modifier that no action has is nothing", () => {
    expect(chords({ key: "f", code: "KeyF", metaKey: true })).toEqual([]);
  });
});

describe("an action of the screen", () => {
  it("of one letter does nothing while a text is typed", () => {
    const run = vi.fn();
    render(<Screen actions={{ "hook.fire": run }} />);
    fireEvent.keyDown(screen.getByLabelText("text"), { key: "f" });
    expect(run).not.toHaveBeenCalled();
    fireEvent.keyDown(document.body, { key: "f" });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("acts on a Cyrillic keyboard", () => {
    const run = vi.fn();
    render(<Screen actions={{ "hook.fire": run }} />);
    fireEvent.keyDown(document.body, { key: "а", code: "KeyF" });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("with Ctrl acts in a text, too", () => {
    const run = vi.fn();
    render(<Screen actions={{ "fire.run": run }} />);
    fireEvent.keyDown(screen.getByLabelText("text"), { key: "Enter", ctrlKey: true });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("leaves Space to a focused button", () => {
    const run = vi.fn();
    render(<Screen actions={{ "hook.switch": run }} />);
    fireEvent.keyDown(screen.getByRole("button"), { key: " " });
    expect(run).not.toHaveBeenCalled();
  });

  it("that refuses leaves the key to the one before it", () => {
    const first = vi.fn();
    render(<Screen actions={{ "hook.explain": first }} />);
    render(<Screen actions={{ "trace.explain": () => false }} />);
    fireEvent.keyDown(document.body, { key: "e" });
    expect(first).toHaveBeenCalledTimes(1);
  });

  it("may have two keys that follow each other, as G then S", () => {
    const run = vi.fn();
    render(<Screen actions={{ "hook.source": run }} />);
    fireEvent.keyDown(document.body, { key: "s" });
    expect(run).not.toHaveBeenCalled();
    fireEvent.keyDown(document.body, { key: "g" });
    fireEvent.keyDown(document.body, { key: "s" });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("is offered in the palette while it makes sense", () => {
    const run = vi.fn();
    const { rerender, unmount } = render(<Screen actions={{ "tree.toggle": run, "live.toggle": null }} />);
    expect(offered()).toEqual(["tree.toggle"]);
    rerender(<Screen actions={{ "tree.toggle": run, "live.toggle": run }} />);
    expect(offered()).toEqual(["tree.toggle", "live.toggle"]);
    unmount();
    expect(offered()).toEqual([]);
  });
});

describe("the registry of actions", () => {
  it("gives a key one meaning within a part of the sheet", () => {
    const seen = new Map<string, string>();
    for (const id of ACTION_IDS) {
      const { sheet, keys } = ACTIONS[id];
      for (const key of sheet === null ? [] : keys) {
        const name = `${sheet?.[0]} ${key}`;
        expect([name, seen.get(name)]).toEqual([name, undefined]);
        seen.set(name, id);
      }
    }
  });

  it("draws everything that the palette offers with an icon", () => {
    const bare = ACTION_IDS.filter((id) => ACTIONS[id].palette !== undefined && ACTIONS[id].icon === undefined);
    expect(bare).toEqual([]);
  });
});
