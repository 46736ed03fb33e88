/** Two chains beside each other: which steps are the same hook's, and in what they differ. */
import { stepTook } from "@/components";
import type { Step, Trace } from "@/ipc";
import { toJson } from "@/lib/exactJson";

export interface Differences {
  /** Another outcome, or only one of the chains has the step. */
  outcome: boolean;
  /** It printed, changed or gave as its reason something else. */
  output: boolean;
  /** The later one's time less the earlier one's, in ms, when that is worth a word; null otherwise. */
  time: number | null;
}

export interface Pair {
  earlier: Step | null;
  later: Step | null;
  differs: Differences;
}

/** Times differ in every run: what is below these is noise. */
const SIGNIFICANT_MS = 10;
const SIGNIFICANT_FACTOR = 1.5;

/** `after - before` when it is worth a word. */
export function significantDelta(before: number | null, after: number | null): number | null {
  if (before === null || after === null) return null;
  const more = Math.max(before, after);
  const less = Math.min(before, after);
  return more - less >= SIGNIFICANT_MS && more >= less * SIGNIFICANT_FACTOR ? after - before : null;
}

/** The traces in the order of time. */
export function inOrder(a: Trace, b: Trace): [earlier: Trace, later: Trace] {
  const first = Date.parse(a.at) - Date.parse(b.at) || (a.trace < b.trace ? -1 : 1);
  return first < 0 ? [a, b] : [b, a];
}

/** From the surest sign of the same hook to the weakest: an edited file numbers its hooks anew, and renames them. */
const SIGNS: readonly ((step: Step) => string)[] = [
  (step) => `${step.hook}\n${step.label}`,
  (step) => `${step.source.path}\n${step.label}`,
  (step) => step.hook,
];

/** The steps of both in run order, each beside the other chain's step of the same hook. */
export function pairsOf(earlier: readonly Step[], later: readonly Step[]): Pair[] {
  const partner = new Map<Step, Step>();
  const taken = new Set<Step>();
  for (const sign of SIGNS) {
    for (const step of earlier) {
      if (partner.has(step)) continue;
      const found = later.find((one) => !taken.has(one) && sign(one) === sign(step));
      if (found === undefined) continue;
      partner.set(step, found);
      taken.add(found);
    }
  }
  const pairs: Pair[] = [];
  let next = 0;
  for (const step of earlier) {
    const other = partner.get(step) ?? null;
    const until = other === null ? -1 : later.indexOf(other);
    // What only the later chain has stands before the step that it ran before.
    for (; next <= until; next += 1) {
      const one = later[next];
      if (one !== undefined && !taken.has(one)) pairs.push(pair(null, one));
    }
    pairs.push(pair(step, other));
  }
  for (const one of later.slice(next)) if (!taken.has(one)) pairs.push(pair(null, one));
  return pairs;
}

function pair(earlier: Step | null, later: Step | null): Pair {
  if (earlier === null || later === null) {
    return { earlier, later, differs: { outcome: true, output: false, time: null } };
  }
  return {
    earlier,
    later,
    differs: {
      outcome: earlier.outcome !== later.outcome || earlier.mode !== later.mode,
      output: said(earlier) !== said(later),
      time: significantDelta(stepTook(earlier), stepTook(later)),
    },
  };
}

/** What a step came to, as one text to compare. */
function said(step: Step): string {
  const last = step.attempts.at(-1);
  return toJson([step.edits, step.reason, last?.stdout, last?.stderr, last?.end, last?.code]);
}

export function isDifferent({ differs }: Pair): boolean {
  return differs.outcome || differs.output || differs.time !== null;
}
