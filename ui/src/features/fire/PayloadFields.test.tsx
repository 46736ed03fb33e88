import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { TooltipProvider } from "@/components";
import { PayloadFields } from "./PayloadFields";

let text = "";
const note = (next: string) => {
  text = next;
};

function Fields({ from }: { from: string }) {
  const [shown, setShown] = useState(from);
  const change = (next: string) => {
    setShown(next);
    note(next);
  };
  return (
    <TooltipProvider>
      <PayloadFields text={shown} event={undefined} onChange={change} />
    </TooltipProvider>
  );
}

describe("a payload as fields", () => {
  it("opens JSON in a string, and writes it back as a string", async () => {
    const user = userEvent.setup();
    render(<Fields from={'{"tool":"Bash","arguments":"{\\"command\\": \\"ls\\"}"}'} />);
    await user.type(screen.getByRole("textbox", { name: "arguments.command" }), " -l");
    expect(JSON.parse(text)).toEqual({ tool: "Bash", arguments: '{"command":"ls -l"}' });
  });

  it("keeps each number as it is written, and takes JSON over while it is JSON", async () => {
    const user = userEvent.setup();
    render(<Fields from={'{"big":12345678901234567890123,"n":1e2,"list":[1]}'} />);
    const list = screen.getByRole("textbox", { name: "list" });
    await user.clear(list);
    await user.type(list, "[[2");
    expect(list).toHaveAttribute("aria-invalid", "true");
    await user.type(list, "]");
    expect(list).not.toHaveAttribute("aria-invalid");
    expect(text.replace(/\s/g, "")).toBe('{"big":12345678901234567890123,"n":1e2,"list":[2]}');
  });

  it("removes a field", async () => {
    const user = userEvent.setup();
    render(<Fields from='{"a":"1","b":true}' />);
    await user.click(screen.getByRole("button", { name: "Remove a" }));
    await user.click(screen.getByRole("switch", { name: "b" }));
    expect(JSON.parse(text)).toEqual({ b: false });
  });
});
