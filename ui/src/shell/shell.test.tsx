import { act, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { useFolderDialog } from "@/domain/openProject";
import { Fault } from "@/ipc/fault";
import { useConnection } from "@/live/connection";
import { callsOf, renderApp } from "@/testing/render";
import { PROJECT, STATE } from "@/testing/sampleData";
import { ErrorScreen } from "./ErrorScreen";

describe("an error that nothing caught", () => {
  it("is said in a toast, once", async () => {
    renderApp("#/hooks");
    await screen.findByRole("navigation", { name: "Navigation" });
    const reject = () =>
      window.dispatchEvent(Object.assign(new Event("unhandledrejection"), { reason: new Error("the disk is full") }));
    reject();
    reject();
    expect(await screen.findAllByText("The window failed unexpectedly: the disk is full")).toHaveLength(1);
  });
});

describe("a screen that failed", () => {
  const failed = new Error("Unable to preload CSS for /assets/simulator.css");
  afterEach(() => useConnection.setState({ engine: "running", line: "up" }));

  it("says what it threw", () => {
    render(<ErrorScreen error={failed} />);
    expect(screen.getByRole("heading", { name: "This screen stopped working" })).toBeVisible();
    expect(screen.getByText(/Unable to preload CSS/)).toBeVisible();
  });

  it("says that the engine does not respond where that is why it cannot be loaded", () => {
    useConnection.setState({ engine: "stopped", line: "down" });
    render(<ErrorScreen error={failed} />);
    expect(screen.getByRole("heading", { name: "This screen could not be loaded" })).toBeVisible();
    expect(screen.getByText("The engine does not respond.")).toBeVisible();
    expect(screen.queryByText(/preload/)).toBeNull();
  });
});

describe("the frame", () => {
  beforeEach(() => useConnection.setState({ engine: "running", line: "up" }));

  it("has the sections of this version and no others", async () => {
    renderApp("#/settings");
    const nav = await screen.findByRole("navigation", { name: "Navigation" });
    const links = within(nav).getAllByRole("link");
    for (const name of ["Overview", "Hooks", "Fire", "History", "Metrics", "Agents", "Trust", "Simulator", "Settings"])
      expect(links.shift()).toHaveAccessibleName(name);
    expect(links).toEqual([]);
  });

  it("goes to a section by its number, except while a text is typed", async () => {
    const { user } = renderApp("#/hooks");
    await screen.findByRole("grid");
    await user.keyboard("9");
    expect(await screen.findByRole("heading", { name: "Settings" })).toBeInTheDocument();
    await user.keyboard("2");
    await screen.findByRole("grid");
    await user.keyboard("/9");
    expect(screen.getByRole("heading", { name: "Hooks" })).toBeInTheDocument();
  });

  it("offers the sample when there is no project yet, and opens it", async () => {
    let projects: typeof STATE.projects = [];
    const { engine, user } = renderApp("#/hooks", {
      state: () => ({ ...STATE, projects, project: null, first_start: true }),
      "sample.open": () => {
        projects = STATE.projects;
        return { path: PROJECT };
      },
    });
    await user.click(await screen.findByRole("button", { name: /Open the sample project/ }));
    expect(callsOf(engine, "sample.open")).toHaveLength(1);
    expect(await screen.findByRole("grid")).toBeInTheDocument();
  });

  it("says that the engine stopped, and takes it back when it runs again", async () => {
    const { engine } = renderApp("#/settings");
    await screen.findByRole("heading", { name: "Settings" });
    engine.push({ kind: "engine", state: "stopped" });
    expect(await screen.findByText("The engine stopped.")).toBeInTheDocument();
    engine.push({ kind: "engine", state: "running" });
    await waitFor(() => expect(screen.queryByText("The engine stopped.")).not.toBeInTheDocument());
  });

  it("starts an engine of its own in the window, when the one it attached to ended", async () => {
    const { engine, user } = renderApp("#/settings", {}, { window: true });
    await screen.findByRole("heading", { name: "Settings" });
    engine.push({ kind: "engine", state: "stopped" });
    await user.click(await screen.findByRole("button", { name: "Start an engine here" }));
    expect(callsOf(engine, "engine.start")).toHaveLength(1);
  });

  it("asks for everything again after the line was down", async () => {
    const { engine } = renderApp("#/hooks");
    await screen.findByRole("grid");
    const before = callsOf(engine, "hooks.list").length;
    engine.link("down");
    engine.link("up");
    await waitFor(() => expect(callsOf(engine, "hooks.list").length).toBeGreaterThan(before));
  });

  it.each([
    ["ui_session_over", "en", "Open this page from its link"],
    ["ui_needs_link", "en", "This window needs its own link"],
    ["ui_needs_link", "zh-CN", "此窗口需要自己的链接"],
  ] as const)("tells a window that may not call the engine how to get in: %s, %s", async (code, language, title) => {
    const state = () => {
      throw new Fault({ code, message: "" });
    };
    const settings = { values: { ui: { language } }, problems: [], path: "settings.toml" };
    const { engine } = renderApp("#/hooks", { state, "settings.get": settings });
    expect(await screen.findByRole("heading", { name: title })).toBeVisible();
    expect(screen.getByText("hookwright open --web")).toBeVisible();
    engine.link("refused");
    expect(screen.queryByText("Engine stopped")).toBeNull();
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("follows a push to another screen", async () => {
    const { engine } = renderApp("#/hooks");
    await screen.findByRole("grid");
    engine.push({ kind: "navigate", to: "/settings", project: null });
    expect(await screen.findByRole("heading", { name: "Settings" })).toBeInTheDocument();
  });

  it("lists its keys on ?", async () => {
    const { user } = renderApp("#/settings");
    await screen.findByRole("heading", { name: "Settings" });
    await user.keyboard("?");
    const sheet = await screen.findByRole("dialog", { name: "Keyboard shortcuts" });
    // Each section stands beside its own digit, so that no digit between them looks forgotten.
    const keyOf = (name: string) => within(sheet).getAllByText(name, { selector: "dt" })[0]?.nextSibling?.textContent;
    expect(["Overview", "Hooks", "Fire", "History", "Trust", "Simulator", "Settings"].map(keyOf)).toEqual([
      "1",
      "2",
      "3",
      "4",
      "7",
      "8",
      "9",
    ]);
  });
});

describe("opening a folder by its path", () => {
  afterEach(() => useFolderDialog.getState().setOpen(false));
  const ask = async (path: string, add?: () => never) => {
    const app = renderApp("#/hooks", add ? { "projects.add": add } : {});
    await screen.findByRole("navigation", { name: "Navigation" });
    act(() => useFolderDialog.getState().setOpen(true));
    const field = await screen.findByRole("textbox", { name: "Path of the folder" });
    await app.user.type(field, `${path}{Enter}`);
    return { ...app, field };
  };

  it("asks for a full path before the engine reads it as relative to its own folder", async () => {
    const { engine, field } = await ask("~/code");
    expect(field).toHaveAccessibleDescription(
      "Write the full path. It begins with /, on Windows with a drive such as C:\\.",
    );
    expect(field).toBeInvalid();
    expect(callsOf(engine, "projects.add")).toEqual([]);
  });

  it("says at the field that there is no such folder, and what to do", async () => {
    const { field } = await ask("/no/where", () => {
      throw new Fault({ code: "not_a_directory", message: "/no/where is not a directory" });
    });
    await waitFor(() =>
      expect(field).toHaveAccessibleDescription(
        "No folder found at /no/where. Check the spelling, or create the folder first.",
      ),
    );
  });
});

describe("the project on screen", () => {
  const OPENED = "/home/lin/code/forty";
  const FIRED = "/home/lin/code/demo";
  const row = (path: string): (typeof STATE.projects)[number] => ({
    path,
    name: path.split("/").pop() ?? "",
    exists: true,
  });
  afterEach(() => useFolderDialog.getState().setOpen(false));

  /** An app whose list says what `answer` gives; `hold` delays what it says until it is released. */
  const openApp = async (address: string) => {
    let listed = [...STATE.projects];
    let released: Promise<void> = Promise.resolve();
    const app = renderApp(address, {
      state: async () => {
        await released;
        return { ...STATE, projects: listed, project: listed[0]?.path ?? null };
      },
      // An event that the command line fires meanwhile puts its project first.
      "projects.add": ({ path }) => {
        listed = [row(FIRED), row(path), ...STATE.projects];
        return { path, projects: listed };
      },
      "projects.remove": ({ path }) => {
        listed = listed.filter((project) => project.path !== path);
        return { path, projects: listed };
      },
    });
    await screen.findByRole("button", { name: /^Project: orchard-api/ });
    const hold = () => {
      let release = () => {};
      released = new Promise((resolve) => {
        release = resolve;
      });
      return () => act(async () => release());
    };
    const open = async () => {
      act(() => useFolderDialog.getState().setOpen(true));
      await app.user.type(await screen.findByRole("textbox", { name: "Path of the folder" }), `${OPENED}{Enter}`);
      await screen.findByRole("button", { name: /^Project: forty/ });
    };
    return { ...app, hold, open };
  };

  it("is the one that was opened, also while the list does not hold it yet", async () => {
    const { engine, user, hold, open } = await openApp("#/fire");
    const release = hold();
    await open();
    await screen.findByRole("treeitem", { name: "example" });
    await waitFor(() => expect(screen.getByTestId("fire")).not.toHaveAttribute("aria-disabled"));
    await user.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(callsOf(engine, "fire")).toMatchObject([{ project: OPENED }]));
    await release();
    await waitFor(() => expect(callsOf(engine, "state").length).toBeGreaterThan(1));
    expect(screen.getByRole("button", { name: /^Project: forty/ })).toBeInTheDocument();
  });

  it("becomes another one when it is taken off the list", async () => {
    const { user, open } = await openApp("#/settings");
    await open();
    await user.click(screen.getByRole("button", { name: /^Project: forty/ }));
    const removes = await screen.findAllByRole("button", { name: "Remove from this list" });
    await user.click(removes[1] as HTMLElement); // the list is demo, forty, …
    expect(await screen.findByRole("button", { name: /^Project: demo/ })).toBeInTheDocument();
  });
});

describe("the palette", () => {
  it("finds a hook and what can be done with it", async () => {
    const { user } = renderApp("#/hooks");
    await screen.findByRole("grid");
    await user.keyboard("{Control>}k{/Control}");
    const palette = await screen.findByRole("dialog", { name: "Find or run" });
    await user.keyboard("guard-sh");
    expect(await within(palette).findByText("Explain guard-shell")).toBeInTheDocument();
    await user.keyboard("{Enter}");
    await waitFor(() =>
      expect(decodeURIComponent(window.location.hash)).toContain("jcli:project:pre_tool_execution:1"),
    );
  });
});

describe("the palette's actions", () => {
  const palette = async (words: string) => {
    const { user, engine } = renderApp("#/hooks");
    await screen.findByRole("grid");
    await user.keyboard("{Control>}k{/Control}");
    const dialog = within(await screen.findByRole("dialog", { name: "Find or run" }));
    await user.keyboard(words);
    return { user, engine, dialog };
  };

  it("are about the hook that is highlighted", async () => {
    const { user, dialog } = await palette("guard");
    expect(await dialog.findByText("Mute guard-prod-db for 30 min")).toBeInTheDocument();
    await user.keyboard("{ArrowDown}");
    expect(await dialog.findByText("Mute guard-shell for 30 min")).toBeInTheDocument();
  });

  it("begin with what can be done with the selected hook, and end with a search of History", async () => {
    const { user } = renderApp("#/hooks?hook=jcli:project:pre_tool_execution:1");
    await screen.findByRole("grid");
    await user.keyboard("{Control>}k{/Control}");
    const dialog = within(await screen.findByRole("dialog", { name: "Find or run" }));
    expect((await dialog.findAllByRole("option"))[0]).toHaveTextContent("Explain guard-shell");
    await user.keyboard("yesterday");
    await user.click(await dialog.findByRole("option", { name: "Search History for “yesterday”" }));
    await waitFor(() => expect(window.location.hash).toBe("#/history?q=yesterday"));
  });

  it("include settings by what they are about, and what the screen can do", async () => {
    const { user, dialog } = await palette("secrets");
    expect(await dialog.findByRole("option", { name: /^Redaction/ })).toBeInTheDocument();
    await user.clear(dialog.getByRole("combobox"));
    await user.keyboard("tree");
    expect(await dialog.findByRole("option", { name: /Show or hide tree/ })).toBeInTheDocument();
  });

  it.each([
    ["retention", /^History/],
    ["unmute", /^Hooks/],
    ["approve", /^Trust/],
  ])("find a section by what is done there: %s", async (words, section) => {
    const { dialog } = await palette(words);
    expect(await dialog.findByRole("option", { name: section })).toBeInTheDocument();
  });
});

function refuse(): never {
  throw new Fault({ code: "x", message: "settings.toml cannot be written", hint: "free some disk space" });
}

describe("language and theme", () => {
  it("change at once and are written down", async () => {
    let ui: Record<string, unknown> = {};
    const document = () => ({ values: { ui }, problems: [], path: "settings.toml" });
    const { engine, user } = renderApp("#/settings", {
      "settings.get": document,
      "settings.set": ({ key, value }) => {
        ui = { ...ui, [key.slice(3)]: value };
        return document();
      },
    });
    await user.click(await screen.findByRole("radio", { name: "简体中文" }));
    expect(await screen.findByRole("heading", { name: "设置" })).toBeInTheDocument();
    expect(document().values.ui.language).toBe("zh-CN");
    await user.click(screen.getByRole("radio", { name: "浅色" }));
    expect(globalThis.document.documentElement.dataset.theme).toBe("light");
    await user.click(screen.getByRole("radio", { name: "English" }));
    expect(await screen.findByRole("heading", { name: "Settings" })).toBeInTheDocument();
    expect(callsOf(engine, "settings.set")).toHaveLength(3);
  });

  it("are again as they are written down when writing is refused, which is told", async () => {
    const { user } = renderApp("#/settings", {
      "settings.get": { values: { ui: { theme: "dark", language: "en" } }, problems: [], path: "settings.toml" },
      "settings.set": refuse,
    });
    await user.click(await screen.findByRole("radio", { name: "Light" }));
    expect(await screen.findByText("settings.toml cannot be written · free some disk space")).toBeInTheDocument();
    await waitFor(() => expect(screen.getByRole("radio", { name: "Dark" })).toBeChecked());
    expect(globalThis.document.documentElement.dataset.theme).toBe("dark");
    await user.click(screen.getByRole("radio", { name: "简体中文" }));
    await waitFor(() => expect(screen.getByRole("radio", { name: "English" })).toBeChecked());
    expect(await screen.findByRole("heading", { name: "Settings" })).toBeInTheDocument();
  });
});

describe("the project menu", () => {
  it("tells when a project that was removed cannot be put back", async () => {
    const { user } = renderApp("#/settings", {
      "projects.remove": ({ path }) => ({ path, projects: STATE.projects }),
      "projects.add": refuse,
    });
    await user.click(await screen.findByRole("button", { name: /^Project: orchard-api/ }));
    const [remove] = await screen.findAllByRole("button", { name: "Remove from this list" });
    await user.click(remove as HTMLElement);
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    expect(await screen.findByText("settings.toml cannot be written · free some disk space")).toBeInTheDocument();
  });

  it("opens below its button, and closes by it", async () => {
    const { user } = renderApp("#/settings");
    const button = await screen.findByRole("button", { name: /^Project: orchard-api/ });
    await user.click(button);
    expect(await screen.findByRole("button", { name: /old-thing/ })).toBeInTheDocument();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("button", { name: /old-thing/ })).not.toBeInTheDocument());
    expect(button).toHaveAttribute("aria-expanded", "false");
  });
});
