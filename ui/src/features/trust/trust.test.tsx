import { act, cleanup, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { Fault } from "@/ipc/fault";
import type { Reply } from "@/ipc/types";
import { edited } from "@/testing/editReplies";
import type { Script } from "@/testing/fakeEngine";
import { GONE_PROJECT } from "@/testing/goneData";
import { callsOf, renderApp } from "@/testing/render";
import { HOOKS, PROJECT, REVIEW, TEXTS, WAITING } from "@/testing/sampleData";
import { HELD } from "@/testing/stories/stories";
import { forgetReadTexts } from "./readTexts";

const HOOK = REVIEW.hook;
const OTHER = "jcli:project:stop:0";

beforeEach(forgetReadTexts);

/** An engine with several hooks that wait; what is decided no longer does. */
function queue(hooks: readonly string[]): Script {
  const approved = new Set<string>();
  const denied = new Set<string>();
  const waits = (hook: string) => !approved.has(hook) && !denied.has(hook);
  const item = (hook: string) => ({ ...WAITING, hook, old: null });
  return {
    "hooks.list": {
      hooks: HOOKS.map((row) => (hooks.includes(row.hook) ? { ...row, trusted: false } : row)),
      problems: [],
      sources: [],
    },
    "trust.list": () => ({
      pending: hooks.filter(waits).map((hook) => ({ ...WAITING, hook })),
      approved: [...approved].map(item),
      denied: [...denied].map(item),
    }),
    "trust.review": ({ hook }) => ({
      ...REVIEW,
      hook,
      label: labelOf(hook),
      fingerprint: `print of ${hook}`,
      denied: denied.has(hook),
    }),
    "trust.texts": ({ hook }) => ({ ...TEXTS, hook }),
    "trust.approve": ({ hook }) => {
      approved.add(hook);
      return { pending: hooks.length - approved.size };
    },
    "trust.deny": ({ hook }) => {
      denied.add(hook);
      return { pending: hooks.filter(waits).length };
    },
    "trust.revoke": ({ hook }) => {
      approved.delete(hook);
      denied.delete(hook);
      return { pending: hooks.length - approved.size };
    },
  };
}

const labelOf = (hook: string) => HOOKS.find((row) => row.hook === hook)?.label ?? hook;
const linesOf = (element: HTMLElement, selector: string) =>
  [...element.querySelectorAll(selector)].map((line) => line.textContent).join("\n");
const pane = () => screen.findByRole("region", { name: "Review" });
const approveButton = () => screen.findByRole("button", { name: /^Approve/ });

describe("the review", () => {
  it("shows the approved text beside the present one, and what is not covered", async () => {
    renderApp("#/trust");
    expect(await screen.findByText("redact-secrets changed since you approved it")).toBeInTheDocument();
    const review = await pane();
    const file = await within(review).findByRole("region", { name: "redact.py" });
    expect(file).toHaveTextContent("changed since approval");
    await waitFor(() => expect(linesOf(file, ".cm-merge-b .cm-changedLine")).toContain("paste.example.net"));
    expect(linesOf(file, ".cm-merge-a .cm-changedLine")).toBe("");
    const definition = within(review).getByRole("region", { name: "Definition" });
    expect(linesOf(definition, ".cm-merge-b .cm-changedText")).toContain("--post");
    expect(screen.getAllByText(/Whatever else the hook starts or reads/i)).toHaveLength(1);
  });

  it("says since when events pass without the hook, and how many of those that it is for", async () => {
    renderApp(`#/trust?hook=${HOOK}`, { "history.match": HELD });
    expect(await screen.findByText(/Since .+, 2 events passed without it\./)).toBeInTheDocument();
  });

  it("says in words why a text cannot be shown", async () => {
    const [file] = TEXTS.files;
    const missing = (why: "not_kept" | "too_large" | "not_text") => ({
      ...TEXTS,
      files: [{ ...file, approved: { hash: "77", text: null, missing: why } }] as typeof TEXTS.files,
    });
    renderApp("#/trust", { "trust.texts": missing("not_kept") });
    expect(await screen.findByText(/The approved text was not kept/)).toBeInTheDocument();
    cleanup();
    const present = { ...REVIEW, files: REVIEW.files.map((one) => ({ ...one, text: null })) };
    const large = [{ ...file, present: { hash: "51", text: null, missing: "too_large" } }] as typeof TEXTS.files;
    renderApp("#/trust", { "trust.review": present, "trust.texts": { ...TEXTS, files: large } });
    expect(await screen.findByText(/larger than 1 MiB and is not shown/)).toBeInTheDocument();
  });

  it("restores the approved text of a changed file, from the text that was shown", async () => {
    const saved = edited(HOOK, { undo: "e7" });
    const { engine, user } = renderApp("#/trust", { "edit.save": saved });
    await user.click(await screen.findByRole("button", { name: "Restore redact.py as it was approved" }));
    const [file] = TEXTS.files;
    expect(callsOf(engine, "edit.save")).toEqual([
      { project: PROJECT, path: file?.path, hook: HOOK, base: file?.present?.hash, text: file?.approved?.text },
    ]);
    expect(await screen.findByText("Restored the approved version of redact.py.")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    expect(callsOf(engine, "edit.undo")).toEqual([{ project: PROJECT, undo: "e7" }]);
  });

  it("offers no text to restore where none was kept", async () => {
    const [file] = TEXTS.files;
    const approved = { hash: "77", text: null, missing: "not_kept" };
    renderApp("#/trust", { "trust.texts": { ...TEXTS, files: [{ ...file, approved }] as typeof TEXTS.files } });
    expect(await screen.findByText(/The approved text was not kept/)).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: /^Restore/ })).toBeNull();
  });

  it("turns a hook that waits off for its agent, and goes to the next", async () => {
    const row = HOOKS.find(({ hook }) => hook === HOOK);
    const { engine, user } = renderApp("#/trust", { ...queue([HOOK, OTHER]), "hook.turn_off": edited(HOOK) });
    await user.click(await screen.findByRole("button", { name: /^Turn off for/ }));
    expect(callsOf(engine, "hook.turn_off")).toEqual([{ project: PROJECT, hook: HOOK, version: row?.version }]);
    await waitFor(() => expect(window.location.hash).toContain(encodeURIComponent(OTHER)));
  });

  it("folds a file that is as it was approved", async () => {
    const same = TEXTS.files.map((file) => ({ ...file, approved: file.present, changed: false }));
    const { user } = renderApp("#/trust", { "trust.texts": { ...TEXTS, files: same } });
    const file = await screen.findByRole("region", { name: "redact.py" });
    expect(file).toHaveTextContent("as approved");
    expect(file).not.toHaveTextContent("paste.example.net");
    await user.click(within(file).getByRole("button", { name: "Show" }));
    expect(await within(file).findByText(/paste\.example\.net/)).toBeInTheDocument();
  });

  it("opens a folded file when it changes, so that nothing new is approved unseen", async () => {
    const same = TEXTS.files.map((file) => ({ ...file, approved: file.present, changed: false }));
    let texts = { ...TEXTS, files: same };
    const { engine } = renderApp("#/trust", { "trust.texts": () => texts });
    expect(await screen.findByRole("button", { name: "Show" })).toBeInTheDocument();
    texts = TEXTS;
    engine.push({ kind: "stale", what: ["trust"], by: null } as never);
    const file = await screen.findByRole("region", { name: "redact.py" });
    await waitFor(() => expect(file).toHaveTextContent("paste.example.net"));
  });

  it("says that nothing of it has run only where nothing has", async () => {
    const review = { "trust.review": { ...REVIEW, old: null } };
    renderApp("#/trust", review);
    expect(await screen.findByText(/An earlier version has run/)).toBeInTheDocument();
    cleanup();
    renderApp("#/trust", { ...review, stats: { since: "2026-11-20T00:00:00Z", hooks: [], tools: [] } });
    expect(await screen.findByText(/It has not run yet/)).toBeInTheDocument();
  });

  it("approves exactly the fingerprint it showed, and only after a second yes", async () => {
    const { engine, user } = renderApp("#/trust");
    await user.click(await approveButton());
    expect(callsOf(engine, "trust.approve")).toHaveLength(0);
    const ask = await screen.findByRole("alertdialog");
    expect(within(ask).getByRole("button", { name: /Keep blocked/ })).toHaveFocus();
    await user.click(within(ask).getByRole("button", { name: "Approve redact-secrets" }));
    await waitFor(() =>
      expect(callsOf(engine, "trust.approve")).toEqual([
        { project: PROJECT, hook: HOOK, fingerprint: REVIEW.fingerprint },
      ]),
    );
  });

  it("is approved only after its texts were scrolled to the end; the key reads on until then", async () => {
    let below = 500;
    const height = Object.getOwnPropertyDescriptor(Element.prototype, "scrollHeight");
    Object.defineProperty(Element.prototype, "scrollHeight", { configurable: true, get: () => 800 + below });
    try {
      const { engine, user } = renderApp("#/trust");
      const readOn = await screen.findByRole("button", { name: /^Read on/ });
      // It waits for the texts to be drawn, and so does its key.
      await waitFor(() => expect(readOn).not.toHaveAttribute("aria-busy", "true"));
      Element.prototype.scrollBy = () => {
        below = 0;
      };
      await user.keyboard("a");
      expect(screen.queryByRole("alertdialog")).not.toBeInTheDocument();
      act(() => {
        screen.getByRole("region", { name: "Approved and current text" }).dispatchEvent(new Event("scroll"));
      });
      await user.click(await approveButton());
      expect(await screen.findByRole("alertdialog")).toBeInTheDocument();
      expect(callsOf(engine, "trust.approve")).toHaveLength(0);
    } finally {
      if (height) Object.defineProperty(Element.prototype, "scrollHeight", height);
    }
  });

  it("says when the hook changed under the reader, and has it read again", async () => {
    let fingerprint = "one";
    const { engine } = renderApp("#/trust", { "trust.review": () => ({ ...REVIEW, fingerprint }) });
    await approveButton();
    fingerprint = "two";
    engine.push({ kind: "stale", what: ["trust"], by: null } as never);
    expect(await screen.findByText(/The hook changed during the review/)).toBeInTheDocument();
  });
});

