/** Filling the definition of a template, which the engine lists, with what stands in the form. */
import type { FirstValue, HookTemplate } from "@/ipc";

type Values = Readonly<Record<string, string>>;

function fill(text: string, values: Values): string {
  return text.replace(/@([a-z]+)@/g, (whole, name: string) => values[name] ?? whole);
}

/** The value with its placeholders filled; undefined where nothing is left of it. */
function filled(value: unknown, values: Values): unknown {
  if (typeof value === "string") return fill(value, values) || undefined;
  if (Array.isArray(value)) return value.map((one) => filled(one, values) ?? "");
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .map(([key, one]) => [key, filled(one, values)] as const)
    .filter(([, one]) => one !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The definition as `edit.add` takes it. */
export function definitionOf({ definition }: HookTemplate, fields: readonly FirstValue[]): Record<string, unknown> {
  // Tools are asked for only at events that are about them.
  const values: Values = { tool: "", ...Object.fromEntries(fields.map(({ field, value }) => [field, value])) };
  // A script may name its hook.
  const script = fill(values.script ?? "", { name: values.name ?? "" });
  return (filled(definition, { ...values, script }) ?? {}) as Record<string, unknown>;
}
