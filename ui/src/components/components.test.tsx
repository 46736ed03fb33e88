import { QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Zap } from "lucide-react";
import { useState } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createQueryClient } from "@/ipc";
import type { Step } from "@/ipc/types";
import { useView } from "@/lib/view";
import { TRACE } from "@/testing/sampleData";
import { Button } from "./Button";
import { Tabs } from "./Choice";
import { DataTable } from "./DataTable";
import { Confirm } from "./Dialog";
import { GateList } from "./GateList";
import { Menu } from "./Menu";
import { MiniChain } from "./MiniChain";
import { Select } from "./Select";
import { answerLine } from "./step";
import { Timeline } from "./Timeline";
import { parseToken, type Token, TokenInput, tokenText } from "./TokenInput";
import { Cut, TooltipProvider } from "./Tooltip";

function show(element: React.ReactNode) {
  return render(
    <QueryClientProvider client={createQueryClient()}>
      <TooltipProvider>{element}</TooltipProvider>
    </QueryClientProvider>,
  );
}

afterEach(() => vi.restoreAllMocks());

const nothing = () => undefined;

function Tokens() {
  const [tokens, setTokens] = useState<Token[]>([{ field: "event", value: "stop" }]);
  return <TokenInput label="Filter" placeholder="field, value" tokens={tokens} onChange={setTokens} />;
}

/** Everything outside of the list on show that the keyboard could get to. */
function reachable(list: HTMLElement): Element[] {
  const all = document.querySelectorAll("button, a[href], input, [tabindex]:not([tabindex='-1'])");
  return [...all].filter((element) => !list.contains(element) && element.closest("[inert]") === null);
}

describe("a list over the page", () => {
  const page = (list: React.ReactNode) => (
    <div>
      <button type="button">Behind</button>
      {list}
    </div>
  );

  const menu = (
    <Menu items={[{ label: "Copy", run: () => undefined }]}>
      <button type="button">More</button>
    </Menu>
  );
  const select = <Select label="More" options={[{ value: "a", label: "A" }]} value="a" onChange={() => undefined} />;
  it.each([
    ["menu", menu, "button"],
    ["listbox", select, "combobox"],
  ])("keeps the focus out of the page while a %s is open, and gives it back", async (role, list, opens) => {
    const user = userEvent.setup();
    show(page(list));
    const opener = screen.getByRole(opens, { name: "More" });
    opener.focus();
    await user.keyboard("{Enter}");
    const open = await screen.findByRole(role);
    await waitFor(() => expect(reachable(open)).toEqual([]));
    await user.keyboard("{Escape}");
    await waitFor(() => expect(opener).toHaveFocus());
    expect(document.querySelector("[inert]")).toBeNull();
  });
});