describe("a change that adds network words", () => {
  const found: typeof REVIEW.found = [
    { kind: "network", word: "paste.example.net", path: `${PROJECT}/.jcli/hooks/redact.py`, line: 9, new: true },
    { kind: "program", word: "subprocess", path: null, line: 1, new: false },
  ];

  it("shows what the change added, and approves only after the name was typed", async () => {
    const { engine, user } = renderApp("#/trust", { ...queue([HOOK]), "trust.review": { ...REVIEW, found } });
    const named = within(await screen.findByRole("region", { name: "What the text names" }));
    expect(named.getByText("1 new")).toBeInTheDocument();
    expect(named.getByText("redact.py:9")).toBeInTheDocument();
    expect(named.getByText("subprocess")).toBeInTheDocument();
    expect(screen.getByText("May send data out, new")).toBeInTheDocument();
    await user.click(await approveButton());
    const ask = await screen.findByRole("alertdialog");
    const yes = () => within(ask).getByRole("button", { name: "Approve redact-secrets" });
    await user.click(yes());
    expect(callsOf(engine, "trust.approve")).toHaveLength(0);
    await user.type(within(ask).getByRole("textbox"), "redact-secrets");
    await user.click(yes());
    await waitFor(() => expect(callsOf(engine, "trust.approve")).toHaveLength(1));
  });

  it("is not approved together with others", async () => {
    const { user } = renderApp("#/trust", {
      ...queue([HOOK, OTHER]),
      "trust.review": ({ hook }) => ({ ...REVIEW, hook, label: labelOf(hook), fingerprint: `print of ${hook}`, found }),
    });
    await approveButton();
    await user.keyboard("j");
    const all = await screen.findByRole("button", { name: "Approve all 2" });
    expect(all).toHaveAttribute("aria-disabled", "true");
  });
});

