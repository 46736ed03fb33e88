import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Fault } from "@/ipc/fault";
import { callsOf, renderApp } from "@/testing/render";

describe("the settings", () => {
  it("keep a refused value in its field, in red, with the reason below its name", async () => {
    const { user } = renderApp("#/settings?section=history", {
      "settings.set": () => {
        throw new Fault({ code: "x", message: "history.max_days must be at most 36500" });
      },
    });
    const field = await screen.findByRole("textbox", { name: "Keep outcomes for" });
    await user.clear(field);
    await user.type(field, "99999{Enter}");
    expect(await screen.findByRole("alert")).toHaveTextContent("history.max_days must be at most 36500");
    expect(field).toHaveValue("99999");
    expect(field).toHaveAttribute("aria-invalid", "true");
    await user.type(field, "9");
    await waitFor(() => expect(screen.queryByRole("alert")).not.toBeInTheDocument());
  });

  it("say at the field that a value was saved, and undo it there", async () => {
    const { engine, user } = renderApp("#/settings?section=history");
    const field = await screen.findByRole("textbox", { name: "Keep outcomes for" });
    const before = (field as HTMLInputElement).value;
    await user.clear(field);
    await user.type(field, "12{Enter}");
    expect(await screen.findByText("Saved.")).toHaveAttribute("role", "status");
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() =>
      expect(callsOf(engine, "settings.set")).toEqual([
        { key: "history.max_days", value: 12 },
        { key: "history.max_days", value: before === "" ? null : Number(before) },
      ]),
    );
    expect(screen.queryByText("Saved.")).not.toBeInTheDocument();
  });

  it("ask for a model only where there is a provider", async () => {
    renderApp("#/settings?section=model");
    expect(await screen.findByRole("combobox", { name: "Provider" })).toBeInTheDocument();
    expect(screen.queryByRole("textbox", { name: "Address" })).not.toBeInTheDocument();
  });

  it("write the folders with skills, one a line", async () => {
    const { engine, user } = renderApp("#/settings?section=watching");
    await user.type(await screen.findByRole("textbox", { name: "Folders with skills" }), "/a{Enter} /b ");
    await user.tab();
    await waitFor(() =>
      expect(callsOf(engine, "settings.set")).toEqual([{ key: "watch.skills_roots", value: ["/a", "/b"] }]),
    );
  });
});