describe("a question on a page with a closed list", () => {
  function Asking() {
    const [open, setOpen] = useState(false);
    const close = () => setOpen(false);
    return (
      <>
        <Select label="More" options={[{ value: "a", label: "A" }]} value="a" onChange={() => undefined} />
        <Confirm open={open} icon={Zap} title="Sure?" safeLabel="No" doLabel="Yes" onClose={close} onDo={close}>
          Text
        </Confirm>
        <button type="button" onClick={() => setOpen(true)}>
          Ask
        </button>
      </>
    );
  }

  it("gives the page back when it is answered", async () => {
    const user = userEvent.setup();
    show(<Asking />);
    await user.click(screen.getByRole("button", { name: "Ask" }));
    await user.click(await screen.findByRole("button", { name: /No/ }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect(document.querySelector("[inert]")).toBeNull();
  });
});

describe("the mini chain", () => {
  it("names every step", () => {
    show(
      <MiniChain
        steps={[
          { outcome: "changed" },
          { outcome: "failed_open" },
          { outcome: "denied" },
          { outcome: "skipped", reason: "chain_ended" },
        ]}
      />,
    );
    expect(screen.getByRole("img")).toHaveAccessibleName("Changed, Failed · open, Denied, Not reached");
  });

  it("shows of a long chain its beginning, the step that decided and what that ended", () => {
    const many = Array.from({ length: 36 }, () => ({ outcome: "no_opinion" as const }));
    const { container } = show(
      <MiniChain steps={[...many, { outcome: "denied" }, { outcome: "skipped", reason: "chain_ended" }]} />,
    );
    expect(container.querySelectorAll("svg > g")).toHaveLength(4);
    expect(screen.getByText("+34")).toBeInTheDocument();
  });
});

describe("the step list", () => {
  it("puts in brackets what ran beside the chain, and says what was added rather than rewritten", () => {
    const [step] = TRACE.steps;
    if (step === undefined) throw new Error("no step");
    const steps: Step[] = [
      { ...step, hook: "a", outcome: "failed_open", mode: "detach", reason: "exit 1", edits: [] },
      {
        ...step,
        hook: "b",
        handler: "insert",
        attempts: [],
        edits: [{ field: "messages", before: null, after: { role: "user", content: "hi" } }],
      },
    ];
    show(<Timeline steps={steps} took={100} selected={null} onSelect={nothing} />);
    expect(screen.getByText("[Failed · open]")).toBeInTheDocument();
    expect(screen.getByText("added messages")).toBeInTheDocument();
  });

  it("says of each step what it did and how long it took", () => {
    show(<Timeline steps={TRACE.steps} took={TRACE.took_ms} selected={null} onSelect={nothing} />);
    const rows = within(screen.getByRole("list", { name: "Steps" })).getAllByRole("button");
    expect(rows[0]).toHaveTextContent("normalize-paths41 msChangedchanged tool_arguments");
    expect(rows[1]).toHaveTextContent("exit 127, jq: command not found");
    expect(rows[1]).toHaveTextContent("Failed · open");
    expect(rows[4]).toHaveTextContent("Not matchedtool_name is Bash, wanted psql");
  });

  it("opens what a step did under its row, several at once", async () => {
    const user = userEvent.setup();
    function Opened() {
      const [at, setAt] = useState<number | null>(0);
      return (
        <Timeline
          steps={TRACE.steps}
          took={TRACE.took_ms}
          selected={at}
          onSelect={setAt}
          detail={(step) => `detail of ${step.label}`}
        />
      );
    }
    show(<Opened />);
    await user.click(screen.getByRole("button", { name: /audit-log/ }));
    expect(screen.getByText("detail of normalize-paths")).toBeInTheDocument();
    expect(screen.getByText("detail of audit-log")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: /audit-log/ }));
    expect(screen.queryByText("detail of audit-log")).toBeNull();
    expect(screen.getByText("detail of normalize-paths")).toBeInTheDocument();
  });

  it("folds the hooks for other calls of a long chain into one row", async () => {
    const user = userEvent.setup();
    const [step] = TRACE.steps;
    if (step === undefined) throw new Error("no step");
    const steps = Array.from({ length: 40 }, (_, at) => ({
      ...step,
      hook: `h${at}`,
      label: `hook ${at}`,
      outcome: at === 38 ? ("denied" as const) : ("not_matched" as const),
      attempts: at === 38 ? step.attempts : [],
    }));
    show(<Timeline steps={steps} took={100} selected={38} onSelect={nothing} />);
    expect(screen.getByRole("button", { name: /hook 38/ })).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "1 hook for other calls" })).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "38 hooks for other calls" }));
    expect(screen.getByRole("button", { name: /hook 12/ })).toBeInTheDocument();
  });
});

describe("an answer on one line", () => {
  it("names its fields, and stays as printed when it is no object", () => {
    expect(answerLine('{"action": "skip", "system_message": "no"}\n')).toBe("action: skip, system_message: no");
    expect(answerLine("{}")).toBe("{}");
    expect(answerLine("plain words")).toBe("plain words");
  });
});

