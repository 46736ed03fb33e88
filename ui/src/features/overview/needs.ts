/** What needs the user, worst first: guards that failed open, hooks that wait, file problems, and what is close to that. */
import { startsNothing } from "@/components";
import { ALARM_AT } from "@/components/chart";
import { allStatsOf, canBlock, type Facts, isFailing, rowKey, statsOf, willRun } from "@/domain/hooks/facts";
import type { HookRow, HookStats, HooksDocument, Problem, State, TrustItem } from "@/ipc";

/** From the worst to the mildest; the verdict and the list go by this order. */
export const NEED_KINDS = ["open", "waiting", "file", "failing", "limit", "config"] as const;
export type NeedKind = (typeof NEED_KINDS)[number];

export type ConfigNeed = "store" | "watching" | "model" | "settings";

export type Need =
  | { kind: "open"; key: string; hook: HookRow; failed: number; timedOut: number; runs: number }
  | { kind: "waiting"; key: string; count: number; changed: number; first: string }
  | { kind: "file"; key: string; problem: Problem; more: number }
  | { kind: "failing"; key: string; hook: HookRow }
  | { kind: "limit"; key: string; hook: HookRow; p95: number; timedOut: number; runs: number }
  | { kind: "config"; key: string; what: ConfigNeed };

export interface Seen {
  document: HooksDocument;
  /** Of the chosen range. */
  facts: Facts;
  pending: readonly TrustItem[];
  state: State;
  /** Problems of Hookwright's own settings. */
  settingsProblems: number;
}

export function outcomeOf(
  stats: readonly Pick<HookStats, "outcomes">[],
  ...kinds: (keyof HookStats["outcomes"])[]
): number {
  return stats.reduce((sum, one) => sum + kinds.reduce((part, kind) => part + (one.outcomes[kind] ?? 0), 0), 0);
}

function runsOf(stats: readonly HookStats[]): number {
  return stats.reduce((sum, one) => sum + one.runs, 0);
}

/** Guards that failed open since, most often first. What does not run now is no longer a guard. */
function openGuards({ document, facts }: Seen): Need[] {
  const found = document.hooks.flatMap((hook): (Need & { kind: "open" })[] => {
    if (!canBlock(hook) || !willRun(hook)) return [];
    const stats = allStatsOf(facts, hook);
    const failed = outcomeOf(stats, "failed_open");
    const timedOut = outcomeOf(stats, "timed_out_open");
    if (failed + timedOut === 0) return [];
    return [{ kind: "open", key: `open ${rowKey(hook)}`, hook, failed, timedOut, runs: runsOf(stats) }];
  });
  return found.sort((a, b) => b.failed + b.timedOut - (a.failed + a.timedOut));
}

function waiting({ pending }: Seen): Need[] {
  const first = pending[0];
  if (first === undefined) return [];
  const changed = pending.filter((item) => item.old !== null).length;
  return [{ kind: "waiting", key: "waiting", count: pending.length, changed, first: first.hook }];
}

/** Files with errors: one need for each, with the first error. */
function brokenFiles({ document }: Seen): Need[] {
  const files = new Map<string, Need & { kind: "file" }>();
  document.problems.forEach((problem) => {
    if (problem.severity !== "error") return;
    const known = files.get(problem.path);
    if (known !== undefined) known.more += 1;
    else files.set(problem.path, { kind: "file", key: `file ${problem.path}`, problem, more: 0 });
  });
  return [...files.values()];
}

/** Hooks of which every run of their last busy hour failed; a guard that failed open is named as such already. */
function failing({ document, facts }: Seen, open: ReadonlySet<string>): Need[] {
  return document.hooks.flatMap((hook): Need[] => {
    const isNamed = open.has(rowKey(hook)) || !willRun(hook);
    return isNamed || !isFailing(statsOf(facts, hook))
      ? []
      : [{ kind: "failing", key: `failing ${rowKey(hook)}`, hook }];
  });
}

function nearLimit({ document, facts }: Seen, named: ReadonlySet<string>): Need[] {
  const found = document.hooks.flatMap((hook): (Need & { kind: "limit" })[] => {
    if (!willRun(hook) || startsNothing(hook.handler) || named.has(rowKey(hook))) return [];
    const stats = statsOf(facts, hook);
    if (stats === undefined || stats.runs === 0) return [];
    const { p95_ms: p95, timeouts: timedOut, runs } = stats;
    if (timedOut === 0 && p95 < hook.timeout_ms * ALARM_AT) return [];
    return [{ kind: "limit", key: `limit ${rowKey(hook)}`, hook, p95, timedOut, runs }];
  });
  return found.sort((a, b) => b.p95 / b.hook.timeout_ms - a.p95 / a.hook.timeout_ms);
}

/** What of Hookwright's own state keeps it from doing its work. */
function configuration({ document, state, settingsProblems }: Seen): Need[] {
  const prompts = document.hooks.some((hook) => hook.handler === "prompt" && willRun(hook));
  const wrong: [ConfigNeed, boolean][] = [
    ["store", !state.store.ok],
    ["watching", !state.watching.live],
    ["model", prompts && !state.model.configured],
    ["settings", settingsProblems > 0],
  ];
  return wrong.flatMap(([what, isWrong]): Need[] => (isWrong ? [{ kind: "config", key: `config ${what}`, what }] : []));
}

export function needsOf(seen: Seen): Need[] {
  const open = openGuards(seen);
  const named = new Set(open.flatMap((need) => (need.kind === "open" ? [rowKey(need.hook)] : [])));
  const failed = failing(seen, named);
  for (const need of failed) if (need.kind === "failing") named.add(rowKey(need.hook));
  return [
    ...open,
    ...waiting(seen),
    ...brokenFiles(seen),
    ...failed,
    ...nearLimit(seen, named),
    ...configuration(seen),
  ];
}
