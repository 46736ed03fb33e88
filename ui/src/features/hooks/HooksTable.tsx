import { type Ref, useMemo, useState } from "react";
import {
  type Column,
  Cut,
  DataTable,
  DialectTag,
  type Group,
  LayerIcon,
  type ShownState,
  Switch,
  shownState,
  type TableHandle,
  Tooltip,
} from "@/components";
import { Bars } from "@/components/chart";
import { type Facts, rowKey, statsOf } from "@/domain/hooks/facts";
import type { RejectedFile } from "@/domain/hooks/rejectedFiles";
import { isTurnedOff } from "@/domain/hooks/turnedOff";
import { type TextKey, t } from "@/i18n";
import { duration } from "@/i18n/format";
import type { HookGroup, HookRow, Problem } from "@/ipc";
import { agentName, useDialects } from "@/ipc/dialects";
import { oneLine } from "@/lib/escape";
import { useMedia } from "@/lib/media";
import { shortPath } from "@/lib/names";
import { useLatest } from "@/lib/useLatest";
import type { HooksSort } from "@/routes/search";
import { Grip } from "./Grip";
import { eventGroup, nameColumn, stateColumn, whereColumn } from "./hookColumns";
import RejectedBar from "./RejectedBar";
import type { DropTarget } from "./RowDragging";
import RowDragging from "./RowDragging";

interface HooksTableProps {
  /** All hooks of the project in run order, for the places of the groups. */
  all: readonly HookRow[];
  groups: readonly HookGroup[];
  shown: readonly HookRow[];
  facts: Facts;
  project: string;
  sort: HooksSort | undefined;
  onSort: (sort: HooksSort | undefined) => void;
  selected: string | null;
  /** The keys of the others that are chosen. */
  also: ReadonlySet<string>;
  onAlso: (hook: HookRow) => void;
  onSelect: (hook: HookRow) => void;
  onOpen: (hook: HookRow) => void;
  onSwitch: (hook: HookRow, on: boolean) => void;
  /** Gives a hook another place in its list. */
  onMove: (hook: HookRow, place: number) => void;
  /** Opens a problem by its place in the engine's list. */
  onProblem: (problem: Problem) => void;
  rejected: readonly RejectedFile[];
  tableRef: Ref<TableHandle>;
  empty: React.ReactNode;
}

const ROW_HEIGHT = 48;
const REJECTED_HEIGHT = 62;
const BARS_HEIGHT = 18;
const BARS = 24;
const NO_BARS = Array.from({ length: BARS }, () => ({ outcomes: {} }));

/** Wide enough for the event to have a column. */
const WIDE = "(min-width: 1600px)";

/** A text of a tooltip, found when it is shown. */
function Explanation({ of, place }: { of: TextKey; place?: number }) {
  return (
    <>
      {place === undefined ? null : `${t("about.place", { place })} `}
      {t(of)}
    </>
  );
}

function useColumns({ shown, facts, onSwitch, sort, onSort }: HooksTableProps): Column<HookRow>[] {
  const isWide = useMedia(WIDE);
  const dialects = useDialects();
  const hasAgentTrust = shown.some((hook) => hook.agent_trust !== undefined);
  const columns = useMemo<Column<HookRow>[]>(
    () => [
      switchColumn(onSwitch, (id) => agentName(dialects, id)),
      nameColumn(isWide, sort === undefined),
      ...(isWide ? [whereColumn()] : []),
      stateColumn(),
      ...(hasAgentTrust ? [agentTrustColumn()] : []),
      {
        id: "p95",
        head: t("hooks.column.p95"),
        about: <Explanation of="about.p95" />,
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
        head: t("hooks.column.last24"),
        width: "96px",
        cell: (hook) => <Bars bars={statsOf(facts, hook)?.bars ?? NO_BARS} height={BARS_HEIGHT} barWidth={2} />,
      },
    ],
    [facts, onSwitch, isWide, sort, dialects, hasAgentTrust],
  );
  const latestRef = useLatest(onSort);
  const next = sort === undefined ? "-p95" : sort === "-p95" ? "p95" : undefined;
  const sorted = sort === "-p95" ? "down" : sort === "p95" ? "up" : undefined;
  const sortNext = () => latestRef.current(next);
  return columns.map((column) => (column.id === "p95" ? { ...column, sorted, onSort: sortNext } : column));
}

