import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { renderApp } from "@/testing/render";
import { TRACE } from "@/testing/sampleData";

describe("the Explain screen", () => {
  it("says what the event was, lists its hooks in run order, and begins with the first that did not run", async () => {
    renderApp(`#/history/explain?trace=${TRACE.trace}`);
    const hooks = await screen.findByRole("listbox", { name: "Hooks considered" });
    expect(
      within(hooks)
        .getAllByRole("option")
        .map((one) => one.querySelector(".trunc")?.textContent),
    ).toEqual(["normalize-paths", "audit-log", "guard-prod-db", "guard-shell", "tool-safety-review"]);
    expect(within(hooks).getByRole("option", { selected: true })).toHaveTextContent("guard-prod-db");
    expect(screen.getByText(/drop table carts/)).toBeInTheDocument();
    expect(screen.getByText("Bash would be skipped")).toBeInTheDocument();
  });

  it("shows what each check looked at, and what the filter wanted beside what the event had", async () => {
    renderApp(`#/history/explain?trace=${TRACE.trace}`);
    const checks = await screen.findByRole("list", { name: "Gates" });
    expect(within(checks).getByText(".jcli/hooks.yaml:3")).toBeInTheDocument();
    expect(within(checks).getByText("approved")).toBeInTheDocument();
    expect(await within(checks).findByText("psql")).toBeInTheDocument();
    expect(within(checks).getByText("Bash")).toBeInTheDocument();
    expect(within(checks).getByRole("link", { name: "Show in the source" })).toHaveAttribute(
      "href",
      expect.stringContaining("tab=source"),
    );
  });
});
