/** The state of the form: what is chosen, what was typed, and the request that follows from both. */
import { useMemo, useState } from "react";
import {
  type Dialect,
  type EventInfo,
  type FirstValue,
  type HookRow,
  type HookTemplate,
  type Params,
  type TemplateField,
  type TemplateKind,
  useCall,
} from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import type { Wanted } from "./newHook";
import { definitionOf } from "./template";

export interface NewHookFormState {
  dialects: readonly Dialect[];
  dialect: Dialect | undefined;
  event: EventInfo | undefined;
  layer: string;
  templates: readonly HookTemplate[];
  template: HookTemplate | undefined;
  /** Whether the templates of the event are not read yet. */
  waiting: boolean;
  fields: readonly FirstValue[];
  isTyped: boolean;
  /** Null while there is nothing to add. */
  request: Params<"edit.add"> | null;
  setDialect(id: string): void;
  setEvent(name: string): void;
  setLayer(layer: string): void;
  setKind(kind: TemplateKind): void;
  setField(field: TemplateField, value: string): void;
}

/** `name`, or the first of `name-2`, `name-3` that no hook has. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let next = 2;
  while (taken.has(`${name}-${next}`)) next += 1;
  return `${name}-${next}`;
}

export function useNewHookForm(project: string, wanted: Wanted, hooks: readonly HookRow[]): NewHookFormState {
  const all = useDialects();
  const dialects = useMemo(() => all.filter((one) => one.shelves.length > 0), [all]);
  const [dialectId, setDialectId] = useState(wanted.dialect);
  const [eventName, setEvent] = useState(wanted.event);
  const [wantedLayer, setLayer] = useState("project");
  const [kind, setKind] = useState<TemplateKind>("guard");
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const dialect = dialects.find((one) => one.id === dialectId) ?? dialects[0];
  const event =
    dialect?.events.find((one) => one.name === eventName) ?? dialect?.events.find((one) => one.name === dialect.first);
  const layer = dialect?.shelves.includes(wantedLayer) ? wantedLayer : (dialect?.shelves[0] ?? "");
  const asked = useCall(
    "templates.list",
    { dialect: dialect?.id ?? "", event: event?.name ?? "" },
    { keepPrevious: true, enabled: event !== undefined },
  );
  const templates = asked.data?.templates ?? [];
  const waiting = asked.isPending || asked.isPlaceholderData;
  const template = templates.find((one) => one.kind === kind) ?? templates[0];
  const taken = useMemo(
    () => new Set(hooks.filter((hook) => hook.dialect === dialect?.id).map((hook) => hook.label)),
    [hooks, dialect],
  );
  // What was typed belongs to its dialect, kind and event: another event may fill other holes.
  const keyOf = (field: TemplateField) => `${dialect?.id} ${event?.name} ${template?.kind} ${field}`;
  const fields = (template?.fields ?? []).map(({ field, value }) => {
    const first = field === "name" ? freeName(value, taken) : value;
    return { field, value: typed[keyOf(field)] ?? first };
  });
  const request =
    dialect && event && template && !waiting
      ? { project, dialect: dialect.id, event: event.name, layer, definition: definitionOf(template, fields) }
      : null;
  return {
    dialects,
    dialect,
    event,
    layer,
    templates,
    template,
    waiting,
    fields,
    isTyped: Object.keys(typed).length > 0,
    request,
    setDialect: (id) => {
      setDialectId(id);
      setEvent(undefined);
    },
    setEvent,
    setLayer,
    setKind,
    setField: (field, value) => setTyped((before) => ({ ...before, [keyOf(field)]: value })),
  };
}
