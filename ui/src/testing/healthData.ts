/** Hooks that do not do what they are for, and what the engine says of them. */
import type { Health, HookRow, Need, SourceRow, StatusDoc } from "@/ipc/types";
import type { Rows } from "./listed";
import { HOOKS, PROJECT_FILE, PROJECT_LIST } from "./sampleHooks";

export const BARE_HOOK = HOOKS[0] as HookRow;

const plain = (state: Health["state"]): Health => ({ state, code: null, args: {}, at: null });

export const SINCE = "2026-11-20T14:31:00Z";
/** A file that does not parse, and whose hooks the agent does not run. */
export const NOT_IN_AGENT: Health = {
  state: "lost",
  code: "last_good",
  args: { line: 22, since: SINCE, agent: "runs_none" },
  at: SINCE,
};
export const NOT_INSTALLED: Health = {
  state: "cannot_start",
  code: "entry_missing",
  // biome-ignore lint/suspicious/noThenProperty: it is a hole of the sentence
  args: { case: "not_installed", name: "python4", then: "the agent continues" },
  at: null,
};

/** One of each, in the engine's order. */
export const HEALTHS: readonly Health[] = [
  NOT_IN_AGENT,
  plain("off"),
  NOT_INSTALLED,
  { state: "broken", code: "other_code", args: {}, at: null },
  { state: "failing", code: "failing", args: { runs: 7, failed: 7 }, at: null },
  plain("needs_review"),
  plain("muted"),
  plain("ready"),
];

/** `hookwright status` of a list, as far as hooks and older versions of files go. */
export function statusOf({ hooks, sources }: Rows): StatusDoc {
  const faults: readonly Health["state"][] = ["lost", "cannot_start", "broken", "failing"];
  const older = sources.filter(({ health }) => health.code === "last_good");
  const needs: Need[] = [
    ...older.map(
      ({ path, dialect, health }): Need => ({
        kind: "source",
        code: "last_good",
        args: { dialect, state: "lost", reason: { code: health.code, args: health.args } },
        hook: null,
        path,
        line: 22,
        since: SINCE,
      }),
    ),
    ...faults
      .flatMap((state) => hooks.filter((row) => row.health.state === state))
      .sort((a, b) => Number(b.guard) - Number(a.guard))
      .map((row) => needOf("health", row)),
    ...hooks.filter((row) => row.health.state === "needs_review").map((row) => needOf("review", row)),
  ];
  const grave = needs.filter(({ kind, args }) => kind === "source" || (kind === "health" && args.guard)).length;
  const counts: StatusDoc["counts"] = {};
  for (const { health } of hooks) counts[health.state] = (counts[health.state] ?? 0) + 1;
  const reviews = needs.filter(({ kind }) => kind === "review").length;
  const verdict: StatusDoc["verdict"] =
    grave > 0
      ? { code: "guards_fail", args: { count: grave } }
      : reviews > 0
        ? { code: "review", args: { count: reviews } }
        : hooks.length === 0
          ? { code: "no_hooks", args: {} }
          : { code: "calm", args: { count: hooks.length } };
  return { verdict, needs, counts };
}

function needOf(kind: Need["kind"], { hook, label, event, guard, health, path, line }: HookRow): Need {
  const reason = { code: health.code, args: health.args };
  return {
    kind,
    code: health.state,
    args: { label, event, state: health.state, guard, reason },
    hook,
    path,
    line,
    since: health.at,
  };
}

/** Two guards that cannot start. */
export const CANNOT_START: Rows = {
  ...PROJECT_LIST,
  hooks: HOOKS.map((row) => (row.guard ? { ...row, health: NOT_INSTALLED } : row)),
};

/** The project's file does not parse: every hook of it is lost to the agent. */
export const BROKEN_FILE: Rows = {
  ...PROJECT_LIST,
  hooks: HOOKS.map((row) => (row.path === PROJECT_FILE ? { ...row, health: NOT_IN_AGENT } : row)),
  sources: PROJECT_LIST.sources.map(
    (source): SourceRow =>
      source.path === PROJECT_FILE
        ? { ...source, last_good: true, last_good_since: SINCE, health: NOT_IN_AGENT }
        : source,
  ),
};
