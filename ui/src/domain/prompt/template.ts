/** A filled template as chips of its text and as problems with their fixes. */
import type { CodeProblem } from "@/components";
import type { TemplateChip } from "@/components/editor/TemplateView";
import type { Reply } from "@/ipc";

export type Rendering = Reply<"prompt.render">;
export type PromptPart = Rendering["parts"][number];

export interface PlacedPart extends PromptPart {
  from: number;
  to: number;
  /** From 1. */
  line: number;
  column: number;
}

/** The parts with their places in the template. */
export function placed(parts: readonly PromptPart[]): PlacedPart[] {
  let from = 0;
  let line = 1;
  let begin = 0;
  return parts.map((part) => {
    const to = from + part.written.length;
    const at = { ...part, from, to, line, column: from - begin + 1 };
    const lines = part.written.split("\n");
    if (lines.length > 1) {
      line += lines.length - 1;
      begin = to - (lines.at(-1)?.length ?? 0);
    }
    from = to;
    return at;
  });
}

export const templateOf = (parts: readonly PromptPart[]) => parts.map(({ written }) => written).join("");

export function chipsOf(parts: readonly PlacedPart[]): TemplateChip[] {
  return parts.flatMap(({ kind, from, to }) => (kind === "text" ? [] : [{ kind, from, to }]));
}

/**
 * The variables by what they are at the event on show: with a value, without one although such events can have it, and those
 * that this kind of event never has.
 */
export function groupsOf(variables: Rendering["variables"]) {
  return {
    filled: variables.filter(({ value }) => value !== null),
    unfilled: variables.filter(({ is_set, value }) => is_set && value === null),
    empty: variables.filter(({ is_set, value }) => !is_set && value === null),
  };
}

/** What can be wrong with a template: names that are none, and those that are always empty here. */
export function faultsOf(parts: readonly PlacedPart[], variables: Rendering["variables"]): PlacedPart[] {
  const isSet = new Map(variables.map(({ name, is_set }) => [name, is_set]));
  return parts.filter(
    ({ kind, name }) => kind === "unknown" || (kind !== "text" && name !== null && isSet.get(name) === false),
  );
}

export function problemsOf(faults: readonly PlacedPart[], say: (fault: PlacedPart) => string): CodeProblem[] {
  return faults.map((fault) => ({
    line: fault.line,
    column: fault.column,
    severity: fault.kind === "unknown" ? "error" : "warning",
    message: say(fault),
  }));
}
