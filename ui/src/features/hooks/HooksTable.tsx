import { GripVertical } from "lucide-react";
import { type HTMLAttributes, type Ref, useCallback, useMemo } from "react";
import { useTranslation } from "react-i18next";
import {
  type Column,
  DataTable,
  DialectTag,
  type Group,
  HandlerIcon,
  HookState,
  hookState,
  Icon,
  LayerIcon,
  Switch,
  type TableHandle,
} from "@/components";
import { Bars } from "@/components/chart";
import { type Facts, filterText, groupKey, isFailing, rowKey, sourceGroups, statsOf } from "@/domain/hooks/facts";
import { useFormats } from "@/i18n/format";
import type { HookRow, SourceRow } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { shortPath } from "@/lib/names";
import { hasPosition, useOrder } from "./order";

interface HooksTableProps {
  /** All hooks of the project in run order, for the places of the groups. */
  all: readonly HookRow[];
  sources: readonly SourceRow[];
  shown: readonly HookRow[];
  facts: Facts;
  project: string;
  selected: string | null;
  onSelect: (hook: HookRow) => void;
  onOpen: (hook: HookRow) => void;
  onSwitch: (hook: HookRow, on: boolean) => void;
  /** Gives a hook another place in its list. */
  onMove: (hook: HookRow, place: number) => void;
  tableRef: Ref<TableHandle>;
  empty: React.ReactNode;
}

const ROW_HEIGHT = 44;
const BARS_HEIGHT = 18;
const BARS = 16;
const NO_BARS = Array.from({ length: BARS }, () => ({ outcomes: {} }));

function useColumns(facts: Facts, onSwitch: HooksTableProps["onSwitch"]): Column<HookRow>[] {
  const { t } = useTranslation();
  const { duration } = useFormats();
  return useMemo(
    () => [
      {
        id: "switch",
        head: null,
        headLabel: t("hooks.column.switch"),
        width: "50px",
        cell: (hook) => {
          const held = heldBy(hook);
          return (
            <>
              <Grip hook={hook} />
              <Switch
                on={hook.enabled && !hook.muted}
                label={t("hooks.switchLabel", { hook: oneLine(hook.label, 60) })}
                held={held === null ? null : t(`words.hookState.${held}`)}
                disabled={!hook.enabled}
                tabIndex={-1}
                onChange={(on) => onSwitch(hook, on)}
              />
            </>
          );
        },
      },
      {
        id: "hook",
        head: t("hooks.column.hook"),
        cell: (hook) => {
          const filter = filterText(hook.filter);
          return (
            <>
              <div className="row" style={{ gap: 6 }}>
                <HandlerIcon handler={hook.handler} />
                <span className="medium trunc name" title={oneLine(hook.label)}>
                  {hook.shadowed_by === null ? oneLine(hook.label) : <s>{oneLine(hook.label)}</s>}
                </span>
              </div>
              <div className="mono text-tiny dim trunc under">
                {hook.serves ? t("hooks.everyEvent", { count: hook.serves.length }) : hook.event}
                {filter ? <span className="ink-accent"> {filter}</span> : null}
              </div>
            </>
          );
        },
      },
      {
        id: "state",
        head: t("hooks.column.state"),
        width: "112px",
        cell: (hook) => {
          const state = hookState(hook, {
            invalid: facts.invalid.has(hook.hook),
            failing: isFailing(statsOf(facts, hook)),
          });
          return <HookState state={state} until={hook.muted_until} />;
        },
      },
      {
        id: "p95",
        head: t("hooks.column.p95"),
        width: "68px",
        align: "right",
        cell: (hook) => {
          const stats = statsOf(facts, hook);
          const known = stats !== undefined && stats.attempts > 0;
          return (
            <span className={known ? "mono ink-2" : "mono dim"}>{known ? duration(stats.p95_ms) : t("none")}</span>
          );
        },
      },
      {
        id: "bars",
        head: t("hooks.column.last16"),
        width: "88px",
        cell: (hook) => <Bars bars={statsOf(facts, hook)?.bars ?? NO_BARS} height={BARS_HEIGHT} />,
      },
    ],
    [t, duration, facts, onSwitch],
  );
}