describe("the gates", () => {
  it("open the first that failed and leave the rest unchecked", () => {
    show(
      <GateList
        label="Gates"
        gates={
          [
            { gate: "valid", pass: true },
            { gate: "trusted", pass: true },
            { gate: "enabled", pass: true },
            { gate: "event", pass: true },
            { gate: "filter", pass: false, why: "wants Bash, got bash", near_miss: "case" },
          ] as never
        }
      />,
    );
    const items = screen.getAllByRole("listitem");
    expect(items[0]).toHaveTextContent("4 checks passed");
    expect(items[1]).toHaveTextContent("The condition does not match");
    expect(items[1]).toHaveTextContent("Differs only in upper and lower case.");
    expect(items[2]).toHaveTextContent("not checked");
  });
});

describe("a filter token", () => {
  it("is read as the query language writes it", () => {
    expect(parseToken("-event:llm_delta")).toEqual({ field: "event", value: "llm_delta", negated: true });
    expect(parseToken('text:"drop table"')).toEqual({ field: "text", value: "drop table", negated: false });
    expect(parseToken("word")).toEqual({ field: null, value: "word", negated: false });
    expect(parseToken("event:")).toBeNull();
    expect(tokenText({ field: "text", value: "drop table" })).toBe('text:"drop table"');
    const quoting = { field: "text", value: 'say "no"', negated: false };
    expect(tokenText(quoting)).toBe('text:"say \\"no\\""');
    expect(parseToken(tokenText(quoting))).toEqual(quoting);
    const folder = { field: "text", value: "C:\\my files\\", negated: false };
    expect(tokenText(folder)).toBe('text:"C:\\\\my files\\\\"');
    expect(parseToken(tokenText(folder))).toEqual(folder);
  });

  it("is taken away by Backspace and edited by Enter", async () => {
    const user = userEvent.setup();
    show(<Tokens />);
    const input = screen.getByLabelText("Filter");
    await user.type(input, "tool:Bash ");
    expect(screen.getByRole("button", { name: "tool:Bash" })).toBeInTheDocument();
    await user.type(input, "{Backspace}");
    expect(screen.queryByRole("button", { name: "tool:Bash" })).not.toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "event:stop" }));
    expect(input).toHaveValue("event:stop");
  });
});

describe("the suggestions of a filter", () => {
  const values = [
    { text: "event:", about: "an event" },
    { text: "event:stop", about: "of one agent" },
    { text: "event:stop", about: "of another" },
    { text: "event:start", about: "" },
  ];

  function Suggesting({ first = [] }: { first?: Token[] }) {
    const [tokens, setTokens] = useState<Token[]>(first);
    const suggest = (text: string) => values.filter((one) => one.text.startsWith(text));
    return <TokenInput label="Filter" placeholder="" tokens={tokens} onChange={setTokens} suggest={suggest} />;
  }

  const listed = () => screen.queryAllByRole("option").map((one) => one.querySelector(".mono")?.textContent);
  const input = () => screen.getByRole("combobox", { name: "Filter" });

  it("have each text once, and none of them stays when it no longer fits", async () => {
    const user = userEvent.setup();
    show(<Suggesting />);
    await user.type(input(), "event:s");
    expect(listed()).toEqual(["event:stop", "event:start"]);
    await user.type(input(), "ta");
    expect(listed()).toEqual(["event:start"]);
    await user.clear(input());
    await user.type(input(), "x");
    expect(listed()).toEqual([]);
  });

  it("close with Enter, so that they do not cover what was found, and open with the next key", async () => {
    const user = userEvent.setup();
    show(<Suggesting />);
    await user.type(input(), "event:st{Enter}");
    expect(screen.getByRole("button", { name: "event:stop" })).toBeInTheDocument();
    expect(listed()).toEqual([]);
    expect(input()).toHaveFocus();
    await user.keyboard("{ArrowDown}");
    expect(listed()).toEqual(["event:", "event:stop", "event:start"]);
  });

  it("are gone through with the arrow keys", async () => {
    const user = userEvent.setup();
    show(<Suggesting />);
    await user.type(input(), "event:st{ArrowDown}{Enter}");
    expect(screen.getByRole("button", { name: "event:start" })).toBeInTheDocument();
  });

  it("are not taken for a text that none of them fits", async () => {
    const user = userEvent.setup();
    show(<Suggesting />);
    await user.type(input(), "e{Backspace}tool:Bash{Enter}");
    expect(screen.getByRole("button", { name: "tool:Bash" })).toBeInTheDocument();
  });

  it("leave a token that comes twice as two, each of which can be removed", async () => {
    const user = userEvent.setup();
    const twice = { field: "tool", value: "Bash" };
    show(<Suggesting first={[twice, twice]} />);
    const [first] = screen.getAllByRole("button", { name: "Remove tool:Bash" });
    await user.click(first as HTMLElement);
    expect(screen.getAllByRole("button", { name: "Remove tool:Bash" })).toHaveLength(1);
  });
});

