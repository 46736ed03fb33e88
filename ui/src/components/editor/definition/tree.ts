/** The schema of a dialect's hook files as a tree that is walked along the path of a place. */
import type { Definition, DefinitionField, DefinitionValue, FieldCondition } from "@/ipc";

/** A key of a mapping, or an item of a list. */
export type PathPart = string | null;

/** What a path leads to: the value, and the field that holds it where it is one. */
export interface Node {
  value: DefinitionValue;
  field: DefinitionField | null;
}

/** Walks down the schema; null where it knows nothing. */
export function nodeAt(definition: Definition, path: readonly PathPart[]): Node | null {
  let node: Node = { value: definition.root, field: null };
  for (const part of path) {
    const next = below(node.value, part);
    if (next === null) return null;
    node = next;
  }
  return node;
}

function below(value: DefinitionValue, part: PathPart): Node | null {
  const { inner } = value;
  switch (value.form) {
    case "list":
      return part === null && inner !== null ? { value: inner, field: null } : null;
    case "by_event":
    case "by_name":
      return part !== null && inner !== null ? { value: inner, field: null } : null;
    default: {
      const field = value.fields.find((one) => one.name === part);
      return field === undefined ? null : { value: field.value, field };
    }
  }
}

/** The fields of the mapping that defines one hook. */
export function hookFields(value: DefinitionValue): readonly DefinitionField[] {
  if (value.form === "hook") return value.fields;
  if (value.inner !== null) return hookFields(value.inner);
  for (const field of value.fields) {
    const found = hookFields(field.value);
    if (found.length > 0) return found;
  }
  return [];
}

/** The value that counts if a field is absent; undefined where there is none. */
export function defaultOf(
  field: DefinitionField,
  fields: readonly DefinitionField[],
  values: Readonly<Record<string, unknown>>,
): string | number | boolean | undefined {
  return field.defaults.find((one) => one.only === null || holds(one.only, fields, values))?.value;
}

/** Whether another field has the value of a condition; an absent one has its default. */
export function holds(
  only: FieldCondition,
  fields: readonly DefinitionField[],
  values: Readonly<Record<string, unknown>>,
): boolean {
  const other = fields.find((one) => one.name === only.field);
  const value = values[only.field] ?? (other === undefined ? undefined : defaultOf(other, fields, values));
  return value === only.value;
}