export function HooksTable(props: HooksTableProps) {
  const { all, sources, shown, facts, project, selected, onSelect, onOpen, onSwitch, onMove, tableRef, empty } = props;
  const { t } = useTranslation();
  const columns = useColumns(facts, onSwitch);
  const groups = useMemo(() => sourceGroups(all, sources), [all, sources]);
  const several = new Set(all.map((hook) => hook.dialect)).size > 1;
  const groupOf = useCallback(
    (hook: HookRow): Group | null => {
      const group = groups.get(groupKey(hook, sources));
      if (group === undefined) return null;
      return {
        key: group.key,
        content: (
          <span className="row" style={{ gap: 6 }}>
            {several ? <DialectTag dialect={group.dialect} /> : null}
            <LayerIcon layer={group.layer} size={12} />
            {t("hooks.group", { n: group.place, layer: t(`words.layer.${group.layer}`) })}
            <span className="spacer" />
            {group.layer === "builtin" ? (
              t("hooks.alwaysOn")
            ) : (
              <span className="mono text-tiny trunc" title={group.path}>
                {shortPath(group.path, project)}
              </span>
            )}
          </span>
        ),
      };
    },
    [groups, sources, several, t, project],
  );
  return (
    <DataTable
      ref={tableRef}
      label={t("hooks.table")}
      className="hooks-table"
      columns={columns}
      rows={shown}
      rowKey={rowKey}
      rowHeight={ROW_HEIGHT}
      groupOf={groupOf}
      selected={selected}
      onSelect={onSelect}
      onOpen={onOpen}
      rowClass={rowClass}
      rowProps={useDrops(shown, onMove)}
      empty={empty}
    />
  );
}

const DRAGGED = "application/x-hookwright-row";

/** What a row is taken by. Where the order is not the file's, it says what the order is. */
function Grip({ hook }: { hook: HookRow }) {
  const { t } = useTranslation();
  const orderOf = useOrder();
  const movable = (hook.in_list?.count ?? 0) > 1;
  if (!hasPosition(hook) || (hook.in_list !== null && !movable)) return null;
  const why = movable ? t("hooks.edit.drag") : orderOf(hook);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Alt with the arrow keys does the same
    <span
      className={movable ? "grip" : "grip fixed"}
      title={why}
      draggable={movable}
      onDragStart={(drag) => {
        dragged = hook.in_list;
        drag.dataTransfer.effectAllowed = "move";
        drag.dataTransfer.setData(DRAGGED, rowKey(hook));
        const row = drag.currentTarget.closest("tr");
        if (row !== null) drag.dataTransfer.setDragImage(row, 0, 0);
      }}
    >
      <Icon of={GripVertical} size={12} />
    </span>
  );
}

/** What is being dragged: a drop may ask the data for it, what is dragged over may not. */
let dragged: HookRow["in_list"] = null;

/** Rows take other rows of their list; the line shows on which side. */
function useDrops(shown: readonly HookRow[], onMove: HooksTableProps["onMove"]) {
  const clear = (row: HTMLElement) => row.classList.remove("drop-before", "drop-after");
  return (hook: HookRow): HTMLAttributes<HTMLTableRowElement> => {
    if ((hook.in_list?.count ?? 0) < 2) return {};
    return {
      onDragOver: (drag) => {
        const own = hook.in_list;
        if (!drag.dataTransfer.types.includes(DRAGGED) || own === null || dragged === null) return;
        if (own.list !== dragged.list || own.place === dragged.place) return;
        drag.preventDefault();
        drag.currentTarget.classList.add(own.place < dragged.place ? "drop-before" : "drop-after");
      },
      onDragLeave: (drag) => clear(drag.currentTarget),
      onDrop: (drag) => {
        clear(drag.currentTarget);
        const from = shown.find((one) => rowKey(one) === drag.dataTransfer.getData(DRAGGED));
        if (from?.in_list?.list !== hook.in_list?.list || from === undefined || hook.in_list === null) return;
        drag.preventDefault();
        onMove(from, hook.in_list.place);
      },
    };
  };
}

/** Why a hook whose switch is on does not run all the same. */
function heldBy(hook: HookRow): "shadowed" | "invalid" | "review" | null {
  if (hook.shadowed_by !== null) return "shadowed";
  if (!hook.valid) return "invalid";
  return hook.trusted ? null : "review";
}

function rowClass(hook: HookRow): string {
  return hook.muted || !hook.enabled || hook.shadowed_by !== null ? "fade" : "";
}
