import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Reply } from "@/ipc";
import { Fault } from "@/ipc/fault";
import { callsOf, renderApp } from "@/testing/render";
import { STATE } from "@/testing/sampleData";

const NO_ANSWER: Reply<"model.test"> = {
  end: "refused",
  text: null,
  error: null,
  took_ms: 412,
  input_tokens: null,
  output_tokens: null,
};

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

  describe("of a model that is configured", () => {
    const settings = (reply: Partial<Reply<"model.test">>) => ({
      "settings.get": { values: { model: { provider: "openai" } }, problems: [], path: "/home/me/settings.toml" },
      state: { ...STATE, model: { configured: true, why: null, code: null, args: {} } },
      "model.test": { ...NO_ANSWER, ...reply },
    });

    it("show the response to a test prompt", async () => {
      const { user } = renderApp(
        "#/settings?section=model",
        settings({ end: "replied", text: "ready", input_tokens: 24, output_tokens: 1 }),
      );
      await user.click(await screen.findByRole("button", { name: "Send a test prompt" }));
      expect(await screen.findByText("The model replied after 412 ms.")).toBeInTheDocument();
      expect(screen.getByText("ready")).toBeInTheDocument();
      expect(screen.getByText(/24 tokens in the prompt, 1 in the response/)).toBeInTheDocument();
    });

    it("show why the endpoint refused", async () => {
      const { user } = renderApp("#/settings?section=model", settings({ end: "refused", error: "HTTP 401: no key" }));
      await user.click(await screen.findByRole("button", { name: "Send a test prompt" }));
      expect(await screen.findByRole("alert")).toHaveTextContent("The endpoint refused the request. HTTP 401: no key");
    });

    it("stop a test that takes long", async () => {
      const { engine, user } = renderApp("#/settings?section=model", {
        ...settings({}),
        "model.test": () => new Promise(() => undefined),
      });
      await user.click(await screen.findByRole("button", { name: "Send a test prompt" }));
      await user.click(await screen.findByRole("button", { name: /^Stop/ }));
      const [test] = callsOf(engine, "model.test");
      await waitFor(() => expect(callsOf(engine, "fire.stop")).toEqual([test]));
    });
  });

  it("tell when a project that was removed cannot be put back", async () => {
    const { user } = renderApp("#/settings?section=watching", {
      "projects.add": () => {
        throw new Fault({ code: "x", message: "the folder does not exist", hint: "restore it" });
      },
    });
    const [remove] = await screen.findAllByRole("button", { name: "Remove from this list" });
    await user.click(remove as HTMLElement);
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    expect(await screen.findByText("the folder does not exist · restore it")).toBeInTheDocument();
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
