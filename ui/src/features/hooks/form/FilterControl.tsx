/**
 * The condition of a hook in the form: the builder, with what the unsaved text would match. The field is a mapping of
 * conditions, such as `filter`, or one condition itself, such as `matcher`.
 */

import { useMemo } from "react";
import { type FilterValue, filterSteps } from "@/domain/filter/clauses";
import FilterBuilder from "@/domain/filter/FilterBuilder";
import { eventOf } from "@/domain/hooks/facts";
import { textOf } from "@/i18n/text";
import { useDialect, useEventInfo } from "@/ipc/dialects";
import { fileText } from "../source/drafts";
import { FilterFields } from "./FilterFields";
import type { ControlProps } from "./registry";

export function FilterControl(props: ControlProps) {
  const { name, value, onChange, onSteps, hook, draft } = props;
  const known = useDialect(hook.dialect);
  const event = useEventInfo(hook.dialect, eventOf(hook));
  const dialect = useMemo(
    () =>
      known && {
        ...known,
        filters: known.filters.filter(({ field }) => field === name || field.startsWith(`${name}.`)),
      },
    [known, name],
  );
  if (dialect === undefined || event === undefined || dialect.filters.length === 0) return <FilterFields {...props} />;
  const single = dialect.filters.find(({ field }) => field === name);
  const parts = value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
  const innerOf = (key: string) =>
    dialect.filters.find((filter) => filter.key === key)?.field.slice(name.length + 1) ?? key;
  const inside = dialect.filters.flatMap(({ key }) =>
    parts[innerOf(key)] === undefined ? [] : [[key, parts[innerOf(key)]]],
  );
  const isSet = value !== undefined && value !== null;
  const now: FilterValue = single === undefined ? Object.fromEntries(inside) : isSet ? { [single.key]: value } : {};
  const change = (next: FilterValue) => {
    if (single !== undefined) return onChange(next[single.key]);
    const changed = dialect.filters.map(({ key }) => key).filter((key) => next[key] !== now[key]);
    const [first] = changed;
    if (first === undefined) return;
    const present = Object.values(parts).filter((part) => part !== undefined);
    const isEmpty = Object.keys(next).length === 0 && present.length === Object.keys(now).length;
    // What is typed shows at once; several changes are made together.
    if (changed.length === 1 && !isEmpty) onChange(next[first], innerOf(first));
    else if (isEmpty) onChange(undefined);
    else onSteps(filterSteps(hook.definition, now, next, dialect.filters));
  };
  const of = { project: draft.project, dialect: dialect.id, event: event.name, hook: hook.hook };
  return (
    <fieldset className="form-group border-0 m-0 p-0 flex-[1_1_100%] min-w-0" aria-label={textOf(props.field.label)}>
      <FilterBuilder
        dialect={dialect}
        event={event}
        value={now}
        onChange={change}
        ask={{ ...of, unsaved: { path: draft.path, text: fileText(draft) } }}
        // Ids of the saved file may mean other hooks.
        saved={null}
        isHeaded
        // The text as a whole is compared, so one of several conditions counts for all of them.
        isCounted={single === undefined || known?.filters[0] === single}
      />
    </fieldset>
  );
}
