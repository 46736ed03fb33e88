import { type Column, DataTable, DialectTag } from "@/components";
import { placeOf, rowKey } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import type { HookRow, HooksDocument } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { useMedia } from "@/lib/media";
import { shortPath } from "@/lib/names";
import { eventGroup, nameColumn, stateColumn } from "../hookColumns";

const NARROW = "(max-width: 1119px)";

interface OwnHooksTableProps {
  /** In the order in which they are shown. */
  rows: readonly HookRow[];
  document: HooksDocument;
  selected: HookRow | undefined;
  onSelect: (hook: HookRow) => void;
}

/** The user's own hooks, by file. */
export function OwnHooksTable({ rows, document, selected, onSelect }: OwnHooksTableProps) {
  const isNarrow = useMedia(NARROW);
  const columns = [nameColumn(false, true), ...(isNarrow ? [] : [runsColumn()]), stateColumn()];
  const groupOf = (hook: HookRow) => [
    {
      key: hook.group,
      content: (
        <span className="row gap-1.5">
          <DialectTag dialect={hook.dialect} />
          <span className="mono text-tiny trunc">{shortPath(placeOf(hook, document))}</span>
        </span>
      ),
    },
    eventGroup(hook.group, hook, rows),
  ];
  return (
    <DataTable
      label={t("start.ownTitle")}
      columns={columns}
      rows={rows}
      rowKey={rowKey}
      rowHeight={48}
      grows
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
