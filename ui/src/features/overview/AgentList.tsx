/** The sessions of agents, with how busy each is. */

import { Plug, Unplug } from "lucide-react";
import { useRef } from "react";
import { DialectTag, Icon } from "@/components";
import { t } from "@/i18n";
import { count } from "@/i18n/format";
import type { AgentRow } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { focusByArrows } from "@/lib/listKeys";
import { useNow } from "@/lib/useNow";
import { Link } from "@/routes/router";
import { AgentName } from "./AgentName";
import { leftText } from "./leftText";

export function AgentList({ agents }: { agents: readonly AgentRow[] }) {
  const list = useRef<HTMLUListElement>(null);
  return (
    <>
      <div className="pane-head px-4 border-t border-t-line-2">
        <h2>{t("overviewParts.agents.title")}</h2>
        <span className="spacer" />
        <Link to="/agents" className="link text-tiny">
          {t(agents.length > 0 ? "overviewParts.agents.another" : "overviewParts.agents.connect")}
        </Link>
      </div>
      {agents.length === 0 ? (
        <p className="py-3 px-4 text-small ink-2">{t("overviewParts.agents.none")}</p>
      ) : (
        <ul ref={list} className="py-1" onKeyDown={(event) => focusByArrows(event, list.current, "a")}>
          {agents.map((row) => (
            <Agent key={`${row.dialect} ${row.session}`} row={row} />
          ))}
        </ul>
      )}
    </>
  );
}

const SECOND_MS = 1000;

function Agent({ row }: { row: AgentRow }) {
  const { session, dialect, agent, connected } = row;
  const now = useNow(SECOND_MS);
  return (
    <li>
      <Link
        to="/agents"
        search={{ session, dialect }}
        className="focus-visible:-outline-offset-2 flex gap-2 items-center py-1 px-4 text-inherit no-underline hover:bg-3"
      >
        <DialectTag dialect={dialect} />
        <span className="block grow">
          <AgentName name={agent.name} session={session} className="text-small medium" />
          <span className="row text-tiny">
            <span className={connected ? "ink-2 trunc" : "ink-late trunc"}>
              {connected
                ? t("overviewParts.agents.rate", { rate: count(row.events_last_minute) })
                : leftText(row.left_at ?? null, now)}
            </span>
            <span className="spacer" />
            <span className="mono dim trunc">{oneLine(agent.version, 24)}</span>
          </span>
        </span>
        <span className={connected ? "ink-allow" : "ink-late"}>
          <Icon of={connected ? Plug : Unplug} size={14} />
        </span>
      </Link>
    </li>
  );
}
