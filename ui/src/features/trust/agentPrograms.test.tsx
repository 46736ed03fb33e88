import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { allowedPrograms, programOf } from "@/domain/trust/agentPrograms";
import { Fault } from "@/ipc/fault";
import { PROGRAM, programStory } from "@/testing/agentData";
import { callsOf, renderApp } from "@/testing/render";
import { PROJECT, WAITING } from "@/testing/sampleData";
import { forgetReadTexts } from "./readTexts";

beforeEach(forgetReadTexts);

const ALWAYS = "Always allow j-cli to register commands";

describe("an agent that is always allowed", () => {
  it("is allowed from the review of its hook, after it was said what that means", async () => {
    const { user, engine } = renderApp("#/trust", programStory());
    expect(await screen.findByText("Registered by agents")).toBeVisible();
    expect(await screen.findByText("/home/me/.local/bin/j")).toBeVisible();
    await user.click(await screen.findByRole("button", { name: ALWAYS }));
    const ask = await screen.findByRole("alertdialog", { name: `${ALWAYS}?` });
    expect(within(ask).getByRole("button", { name: /Keep asking/ })).toHaveFocus();
    expect(ask).toHaveTextContent("runs without a review, in every project");
    expect(ask).toHaveTextContent("each script can use this name");
    expect(ask).toHaveTextContent("Commands of this agent that wait for your approval run from now on, too.");
    expect(callsOf(engine, "trust.approve")).toHaveLength(0);
    await user.click(within(ask).getByRole("button", { name: "Always allow j-cli" }));
    await waitFor(() =>
      expect(callsOf(engine, "trust.approve")).toEqual([
        { project: PROJECT, hook: PROGRAM.id, fingerprint: PROGRAM.fingerprint },
      ]),
    );
    expect(await screen.findByText("Nothing to review")).toBeVisible();
    await user.click(screen.getByRole("tab", { name: "Approved 1" }));
    const list = await screen.findByRole("region", { name: "Agents that are always allowed" });
    expect(list).toHaveTextContent("/home/me/.local/bin/j");
    await user.click(within(list).getByRole("button", { name: "Revoke: always allow j-cli" }));
    await waitFor(() => expect(callsOf(engine, "trust.revoke")).toEqual([{ project: PROJECT, hook: PROGRAM.id }]));
    expect(await screen.findByRole("tab", { name: "Waiting 1" })).toBeVisible();
  });

  it("is allowed where the Agents screen shows the hook that waits", async () => {
    const { user, engine } = renderApp("#/agents?tab=hooks", programStory());
    await user.click(await screen.findByRole("button", { name: ALWAYS }));
    const ask = await screen.findByRole("alertdialog");
    await user.click(within(ask).getByRole("button", { name: /Keep asking/ }));
    expect(callsOf(engine, "trust.approve")).toHaveLength(0);
    await user.click(screen.getByRole("button", { name: ALWAYS }));
    await user.click(
      within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Always allow j-cli" }),
    );
    expect(await screen.findByText("may run")).toBeVisible();
    expect(screen.queryByRole("button", { name: ALWAYS })).toBeNull();
  });

  it("is not allowed where its name cannot be shown in full, and the button says why", async () => {
    const refused = { why: "this name cannot be always allowed: it is long", code: "", args: {} };
    const story = programStory();
    const review = story["trust.review"] as object;
    const { user } = renderApp("#/trust", {
      ...story,
      "trust.review": { ...review, agent: { ...PROGRAM, name: "te\u200bster", refused } } as never,
    });
    const button = await screen.findByRole("button", { name: "Always allow te\\u200bster to register commands" });
    expect(button).toHaveAttribute("aria-disabled", "true");
    await user.click(button);
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });

  it("stays as it was where the engine refuses", async () => {
    const refuse = () => {
      throw new Fault({ code: "review_is_old", message: "it changed", hint: "", args: {} });
    };
    const story = { ...programStory(), "trust.approve": refuse };
    const { user } = renderApp("#/trust", story);
    await user.click(await screen.findByRole("button", { name: ALWAYS }));
    await user.click(
      within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Always allow j-cli" }),
    );
    expect(await screen.findByText(/^it changed/i)).toBeVisible();
    expect(screen.getByRole("button", { name: ALWAYS })).toBeVisible();
  });
});

describe("the list of allowed programs", () => {
  it("has the programs of one name together, and finds the name behind the first mark", () => {
    const item = (hook: string, definition: string) => ({ ...WAITING, kind: "agent_program", hook, definition });
    expect(programOf("jcli:agent:a:agent:b")).toEqual({ dialect: "jcli", name: "a:agent:b" });
    expect(
      allowedPrograms([WAITING, item("jcli:agent:x", "/a"), item("qoder:agent:x", "/a"), item("jcli:agent:x", "/b")]),
    ).toEqual([
      { id: "jcli:agent:x", dialect: "jcli", name: "x", paths: ["/a", "/b"] },
      { id: "qoder:agent:x", dialect: "qoder", name: "x", paths: ["/a"] },
    ]);
  });
});