describe("the queue", () => {
  it("opens with 7, and says how many wait", async () => {
    const { user } = renderApp("#/settings");
    await screen.findByRole("heading", { name: "Settings" });
    await user.keyboard("7");
    expect(await screen.findByRole("tab", { name: "Waiting 1" })).toHaveAttribute("aria-selected", "true");
  });

  it("goes to the next after an approval, and its Undo stays until the next decision", async () => {
    const { engine, user } = renderApp("#/trust", queue([HOOK, OTHER]));
    expect(await screen.findByText("1 of 2")).toBeInTheDocument();
    await user.click(await approveButton());
    await user.click(await screen.findByRole("button", { name: "Approve redact-secrets" }));
    expect(await screen.findByText("redact-secrets was approved.")).toBeInTheDocument();
    expect(await screen.findByRole("heading", { name: /^keep-going/ })).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(callsOf(engine, "trust.revoke")).toEqual([{ project: PROJECT, hook: HOOK }]));
    expect(await screen.findByRole("heading", { name: /^redact-secrets/ })).toBeInTheDocument();
  });

  it("denies with D, goes to the next, and Undo has it wait again", async () => {
    const { engine, user } = renderApp("#/trust", queue([HOOK, OTHER]));
    await screen.findByRole("button", { name: /^Deny and keep it blocked/ });
    await user.keyboard("d");
    expect(await screen.findByText("redact-secrets was denied.")).toBeInTheDocument();
    expect(callsOf(engine, "trust.deny")).toEqual([{ project: PROJECT, hook: HOOK, fingerprint: `print of ${HOOK}` }]);
    expect(await screen.findByRole("tab", { name: "Denied 1" })).toBeInTheDocument();
    expect(await screen.findByRole("heading", { name: /^keep-going/ })).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    expect(await screen.findByRole("tab", { name: "Waiting 2" })).toBeInTheDocument();
  });

  it("lists what is denied, without a button that approves, and reviews it again", async () => {
    const { user } = renderApp("#/trust", queue([HOOK, OTHER]));
    await user.click(await screen.findByRole("button", { name: /^Deny and keep it blocked/ }));
    await user.click(await screen.findByRole("tab", { name: "Denied 1" }));
    expect(await screen.findByText(/You denied this content/)).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: /^Approve/ })).not.toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Review again" }));
    expect(await screen.findByRole("tab", { name: "Waiting 2" })).toHaveAttribute("aria-selected", "true");
  });

  it("skips one with S, approving nothing", async () => {
    const { engine, user } = renderApp("#/trust", queue([HOOK, OTHER]));
    await screen.findByText("1 of 2");
    await approveButton();
    await user.keyboard("s");
    expect(await screen.findByText("2 of 2")).toBeInTheDocument();
    expect(callsOf(engine, "trust.approve")).toHaveLength(0);
  });

  it("approves all of one file at once, after each of them was read", async () => {
    const { engine, user } = renderApp("#/trust", queue([HOOK, OTHER]));
    await approveButton();
    const all = await screen.findByRole("button", { name: "1 of 2 read" });
    expect(all).toHaveAttribute("aria-disabled", "true");
    await user.keyboard("j");
    await user.click(await screen.findByRole("button", { name: "Approve all 2" }));
    const ask = await screen.findByRole("alertdialog");
    expect(ask).toHaveTextContent("redact-secrets, keep-going");
    await user.click(within(ask).getByRole("button", { name: "Approve all 2" }));
    expect(await screen.findByText("Nothing to review")).toBeInTheDocument();
    expect(callsOf(engine, "trust.approve")).toEqual([
      { project: PROJECT, hook: HOOK, fingerprint: `print of ${HOOK}` },
      { project: PROJECT, hook: OTHER, fingerprint: `print of ${OTHER}` },
    ]);
  });

  it("has a content read again that the engine refused as old", async () => {
    const { user } = renderApp("#/trust", {
      ...queue([HOOK, OTHER]),
      "trust.approve": () => {
        throw new Fault({ code: "review_is_old", message: "the hook changed since the review" });
      },
    });
    await user.click(await approveButton());
    await user.click(await screen.findByRole("button", { name: "Approve redact-secrets" }));
    expect(await screen.findByText("the hook changed since the review")).toBeInTheDocument();
    expect(await screen.findByRole("button", { name: "0 of 2 read" })).toBeInTheDocument();
  });

  it("has a hook read again whose content changed since", async () => {
    const files = [[{ path: "/p/guard.py", hash: "1" }], [{ path: "/p/guard.py", hash: "2" }]] as const;
    let at: 0 | 1 = 0;
    const { engine } = renderApp("#/trust", {
      ...queue([HOOK, OTHER]),
      "trust.list": () => ({
        pending: [HOOK, OTHER].map((hook) => ({ ...WAITING, hook, files: hook === HOOK ? [...files[at]] : [] })),
        approved: [],
        denied: [],
      }),
    });
    expect(await screen.findByRole("button", { name: "1 of 2 read" })).toBeInTheDocument();
    window.location.hash = `#/trust?hook=${OTHER}`;
    expect(await screen.findByRole("button", { name: "Approve all 2" })).toBeInTheDocument();
    at = 1;
    engine.push({ kind: "stale", what: ["trust"], by: null } as never);
    expect(await screen.findByRole("button", { name: "1 of 2 read" })).toBeInTheDocument();
  });

  it("shows what is approved, and revokes it", async () => {
    const { engine, user } = renderApp("#/trust?tab=approved", {
      "trust.review": ({ hook }) => ({ ...REVIEW, hook, label: labelOf(hook), trusted: true, old: null }),
    });
    await user.click(await screen.findByRole("button", { name: "Revoke approval" }));
    await waitFor(() => expect(callsOf(engine, "trust.revoke")).toHaveLength(1));
  });

  it("says when the list cannot be read, and asks again", async () => {
    const { engine, user } = renderApp("#/trust", {
      "trust.list": () => {
        throw new Fault({ code: "x", message: "the project folder does not exist" });
      },
    });
    expect(await screen.findByText("The project folder does not exist")).toBeInTheDocument();
    const before = callsOf(engine, "trust.list").length;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(callsOf(engine, "trust.list")).toHaveLength(before + 1));
  });

  it("is where Review of a hook in the list leads", async () => {
    const { user } = renderApp(`#/hooks?hook=${HOOK}`);
    const drawer = await screen.findByRole("region", { name: "Hook" });
    await user.click(within(drawer).getByRole("button", { name: /^Review/ }));
    expect(await screen.findByText("redact-secrets changed since you approved it")).toBeInTheDocument();
  });
});

describe("lists that are not complete", () => {
  const SENTENCE = "The project folder no longer exists, so its hooks are missing";

  it("say why, and not that every hook is approved", async () => {
    renderApp("#/trust", GONE_PROJECT);
    expect(await screen.findByRole("heading", { name: "This list is not complete" })).toBeInTheDocument();
    expect(screen.getByRole("alert")).toHaveTextContent(
      `${SENTENCE} Restore the folder, or remove the project from the list`,
    );
    expect(screen.queryByText("Nothing to review")).not.toBeInTheDocument();
  });

  it("say why above what they have", async () => {
    const { problems } = GONE_PROJECT["trust.list"] as Reply<"trust.list">;
    renderApp("#/trust", {
      ...queue([HOOK]),
      "trust.list": { pending: [WAITING], approved: [], denied: [], problems },
    });
    await pane();
    expect(screen.getByRole("alert")).toHaveTextContent(SENTENCE);
  });
});