describe("the times of a chain as a picture", () => {
  it("let the keyboard choose a step, with one stop of the Tab key", async () => {
    const user = userEvent.setup();
    function Chosen() {
      const [selected, setSelected] = useState<number | null>(null);
      return (
        <Timeline
          steps={TRACE.steps}
          took={TRACE.took_ms}
          selected={selected}
          onSelect={setSelected}
          detail={() => "detail"}
        />
      );
    }
    show(<Chosen />);
    const rows = within(screen.getByRole("list", { name: "Steps" })).getAllByRole("button");
    await user.tab();
    expect(rows[0]).toHaveFocus();
    expect(rows[0]).toHaveAttribute("aria-expanded", "false");
    for (const [key, at] of [
      ["{ArrowDown}", 1],
      ["{End}", rows.length - 1],
      ["{ArrowDown}", rows.length - 1],
      ["{ArrowUp}", rows.length - 2],
      ["{Home}", 0],
    ] as const) {
      await user.keyboard(key);
      expect(rows[at]).toHaveFocus();
    }
    await user.keyboard("{Enter}");
    expect(rows[0]).toHaveAttribute("aria-expanded", "true");
    expect(rows.filter((row) => row.tabIndex === 0)).toHaveLength(1);
  });
});

describe("the times of a chain as a table", () => {
  it("let the keyboard choose a step", async () => {
    const chosen = vi.fn();
    const user = userEvent.setup();
    useView.setState({ asTable: true });
    show(<Timeline steps={TRACE.steps} took={TRACE.took_ms} selected={0} onSelect={chosen} />);
    const [first, second] = TRACE.steps.map((step) => screen.getByRole("button", { name: step.label }));
    expect(first).toHaveAttribute("aria-current", "step");
    second?.focus();
    await user.keyboard("{Enter}");
    expect(chosen).toHaveBeenCalledWith(1);
    act(() => useView.setState({ asTable: false }));
  });
});

describe("a table", () => {
  it("has a head for each part of a group that comes several times", () => {
    const error = vi.spyOn(console, "error");
    const rows = ["a1", "b1", "a2"];
    show(
      <DataTable
        label="Rows"
        columns={[{ id: "name", head: "Name", cell: (row: string) => row }]}
        rows={rows}
        rowKey={(row) => row}
        rowHeight={20}
        groupOf={(row) => [{ key: row.charAt(0), content: `Group ${row.charAt(0)}` }]}
        selected={null}
        onSelect={() => undefined}
      />,
    );
    expect(screen.getAllByText("Group a")).toHaveLength(2);
    expect(error).not.toHaveBeenCalled();
    error.mockRestore();
  });
});

