/** The condition in a definition, by the dotted name of its field. */
type Definition = Readonly<Record<string, unknown>>;

/** Undefined where the field is missing or not a text. */
export function conditionIn(definition: Definition, field: string): string | undefined {
  let value: unknown = definition;
  for (const name of field.split(".")) {
    value = typeof value === "object" && value !== null ? (value as Definition)[name] : undefined;
  }
  return typeof value === "string" ? value : undefined;
}

/** The definition with another condition; without one where it is empty. */
export function withCondition(definition: Definition, field: string, condition: string): Record<string, unknown> {
  const [first = "", ...rest] = field.split(".");
  const { [first]: old, ...others } = definition;
  if (rest.length > 0) {
    const inner = withCondition((old ?? {}) as Definition, rest.join("."), condition);
    return Object.keys(inner).length === 0 ? others : { ...definition, [first]: inner };
  }
  return condition === "" ? others : { ...definition, [first]: condition };
}
