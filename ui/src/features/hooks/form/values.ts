/** The values that a form shows, and the problems of each field. */
import { defaultOf, holds } from "@/components/editor/definition/tree";
import type { DefinitionField, EditStep, HookRow, Problem, Reply } from "@/ipc";

export type Values = Readonly<Record<string, unknown>>;
type HookLines = Reply<"edit.check">["lines"][number];

/** The values of the definition, and those that are outside of it; what was typed counts first. */
export function valuesOf(
  hook: HookRow,
  outside: readonly DefinitionField[],
  typed: ReadonlyMap<string, unknown>,
): Values {
  const values: Record<string, unknown> = { ...(hook.definition as Values | null) };
  for (const field of outside) {
    const found = field.role === "key" ? hook.label : hook.filter?.[field.name];
    if (found !== undefined) values[field.name] = found;
  }
  for (const [name, value] of typed) {
    const [first = name, ...rest] = name.split(".");
    if (rest.length === 0) values[first] = value;
    else values[first] = { ...(values[first] as Values | undefined), [rest.join(".")]: value };
  }
  return values;
}

/** Fields that are shown: those that have an effect, and those that are set although they have none. */
export function shownFields(fields: readonly DefinitionField[], values: Values): DefinitionField[] {
  return fields.filter((field) => {
    const isSet = values[field.name] !== undefined && values[field.name] !== null;
    if (field.label.en === "") return false;
    return isSet || field.only === null || holds(field.only, fields, values);
  });
}

export function hasEffect(field: DefinitionField, fields: readonly DefinitionField[], values: Values): boolean {
  return field.only === null || holds(field.only, fields, values);
}

/** The hook whose lines contain a line, or the nearest before it. */
export function hookAtLine(lines: readonly HookLines[], line: number): string | null {
  const within = lines.find((one) => one.line <= line && line <= one.end_line);
  const before = lines.filter((one) => one.line <= line).at(-1);
  return (within ?? before ?? lines[0])?.hook ?? null;
}

/** The dotted name of the field that a problem is about; null for the hook as a whole. */
export function fieldOf(problem: Problem, lines: HookLines | undefined): string | null {
  const places = lines?.fields ?? [];
  const here = places.find((place) => place.line === problem.line && place.column === problem.column);
  if (here !== undefined) return here.field;
  const named = problem.args?.field;
  if (typeof named === "string") return named;
  const inLine = places.filter((place) => place.line === problem.line);
  return inLine.length === 1 ? (inLine[0]?.field ?? null) : null;
}

/** A change that would end a problem. */
export interface Fix {
  /** What the button says: a value to use, a name to rename to, or a field to remove. */
  kind: "use" | "rename" | "remove";
  text: string;
  field: string;
  value?: unknown;
  /** The field that is renamed. */
  from?: string;
}

/** The changes of a fix. */
export function stepsOf({ kind, field, value, from }: Fix): EditStep[] {
  const unset = (name: string): EditStep => ({ do: "unset", field: name });
  if (kind === "remove") return [unset(field)];
  const set: EditStep = { do: "set", field, value };
  return from === undefined ? [set] : [unset(from), set];
}

const FIXABLE: ReadonlySet<string> = new Set([
  "unknown_value",
  "unknown_field",
  "no_effect",
  "out_of_range",
  "missing_field",
  "wrong_type",
  "never_matches",
]);

/** What the schema can say against a problem of a field. */
export function fixesOf(problem: Problem, name: string, fields: readonly DefinitionField[], values: Values): Fix[] {
  if (!FIXABLE.has(problem.code)) return [];
  const nearest = problem.args?.nearest;
  const [first = name, second] = name.split(".");
  const outer = fields.find((one) => one.name === first);
  const field = second === undefined ? outer : outer?.value.fields.find((one) => one.name === second);
  if (field === undefined) {
    const value = second === undefined ? values[first] : (values[first] as Values | undefined)?.[second];
    const renamed = typeof nearest === "string" ? [...name.split(".").slice(0, -1), nearest].join(".") : null;
    const rename: Fix[] =
      renamed === null ? [] : [{ kind: "rename", text: String(nearest), field: renamed, value, from: name }];
    return [...rename, { kind: "remove", text: name, field: name }];
  }
  const { form, choices, least, most, fractions } = field.value;
  const usable = choices.filter((choice) => choice.label.en !== "");
  if (form === "choice" && problem.code !== "no_effect") {
    return usable.slice(0, 3).map(({ value }) => ({ kind: "use", text: value, field: name, value }));
  }
  const written = second === undefined ? values[first] : (values[first] as Values | undefined)?.[second];
  if (form === "number" && problem.code === "out_of_range" && typeof written === "number") {
    const bound = most !== null && written > most ? most : least !== null && !fractions ? least : null;
    if (bound !== null) return [{ kind: "use", text: String(bound), field: name, value: bound }];
  }
  const fallback = defaultOf(field, fields, values);
  const remove: Fix[] = field.required ? [] : [{ kind: "remove", text: name, field: name }];
  return fallback === undefined || problem.code === "no_effect"
    ? remove
    : [{ kind: "use", text: String(fallback), field: name, value: fallback }, ...remove];
}
