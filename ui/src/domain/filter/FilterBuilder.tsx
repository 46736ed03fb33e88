/**
 * The conditions of a hook, with what they would match among the recorded events. It writes nothing: whoever shows it gets
 * each change, and says in `ask` how the engine reads the changed hook.
 */

import { Plus } from "lucide-react";
import { useState } from "react";
import { Button, Tooltip } from "@/components";
import { t } from "@/i18n";
import { textOf } from "@/i18n/text";
import { type Dialect, type EventInfo, type Params, useCall } from "@/ipc";
import { without } from "@/lib/without";
import { ClauseRow, type SeenValues } from "./ClauseRow";
import { clauseFault, type FilterValue, neverMatching, widened } from "./clauses";
import { MatchPanel } from "./MatchPanel";

/** What `history.match` is asked for: a hook with changes, an unsaved text, or a new definition. */
export type MatchRequest = Pick<
  Params<"history.match">,
  "project" | "dialect" | "event" | "hook" | "steps" | "unsaved" | "definition"
>;

interface FilterBuilderProps {
  dialect: Dialect;
  event: EventInfo;
  value: FilterValue;
  onChange: (value: FilterValue) => void;
  /** The hook with the filter on show; null while it cannot be compared. */
  ask: MatchRequest | null;
  /** The hook as it is saved, to tell what the change makes; null for a new one. */
  saved: { ask: MatchRequest; value: FilterValue } | null;
  /** Whether the place where it is shown has its heading already. */
  isHeaded?: boolean;
  /** Whether it counts matches; false where another builder of the same hook does. */
  isCounted?: boolean;
}

const LAST = 200;
const NO_VALUES: SeenValues = [];

function useMatches(ask: MatchRequest | null, without: string[], cells: boolean) {
  const request = { ...(ask ?? { dialect: "", event: "" }), last: LAST, cells, without };
  return useCall("history.match", request, { enabled: ask !== null, keepPrevious: true, refetchOnMount: true });
}

export default function FilterBuilder(props: FilterBuilderProps) {
  const { dialect, event, value, onChange, saved, isHeaded = false, isCounted = true } = props;
  const ask = isCounted ? props.ask : null;
  const { filters } = dialect;
  const [opened, setOpened] = useState<readonly string[]>([]);
  const matching = neverMatching(filters, value, event);
  const { data, error } = useMatches(ask, matching, true);
  const before = useMatches(
    saved?.ask ?? null,
    saved === null ? [] : neverMatching(filters, saved.value, event),
    false,
  );
  const shown = filters.filter(({ key }) => value[key] !== undefined || opened.includes(key));
  const left = filters.filter((filter) => !shown.includes(filter));
  const set = (key: string, next: unknown) => {
    const rest = without(value, key);
    setOpened((now) => (now.includes(key) ? now : [...now, key]));
    onChange(next === undefined ? rest : { ...rest, [key]: next });
  };
  const remove = (key: string) => {
    setOpened((now) => now.filter((one) => one !== key));
    onChange(without(value, key));
  };
  const scope =
    shown.length === 0 ? t("filter.always") : shown.some((one) => !one.names_events) ? t("filter.all") : null;
  return (
    <div className="flex flex-col gap-2 min-w-0 @container">
      {isHeaded ? null : (
        <div className="row">
          <h3>{t("filter.title")}</h3>
          <span className="spacer" />
          <span className="text-tiny dim">{scope}</span>
        </div>
      )}
      <ul className="flex flex-col gap-1.5">
        {shown.map((filter) => (
          <ClauseRow
            key={filter.key}
            filter={filter}
            value={value[filter.key]}
            fault={clauseFault(filter, value, event)}
            event={event}
            seen={data?.values ?? NO_VALUES}
            onChange={(next) => set(filter.key, next)}
            onRemove={() => remove(filter.key)}
          />
        ))}
      </ul>
      {left.length === 0 ? null : (
        <div className="row flex-wrap gap-1">
          {left.map((filter) => (
            <Tooltip key={filter.key} text={textOf(filter.about)}>
              <Button size="small" icon={Plus} onClick={() => setOpened((now) => [...now, filter.key])}>
                <span className="mono">{filter.key}</span>
              </Button>
            </Tooltip>
          ))}
        </div>
      )}
      {isCounted ? (
        <>
          {filters.some((one) => one.names_events) ? <p className="text-small ink-2">{t("filter.byProcess")}</p> : null}
          <MatchPanel
            event={event.name}
            data={data}
            fault={error}
            saved={saved === null ? null : (before.data?.matches ?? null)}
            without={matching}
            widen={(near) => widened(filters, value, near, event)}
            onWiden={(widening) => onChange(widening.value)}
          />
        </>
      ) : null}
    </div>
  );
}
