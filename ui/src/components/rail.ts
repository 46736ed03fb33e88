/**
 * The line grammar of the chain rail (DESIGN section 2), the same in the step list, the mini chain and the timeline.
 *
 * solid = payload still the original · solid in the change colour = payload differs from here on · dashed = a guard let
 * go at this step · dotted = the chain has ended.
 */
import type { Outcome, Step } from "@/ipc";
import type { GlyphKind } from "./Glyph";

export type Line = "plain" | "changed" | "failed_open" | "timed_out_open" | "ended";

export interface RailStep {
  /** `planned` before the chain is run. */
  outcome: Outcome | "planned";
  /** Why it was skipped. */
  reason?: string | null;
  /** A detached step ran beside the chain and leaves the line as it was. */
  mode?: Step["mode"];
  attempts?: readonly Pick<Step["attempts"][number], "end">[];
}

export interface RailNode {
  kind: GlyphKind;
  /** The line that leads here; null at the first step. */
  before: Line | null;
  /** The line that leads on; null at the last step. */
  after: Line | null;
}

const DID_NOT_RUN: ReadonlySet<RailStep["outcome"]> = new Set<RailStep["outcome"]>([
  "not_matched",
  "skipped",
  "planned",
]);

/** Outcomes after which a chain does not go on, where nothing after them ran. */
const ENDS: ReadonlySet<RailStep["outcome"]> = new Set<RailStep["outcome"]>([
  "denied",
  "failed_closed",
  "timed_out_closed",
]);

/** How a step is drawn: a chain that ended before it leaves a dot, not an arc. */
export function glyphOf(step: RailStep): GlyphKind {
  return step.outcome === "skipped" && step.reason === "chain_ended" ? "not_reached" : step.outcome;
}

/** Whether the hook ran and was stopped before it ended. The engine calls it skipped, since that is no failure. */
export function wasStopped({ outcome, reason, attempts }: RailStep): boolean {
  return outcome === "skipped" && reason === "cancelled" && attempts?.at(-1)?.end === "cancelled";
}

export function didRun(step: RailStep): boolean {
  return !DID_NOT_RUN.has(step.outcome) || wasStopped(step);
}

/** Index of the step that ended the chain, or -1. */
function endOf(steps: readonly RailStep[]): number {
  const last = steps.findLastIndex((step) => didRun(step) && step.mode !== "detach");
  if (steps.some((step) => step.reason === "chain_ended")) return last;
  // Nothing after it came to its turn: what is below did not match anyway.
  return ENDS.has(steps[last]?.outcome ?? "allowed") ? last : -1;
}

function lineAfter(step: RailStep, changed: boolean): Line {
  if (step.mode === "detach") return changed ? "changed" : "plain";
  if (step.outcome === "failed_open") return "failed_open";
  if (step.outcome === "timed_out_open") return "timed_out_open";
  return changed ? "changed" : "plain";
}

export function railOf(steps: readonly RailStep[]): RailNode[] {
  const end = endOf(steps);
  let changed = false;
  let before: Line | null = null;
  return steps.map((step, index) => {
    if (step.outcome === "changed" && step.mode !== "detach") changed = true;
    const last = index === steps.length - 1;
    const after = last ? null : end >= 0 && index >= end ? "ended" : lineAfter(step, changed);
    const node: RailNode = { kind: glyphOf(step), before, after };
    before = after;
    return node;
  });
}

export const LINE_COLOUR: Record<Line, string> = {
  plain: "var(--line-3)",
  changed: "var(--change)",
  failed_open: "var(--fail)",
  timed_out_open: "var(--late)",
  ended: "var(--line-3)",
};

/** SVG dash pattern at the mini chain's scale. */
export const LINE_DASH: Record<Line, string | undefined> = {
  plain: undefined,
  changed: undefined,
  failed_open: "2 2",
  timed_out_open: "2 2",
  ended: "1 3",
};

/** Style of a `.stp` row for its node: classes and the two line colours. */
export function railStyle(node: RailNode): { className: string; style: Record<string, string> } {
  const classes: string[] = [];
  const style: Record<string, string> = {};
  if (node.before === "failed_open" || node.before === "timed_out_open") classes.push("after-open");
  if (node.after === "failed_open" || node.after === "timed_out_open") classes.push("open");
  if (node.before === "ended") classes.push("not-reached");
  else if (node.after === "ended") classes.push("stop");
  if (node.before && node.before !== "ended") style["--in"] = LINE_COLOUR[node.before];
  if (node.after && node.after !== "ended") style["--out"] = LINE_COLOUR[node.after];
  return { className: classes.join(" "), style };
}
