/** The sessions at the left: who, where, whether it is connected, and how busy it is. */
import { Plug, Unplug } from "lucide-react";
import { type KeyboardEvent, useRef } from "react";
import { DialectTag, Icon } from "@/components";
import { t } from "@/i18n";
import type { AgentRow } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { moveByArrows } from "@/lib/listKeys";
import { baseName } from "@/lib/names";
import { keyOf, programName } from "./sessions";

interface SessionListProps {
  rows: readonly AgentRow[];
  selected: string;
  onSelect: (row: AgentRow) => void;
}

export function SessionList({ rows, selected, onSelect }: SessionListProps) {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => moveByArrows(event, list.current, "button.list-row");
  return (
    <>
      <div className="pane-head">
        <b className="medium">{t("agents.listHead")}</b>
        <span className="mono text-tiny dim">{rows.length}</span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a list of buttons with arrow keys */}
      <div ref={list} role="group" aria-label={t("agents.list")} className="pane-body scroll" onKeyDown={onKeyDown}>
        {rows.map((row) => (
          <Item key={keyOf(row)} row={row} on={keyOf(row) === selected} onSelect={onSelect} />
        ))}
      </div>
    </>
  );
}

interface ItemProps {
  row: AgentRow;
  on: boolean;
  onSelect: (row: AgentRow) => void;
}

function Item({ row, on, onSelect }: ItemProps) {
  return (
    <button
      type="button"
      className={
        on
          ? "list-row min-h-13 py-1.5 [&_.row]:gap-1 [&_.row]:justify-end on"
          : "list-row min-h-13 py-1.5 [&_.row]:gap-1 [&_.row]:justify-end"
      }
      aria-current={on}
      onClick={() => onSelect(row)}
    >
      <DialectTag dialect={row.dialect} />
      <span className="grow">
        <span className="medium trunc block">{oneLine(programName(row), 60)}</span>
        <span className="text-tiny dim trunc block">
          {oneLine(baseName(row.cwd), 60)} · <span className="mono">{oneLine(row.session, 40)}</span>
        </span>
      </span>
      <span className="right">
        <span className={row.connected ? "row text-tiny ink-allow" : "row text-tiny ink-late"}>
          <Icon of={row.connected ? Plug : Unplug} size={12} />
          {t(row.connected ? "agents.connected" : "agents.kept")}
        </span>
        <span className="text-tiny dim block nowrap">{t("agents.rate", { count: row.events_last_minute })}</span>
      </span>
    </button>
  );
}
