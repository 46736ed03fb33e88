/** What the engine says of edits of the invented project: nothing is wrong, and every edit can be undone. */
import type { HookRow, Reply } from "@/ipc/types";
import { changesOf } from "./changes";
import type { Script } from "./fakeEngine";
import { GROUPED, LISTED } from "./sampleDefinitions";

/** A unified diff that replaces one line by others. */
export function diffOf(path: string, line: number, before: string, after: readonly string[]): string {
  const added = after.map((text) => `+${text}\n`).join("");
  return `--- ${path}\n+++ ${path}\n@@ -${line},1 +${line},${after.length} @@\n-${before}\n${added}`;
}

export function edited(hook: string | null, part: Partial<Reply<"edit.save">> = {}): Reply<"edit.save"> {
  const nothing = { moved: {}, path: "", diff: "", problems: [], trashed: null };
  return { ...nothing, hook, written: true, edit: "E1", undo: "E1", ...part, changes: changesOf(part.diff ?? "") };
}

/** As a dry run answers. */
export function planned(hook: string | null, diff: string): Reply<"edit.save"> {
  return edited(hook, { diff, written: false, edit: null, undo: null });
}

/** The check of a text without problems. */
export function checked(path: string, hooks: readonly HookRow[], hash: string | null): Reply<"edit.check"> {
  return {
    path,
    dialect: "jcli",
    parses: true,
    problems: [],
    hooks: [...hooks],
    lines: hooks.map(({ hook, line }) => ({ hook, line, end_line: line + 3, fields: [] })),
    same_base: true,
    hash,
  };
}

/** A hook in another dialect, with two losses. */
function converted(hook: string, to: string, folder: string | null, dry: boolean): Reply<"hooks.convert"> {
  const path = `${folder}/.${to}/settings.json`;
  const diff = `--- /dev/null\n+++ ${path}\n@@ -0,0 +1,2 @@\n+{\n+}\n`;
  const change = dry ? planned(null, diff) : edited(null, { path, diff });
  return {
    files: [{ path, text: "{\n}\n", mode: "0600" }],
    loss: [
      {
        hook,
        code: "convert_unit",
        message: "the timeout of 5 s is written as 5000 ms: PicoClaw counts in ms",
        hint: null,
        args: { written: "5 s", other: "5000 ms", to: "PicoClaw", unit: "ms" },
      },
      {
        hook,
        code: "convert_payload_missing",
        message: "the payload of before_tool does not contain `cwd`",
        hint: "check whether the script reads them",
        args: { other: "before_tool", fields: "`cwd`" },
      },
    ],
    unconverted: 0,
    written: !dry,
    change,
  };
}

export const NOTHING_MATCHED: Reply<"history.match"> = {
  looked_at: 0,
  matches: 0,
  matched: [],
  near: [],
  without_payload: 0,
  incomplete: false,
};

export function editReplies(): Script {
  return {
    definitions: { definitions: [LISTED, GROUPED] },
    "edit.check": ({ path, base }) => checked(path, [], base ?? null),
    "edit.fields": ({ text, hook }) => ({ text, hook }),
    "edit.save": ({ path, hook, dry_run }) =>
      dry_run
        ? planned(
            hook ?? null,
            diffOf(path, 4, "    command: ./guard-prod-db.sh", ["    command: ./guard.sh", "    timeout: 5"]),
          )
        : edited(hook ?? null, { path }),
    "hooks.convert": ({ hook, to, folder, dry_run }) => converted(hook, to, folder, dry_run === true),
    "edit.add": ({ event, layer, dialect, dry_run }) => {
      const id = `${dialect}:${layer}:${event}:9`;
      const diff = "--- /dev/null\n+++ /home/me/hooks.yaml\n@@ -0,0 +1,2 @@\n+stop:\n+  - command: true\n";
      return dry_run ? planned(id, diff) : edited(id);
    },
    "edit.change": ({ hook, dry_run }) =>
      dry_run
        ? planned(hook, diffOf("/home/me/hooks.yaml", 6, "      tool_name: psql", ["      tool_name: Bash"]))
        : edited(hook),
    "edit.undo": {
      edit: "E2",
      undone: "E1",
      what: "save",
      hook: null,
      path: "",
      files: [],
      diff: "",
      trashed: null,
    },
    "history.match": NOTHING_MATCHED,
  };
}
