/** The columns that show a hook, in a project and without one. */
import { Fragment } from "react";
import { type Column, type Group, HandlerIcon, HookState, Tooltip } from "@/components";
import { filterText } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import type { HookRow } from "@/ipc";
import { oneLine } from "@/lib/escape";

/** Position, name and condition; the event, too, where the rows are not grouped by it. */
export function nameColumn(isWide: boolean, isGrouped: boolean): Column<HookRow> {
  return {
    id: "hook",
    head: t("hooks.column.hook"),
    cell: (hook) => (
      <div className="flex gap-2">
        <span className="mono text-tiny dim w-4 flex-none text-right leading-5">{hook.position ?? ""}</span>
        <div className="grow">
          <div className="row gap-1.5">
            <HandlerIcon handler={hook.handler} />
            <HookName label={hook.label} isStruck={hook.shadowed_by !== null} />
            {isGrouped ? null : <span className="mono text-tiny dim trunc">{hook.event}</span>}
          </div>
          {isWide ? (
            <div className="mono text-tiny dim trunc under">{oneLine(hook.runs ?? "")}</div>
          ) : (
            <Condition filter={hook.filter} />
          )}
        </div>
      </div>
    ),
  };
}

export function HookName({ label, isStruck }: { label: string; isStruck: boolean }) {
  const name = oneLine(label);
  return (
    <Tooltip text={name} onlyCut>
      <span className="medium trunc name">{isStruck ? <s>{name}</s> : name}</span>
    </Tooltip>
  );
}

/** Never cut: it wraps between its alternatives. */
function Condition({ filter }: Pick<HookRow, "filter">) {
  const text = filterText(filter);
  if (text === "") return <div className="text-small dim under">{t("hooks.everyCall")}</div>;
  return (
    <div className="mono text-code ink-accent under wrap">
      {text.split(/(?<=[|,])/).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </div>
  );
}

export function stateColumn(): Column<HookRow> {
  return {
    id: "state",
    head: t("hooks.column.state"),
    width: "152px",
    cell: (hook) => <HookState hook={hook} detail />,
  };
}

/** Where there is room, the condition has a column of its own. */
export function whereColumn(): Column<HookRow> {
  return {
    id: "where",
    head: t("hooks.column.where"),
    width: "32%",
    cell: (hook) => <Condition filter={hook.filter} />,
  };
}

/** The event of the hooks below. */
function EventHead({ hook, shown }: { hook: HookRow; shown: readonly HookRow[] }) {
  const runs = shown.filter((one) => one.event === hook.event && one.path === hook.path && one.position !== null);
  return (
    <span className="row">
      <span className="mono ink-2">
        {hook.serves ? t("hooks.everyEvent", { count: hook.serves.length }) : hook.event}
      </span>
      {runs.length > 1 ? t("hooks.inRunOrder", { count: runs.length }) : null}
    </span>
  );
}

export function eventGroup(file: string, hook: HookRow, shown: readonly HookRow[]): Group {
  return { key: `${file} ${hook.event}`, content: <EventHead hook={hook} shown={shown} /> };
}