describe("rows that are folded", () => {
  it("are one line until it is opened, and lie open around the selected row", async () => {
    const user = userEvent.setup();
    const table = (selected: string | null) => (
      <DataTable
        label="Rows"
        columns={[{ id: "name", head: "Name", cell: (row: string) => row }]}
        rows={["hook 1", "empty 1", "empty 2", "hook 2", "empty 3"]}
        rowKey={(row) => row}
        rowHeight={20}
        fold={{ folds: (row) => row.startsWith("empty"), text: (count) => `${count} folded` }}
        selected={selected}
        onSelect={() => undefined}
      />
    );
    const { rerender } = render(table(null), { wrapper: TooltipProvider });
    expect(screen.queryByText("empty 1")).toBeNull();
    const line = screen.getByRole("button", { name: "2 folded", expanded: false });
    await user.click(line);
    expect(screen.getByText("empty 2")).toBeInTheDocument();
    await user.click(line);
    expect(screen.queryByText("empty 1")).toBeNull();
    rerender(table("empty 3"));
    expect(screen.getByText("empty 3")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "1 folded", expanded: true })).toBeInTheDocument();
  });
});

describe("a button that cannot be pressed", () => {
  it("stays reachable, says so, and does nothing", async () => {
    const pressed = vi.fn();
    const user = userEvent.setup();
    show(
      <Button disabledBecause="Nothing to fire yet." onClick={pressed}>
        Fire
      </Button>,
    );
    const button = screen.getByRole("button", { name: "Fire" });
    expect(button).toHaveAttribute("aria-disabled", "true");
    await user.tab();
    expect(await screen.findByRole("tooltip")).toHaveTextContent("Nothing to fire yet.");
    await user.click(button);
    expect(pressed).not.toHaveBeenCalled();
  });
});

describe("a text without room", () => {
  const widths = (inner: number, outer: number) => {
    vi.spyOn(HTMLElement.prototype, "scrollWidth", "get").mockReturnValue(inner);
    vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(outer);
  };

  it("is said in full by a tooltip where it is cut", async () => {
    widths(300, 100);
    show(<Cut text="guard-production-database" />);
    await userEvent.hover(screen.getByText("guard-production-database"));
    expect(await screen.findByRole("tooltip")).toHaveTextContent("guard-production-database");
  });

  it("is not said again where all of it is on the page", async () => {
    widths(100, 100);
    show(
      <>
        <Cut text="guard" />
        <Cut text="/home/ada/demo/hooks.yaml">hooks.yaml</Cut>
      </>,
    );
    await userEvent.hover(screen.getByText("guard"));
    // The short form of another text is always explained; its tooltip comes no sooner than the one that is not expected.
    await userEvent.hover(screen.getByText("hooks.yaml"));
    expect((await screen.findAllByRole("tooltip")).map((tip) => tip.textContent)).toEqual([
      "/home/ada/demo/hooks.yaml",
    ]);
  });
});

describe("a tab without content", () => {
  it("is reached with the arrow keys, says why it is empty, and is not opened", async () => {
    const choose = vi.fn();
    const user = userEvent.setup();
    show(
      <Tabs
        id="t"
        label="Output"
        value="stdout"
        onChange={choose}
        items={[
          { value: "stdout", label: "stdout" },
          { value: "stderr", label: "stderr", disabledBecause: "stderr is empty." },
        ]}
      />,
    );
    await user.tab();
    await user.keyboard("{ArrowRight}");
    const tab = screen.getByRole("tab", { name: "stderr" });
    expect(tab).toHaveFocus();
    await user.hover(tab);
    expect(await screen.findByRole("tooltip")).toHaveTextContent("stderr is empty.");
    await user.click(tab);
    expect(choose).not.toHaveBeenCalled();
  });
});

describe("what a long-lived process answered", () => {
  it("is told without its envelope", () => {
    expect(answerLine('{"jsonrpc":"2.0","id":3,"result":{"action":"deny_tool","reason":"no"}}')).toBe(
      "action: deny_tool, reason: no",
    );
    expect(answerLine('{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"broken"}}')).toBe(
      "code: 1, message: broken",
    );
    expect(
      answerLine('{"type":"control_response","response":{"subtype":"success","response":{"decision":"block"}}}'),
    ).toBe("decision: block");
    expect(answerLine('{"result":"kept"}')).toBe("result: kept");
  });
});
