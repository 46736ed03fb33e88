import { screen, waitFor } from "@testing-library/react";
import { describe, expect, it, onTestFinished } from "vitest";
import { addressOf } from "@/testing/address";
import { renderApp } from "@/testing/render";
import { createAppRouter } from ".";
import { parseSearch, ROUTES } from "./router";
import { HISTORY_SORTS, hooksSearch } from "./search";

describe("an address", () => {
  it("gives back what was written into it", () => {
    const search = {
      q: "event:stop a&b=c",
      hook: "jcli:project:stop:0",
      problem: '["x","/a b",3,null] 2',
      node: "12",
      event: "true",
      view: "list" as const,
    };
    const [, written = ""] = addressOf({ to: "/hooks", search }).split("?");
    expect(hooksSearch(parseSearch(`?${written}`))).toEqual(expect.objectContaining(search));
  });

  it("keeps what begins with a minus, and lists in JSON, as text", () => {
    const sort = HISTORY_SORTS[1];
    expect(parseSearch(`?sort=${sort}&row=[1,2]`)).toEqual({ sort, row: "[1,2]" });
  });

  it("leaves out what is not set, and is short where nothing is", () => {
    expect(addressOf({ to: "/fire", search: { event: "stop", trace: undefined } })).toBe("#/fire?event=stop");
    expect(addressOf({ to: "/settings" })).toBe("#/settings");
  });

  it.each(["", "#/", "#/nothing", "#constructor", "#/hooks/more"])(
    "of no screen (%s) leads to the first",
    async (to) => {
      renderApp(to);
      await waitFor(() => expect(window.location.hash).toBe("#/overview"));
      expect(await screen.findByRole("heading", { level: 1, name: "Overview" })).toBeInTheDocument();
    },
  );

  it("that changes before anything is drawn is the one that is opened", async () => {
    window.location.hash = "#/overview";
    const router = createAppRouter();
    onTestFinished(() => router.history.destroy());
    const first = router.load();
    window.location.hash = "#/trust";
    await waitFor(() => expect(router.state.location.pathname).toBe("/trust"));
    await first;
    expect(router.state.location.pathname).toBe("/trust");
  });
});

describe("a screen", () => {
  it("that throws, or cannot be loaded, says so until another one is opened", async () => {
    const { component } = ROUTES["/metrics"].options;
    onTestFinished(() => void ROUTES["/metrics"].update({ component }));
    ROUTES["/metrics"].update({
      component: () => {
        throw new Error("a fault in the screen");
      },
    });
    const { user } = renderApp("#/metrics");
    // Once it is loaded it is drawn again, and throws again.
    await waitFor(() => expect(screen.getByText(/a fault in the screen/)).toBeInTheDocument());
    await user.click(screen.getByRole("link", { name: /^Settings/ }));
    expect(await screen.findByRole("heading", { level: 1, name: "Settings" })).toBeInTheDocument();
  });
});