function switchColumn(onSwitch: HooksTableProps["onSwitch"], agentOf: (dialect: string) => string): Column<HookRow> {
  return {
    id: "switch",
    head: t("hooks.column.switch"),
    width: "76px",
    cell: (hook) => {
      const held = heldBy(hook);
      if (isTurnedOff(hook)) {
        const label = t("turnedOff.switchLabel", { hook: oneLine(hook.label, 60), agent: agentOf(hook.dialect) });
        return <Switch on={false} label={label} about={label} tabIndex={-1} onChange={() => onSwitch(hook, true)} />;
      }
      return (
        <>
          <Grip hook={hook} id={rowKey(hook)} />
          <Switch
            on={hook.enabled && !hook.muted}
            label={t("hooks.switchLabel", { hook: oneLine(hook.label, 60) })}
            held={held === null ? null : t(`words.health.${held}`)}
            about={hook.enabled ? t("hooks.switchAbout", { agent: agentOf(hook.dialect) }) : undefined}
            disabled={!hook.enabled}
            tabIndex={-1}
            onChange={(on) => onSwitch(hook, on)}
          />
        </>
      );
    },
  };
}

/** Whether the agent itself runs the hook, for agents with a trust of their own. */
function agentTrustColumn(): Column<HookRow> {
  return {
    id: "agent_trust",
    head: t("hooks.column.agentTrust"),
    width: "112px",
    cell: ({ agent_trust: trust }) => {
      if (trust === undefined) return <span className="dim">{t("none")}</span>;
      const isSkipped = trust === "untrusted" || trust === "modified";
      return <span className={isSkipped ? "trunc ink-late" : "trunc ink-2"}>{t(`words.agentTrust.${trust}`)}</span>;
    },
  };
}

export function HooksTable(props: HooksTableProps) {
  const { all, shown, project, sort, selected, onSelect, onOpen, onMove, tableRef, empty } = props;
  const columns = useColumns(props);
  const groups = new Map(props.groups.map((group) => [group.group, group]));
  const rejected = new Map(props.rejected.map((one) => [one.path, one]));
  const latestRef = useLatest(props.onProblem);
  const openProblem = (problem: Problem) => latestRef.current(problem);
  const several = new Set(all.map((hook) => hook.dialect)).size > 1;
  const groupOf = (hook: HookRow): readonly Group[] => {
    const group = groups.get(hook.group);
    if (group === undefined) return [];
    const refused = rejected.get(hook.path);
    const head = (
      <span className="row" style={{ gap: 6 }}>
        {several ? <DialectTag dialect={group.dialect} /> : null}
        <LayerIcon layer={group.layer} size={12} />
        <Tooltip text={<Explanation of={`about.layer.${group.layer}`} place={group.place} />}>
          <span>{t("hooks.group", { n: group.place, layer: t(`words.layer.${group.layer}`) })}</span>
        </Tooltip>
        <span className="spacer" />
        {group.layer === "builtin" ? (
          t("hooks.alwaysOn")
        ) : (
          <Cut className="mono text-tiny" text={group.path}>
            {shortPath(group.path, project)}
          </Cut>
        )}
      </span>
    );
    const file: Group =
      refused === undefined
        ? { key: group.group, content: head }
        : {
            key: group.group,
            height: REJECTED_HEIGHT,
            content: (
              <>
                {head}
                <RejectedBar file={refused} onProblem={openProblem} />
              </>
            ),
          };
    return [file, eventGroup(group.group, hook, shown)];
  };
  const [target, setTarget] = useState<DropTarget | null>(null);
  return (
    <>
      <DataTable
        ref={tableRef}
        label={t("hooks.table")}
        className="[&_td:first-child]:relative [&_th:first-child]:pl-3 [&_td:first-child]:pl-3 [&_.grip]:z-4 [&_.switch::after]:left-0"
        columns={columns}
        rows={shown}
        rowKey={rowKey}
        rowHeight={ROW_HEIGHT}
        grows
        groupOf={sort === undefined ? groupOf : undefined}
        selected={selected}
        also={props.also}
        onSecond={props.onAlso}
        onSelect={onSelect}
        onOpen={onOpen}
        rowClass={(hook) =>
          [rowClass(hook), target?.key === rowKey(hook) && `drop-${target.side}`].filter(Boolean).join(" ")
        }
        empty={empty}
      />
      <RowDragging onOver={setTarget} onMove={onMove} />
    </>
  );
}

/** Why a hook whose switch is on does not run all the same. */
function heldBy({ health, enabled, muted }: HookRow): ShownState | null {
  const state = shownState(health);
  return state === "ready" || (enabled && muted) ? null : state;
}

function rowClass(hook: HookRow): string {
  return hook.muted || !hook.enabled || hook.shadowed_by !== null ? "fade" : "";
}
