/** What needs the user, as the engine lists it: in words, and where it is put right. The engine decides what and in which order. */
import { problemKey } from "@/domain/hooks/problemKey";
import type { HealthState, HooksDocument, Need } from "@/ipc";
import type { Target } from "@/routes/router";

/** A fault of a hook, the only states of needs that are about its health. */
const FAULTS = ["lost", "cannot_start", "broken", "failing"] as const;
export type FaultState = (typeof FAULTS)[number];

export function textArg(need: Need, name: string): string {
  const value = need.args[name];
  return typeof value === "string" ? value : "";
}

export function stateOf(need: Need): HealthState | undefined {
  return textArg(need, "state") === "" ? undefined : (textArg(need, "state") as HealthState);
}

export function faultOf(need: Need): FaultState | undefined {
  return FAULTS.find((state) => state === stateOf(need));
}

export function isGuard(need: Need): boolean {
  return need.args.guard === true;
}

/** Why, as a message of the engine. */
export function reasonOf(need: Need): { code: string; args: Record<string, unknown> } | null {
  const reason = need.args.reason as { code?: unknown; args?: unknown } | null | undefined;
  if (typeof reason?.code !== "string") return null;
  return { code: reason.code, args: (reason.args ?? {}) as Record<string, unknown> };
}

/** What one part of the sentence is about. */
export type PartKind =
  | "file"
  | `guard.${FaultState}`
  | `hook.${FaultState}`
  | "gone"
  | "unguarded"
  | "review"
  | "settings"
  | "engine"
  | "other";

function partOf(need: Need): PartKind {
  const fault = faultOf(need);
  switch (need.kind) {
    case "source":
      return "file";
    case "health":
      return fault === undefined ? "other" : `${isGuard(need) ? "guard" : "hook"}.${fault}`;
    case "review":
      return "review";
    case "settings":
    case "gone":
    case "unguarded":
    case "engine":
      return need.kind;
    case "issue":
      return "other";
  }
}

export interface VerdictPart {
  kind: PartKind;
  needs: Need[];
}

/** So many parts are still one plain sentence; the list beside it has the rest. */
const MOST_PARTS = 3;

/**
 * The parts of the sentence, in the order of the list. A file that is lost is named once: its hooks, which the list names
 * too, are not counted again.
 */
export function partsOf(needs: readonly Need[]): VerdictPart[] {
  const files = new Set(needs.flatMap(({ kind, path }) => (kind === "source" && path !== null ? [path] : [])));
  const parts = new Map<PartKind, VerdictPart>();
  for (const need of needs) {
    if (need.kind === "health" && stateOf(need) === "lost" && need.path !== null && files.has(need.path)) continue;
    const kind = partOf(need);
    const part = parts.get(kind);
    if (part === undefined) parts.set(kind, { kind, needs: [need] });
    else part.needs.push(need);
  }
  return [...parts.values()].slice(0, MOST_PARTS);
}

/** Where it can be looked at and put right. */
export function targetOf(need: Need, document: HooksDocument | undefined): Target {
  switch (need.kind) {
    case "source": {
      const problem = document?.problems.find(({ path, severity }) => path === need.path && severity === "error");
      return { to: "/hooks", search: { view: "problems", problem: problem && problemKey(problem) } };
    }
    case "review":
      return { to: "/trust", search: { hook: need.hook ?? undefined } };
    case "settings":
    case "engine":
      return { to: "/settings", search: { section: "general" } };
    case "unguarded":
      return { to: "/history", search: { q: `hook:${need.hook} outcome:failed_open,timed_out_open since:1d` } };
    case "gone":
      return { to: "/hooks", search: { view: "edits" } };
    case "health":
    case "issue":
      return {
        to: "/hooks",
        search: { hook: need.hook ?? undefined, ...(stateOf(need) === "failing" ? { tab: "runs" as const } : {}) },
      };
  }
}
