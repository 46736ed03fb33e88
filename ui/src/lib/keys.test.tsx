import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { chordOf, useKey } from "./keys";

function Bound({ chord, run, inText }: { chord: string | string[]; run: () => unknown; inText?: boolean }) {
  useKey(chord, run, { inText });
  return (
    <>
      <input aria-label="text" />
      <button type="button">press</button>
    </>
  );
}

const key = (init: KeyboardEventInit) => chordOf(new KeyboardEvent("keydown", init));

describe("a key", () => {
  it("is named as in the key sheet", () => {
    expect(key({ key: "f" })).toBe("F");
    expect(key({ key: "k", ctrlKey: true })).toBe("Ctrl K");
    expect(key({ key: "T", shiftKey: true })).toBe("Shift T");
    expect(key({ key: "?", shiftKey: true })).toBe("?");
    expect(key({ key: " " })).toBe("Space");
    expect(key({ key: "Enter", ctrlKey: true })).toBe("Ctrl Enter");
  });

  it("of one letter does nothing while a text is typed", () => {
    const run = vi.fn();
    render(<Bound chord="F" run={run} />);
    fireEvent.keyDown(screen.getByLabelText("text"), { key: "f" });
    expect(run).not.toHaveBeenCalled();
    fireEvent.keyDown(document.body, { key: "f" });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("with Ctrl acts in a text, too", () => {
    const run = vi.fn();
    render(<Bound chord="Ctrl Enter" run={run} />);
    fireEvent.keyDown(screen.getByLabelText("text"), { key: "Enter", ctrlKey: true });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("belongs to a focused button when it is Space or Enter", () => {
    const run = vi.fn();
    render(<Bound chord={["Space", "Enter"]} run={run} />);
    fireEvent.keyDown(screen.getByRole("button"), { key: " " });
    fireEvent.keyDown(screen.getByRole("button"), { key: "Enter" });
    expect(run).not.toHaveBeenCalled();
  });

  it("that was refused goes to the binding before it", () => {
    const first = vi.fn();
    render(<Bound chord="E" run={first} />);
    render(<Bound chord="E" run={() => false} />);
    fireEvent.keyDown(document.body, { key: "e" });
    expect(first).toHaveBeenCalledTimes(1);
  });

  it("may follow another, as in G then H", () => {
    const run = vi.fn();
    render(<Bound chord="G then H" run={run} />);
    fireEvent.keyDown(document.body, { key: "h" });
    expect(run).not.toHaveBeenCalled();
    fireEvent.keyDown(document.body, { key: "g" });
    fireEvent.keyDown(document.body, { key: "h" });
    expect(run).toHaveBeenCalledTimes(1);
  });
});
