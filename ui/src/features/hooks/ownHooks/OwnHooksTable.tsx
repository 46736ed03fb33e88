import { type Column, DataTable, DialectTag, HandlerIcon, HookState } from "@/components";
import { filterText, groupKey, rowKey, sourceOf } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import type { HookRow, SourceRow } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { useMedia } from "@/lib/media";
import { shortPath } from "@/lib/names";

const NARROW = "(max-width: 1119px)";

interface OwnHooksTableProps {
  /** In the order in which they are shown. */
  rows: readonly HookRow[];
  sources: readonly SourceRow[];
  selected: HookRow | undefined;
  onSelect: (hook: HookRow) => void;
}

/** The user's own hooks, by file. */
export function OwnHooksTable({ rows, sources, selected, onSelect }: OwnHooksTableProps) {
  const isNarrow = useMedia(NARROW);
  const columns: Column<HookRow>[] = [
    {
      id: "hook",
      head: t("hooks.column.hook"),
      cell: (hook) => (
        <>
          <div className="row gap-1.5">
            <HandlerIcon handler={hook.handler} />
            <span className="medium trunc name">{oneLine(hook.label)}</span>
          </div>
          <div className="mono text-tiny dim trunc under">
            {hook.serves ? t("hooks.everyEvent", { count: hook.serves.length }) : hook.event}{" "}
            <span className="ink-accent">{filterText(hook.filter)}</span>
          </div>
        </>
      ),
    },
    ...(isNarrow ? [] : [runsColumn()]),
    {
      id: "state",
      head: t("hooks.column.state"),
      width: "152px",
      cell: (hook) => <HookState hook={hook} detail />,
    },
  ];
  const groupOf = (hook: HookRow) => ({
    key: groupKey(hook, sources),
    content: (
      <span className="row gap-1.5">
        <DialectTag dialect={hook.dialect} />
        <span className="mono text-tiny trunc">{shortPath(sourceOf(hook, sources))}</span>
      </span>
    ),
  });
  return (
    <DataTable
      label={t("start.ownTitle")}
      columns={columns}
      rows={rows}
      rowKey={rowKey}
      rowHeight={44}
      groupOf={groupOf}
      selected={selected === undefined ? null : rowKey(selected)}
      onSelect={onSelect}
    />
  );
}

function runsColumn(): Column<HookRow> {
  return {
    id: "runs",
    head: t("start.runs"),
    width: "44%",
    cell: (hook) => <span className="mono text-tiny trunc block">{oneLine(hook.runs ?? "")}</span>,
  };
}
