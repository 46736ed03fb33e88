import { type Ref, useCallback, useMemo } from "react";
import { useTranslation } from "react-i18next";
import {
  type Column,
  DataTable,
  DialectTag,
  type Group,
  HandlerIcon,
  HookState,
  hookState,
  LayerIcon,
  OutcomeBars,
  Switch,
  type TableHandle,
} from "@/components";
import { useFormats } from "@/i18n/format";
import type { HookRow, SourceRow } from "@/ipc";
import { shortPath } from "@/lib/names";
import { oneLine } from "@/lib/visible";
import { type Facts, filterText, groupKey, isFailing, rowKey, sourceGroups, statsOf } from "./facts";

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
        cell: (hook) => (
          <Switch
            on={hook.enabled && !hook.muted}
            label={t("hooks.switchLabel", { hook: oneLine(hook.label, 60) })}
            disabled={!hook.enabled}
            tabIndex={-1}
            onChange={(on) => onSwitch(hook, on)}
          />
        ),
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
                <span className="med trunc name" title={oneLine(hook.label)}>
                  {hook.shadowed_by === null ? oneLine(hook.label) : <s>{oneLine(hook.label)}</s>}
                </span>
              </div>
              <div className="mono xs dim trunc under">
                {hook.event}
                {filter ? <span className="c-accent"> {filter}</span> : null}
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
          return <span className={known ? "mono ink2" : "mono dim"}>{known ? duration(stats.p95_ms) : t("none")}</span>;
        },
      },
      {
        id: "bars",
        head: t("hooks.column.last16"),
        width: "88px",
        cell: (hook) => <OutcomeBars bars={statsOf(facts, hook)?.bars ?? NO_BARS} height={BARS_HEIGHT} />,
      },
    ],
    [t, duration, facts, onSwitch],
  );
}

export function HooksTable(props: HooksTableProps) {
  const { all, sources, shown, facts, project, selected, onSelect, onOpen, onSwitch, tableRef, empty } = props;
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
            <span className="sp" />
            {group.layer === "builtin" ? (
              t("hooks.alwaysOn")
            ) : (
              <span className="mono xs trunc" title={group.path}>
                {shortPath(group.path, group.layer === "project" ? project : null)}
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
      empty={empty}
    />
  );
}

function rowClass(hook: HookRow): string {
  return hook.muted || !hook.enabled || hook.shadowed_by !== null ? "fade" : "";
}
