/** Agents: who is connected, what they may do, and what they and the engine say to each other. */
import { RadioTower, ShieldQuestionMark, Zap } from "lucide-react";
import { Button, FaultNote, Icon, Page, Pane, SizedPane, Skeleton, Tooltip } from "@/components";
import { t } from "@/i18n";
import { type AgentRow, useCall } from "@/ipc";
import { useStepping } from "@/lib/actions";
import { getRouteApi, useNavigate } from "@/routes/router";
import { AgentDetail } from "./AgentDetail";
import { Connect } from "./Connect";
import { SessionList } from "./SessionList";
import { chosenOf, countAgents, keyOf } from "./sessions";
import { useGoTo } from "./useGoTo";

const route = getRouteApi("/agents");
/** Counts of the last minute grow old by themselves. */
const COUNT_AGAIN_MS = 2000;

export function AgentsScreen() {
  const list = useCall("agents.list", {}, { everyMs: COUNT_AGAIN_MS });
  const socket = list.data?.socket ?? null;
  return (
    <Page
      title={t("agents.title")}
      actions={
        socket === null ? null : (
          <Tooltip text={socket}>
            <span className="row text-small ink-allow gap-1">
              <Icon of={RadioTower} size={14} />
              {t("agents.socket")}
            </span>
          </Tooltip>
        )
      }
    >
      {list.error !== null && list.data === undefined ? (
        <FaultNote fault={list.error} onRetry={() => void list.refetch()} />
      ) : list.data === undefined ? (
        <Skeleton rows={8} height={52} what={t("agents.title")} />
      ) : (
        <div className="column grow">
          <Verdict rows={list.data.agents} />
          {list.data.agents.length === 0 ? (
            <NoAgent socket={socket} />
          ) : (
            <Sessions rows={list.data.agents} socket={socket} />
          )}
        </div>
      )}
    </Page>
  );
}

/** What is true of all agents, and the one thing that waits. */
function Verdict({ rows }: { rows: readonly AgentRow[] }) {
  const goTo = useGoTo();
  const { connected, kept, waiting, firstWaiting } = countAgents(rows);
  const more = [
    kept > 0 ? t("agents.verdict.kept", { count: kept }) : null,
    waiting > 0 ? t("agents.verdict.waits", { count: waiting }) : null,
  ].filter((part) => part !== null);
  return (
    <div className="flex items-center gap-3 flex-none py-3 px-4 border-b border-line-2" role="status">
      <div className="grow">
        <h2 className="verdict-text">
          {connected === 0 ? t("agents.verdict.none") : t("agents.verdict.some", { count: connected })}
        </h2>
        {more.length > 0 || connected > 0 ? (
          <p className="text-small ink-2">{more.length > 0 ? more.join(t("list")) : t("agents.verdict.fine")}</p>
        ) : null}
      </div>
      {firstWaiting === null ? null : (
        <Button
          kind="primary"
          icon={ShieldQuestionMark}
          onClick={() => goTo(firstWaiting.row.cwd, { to: "/trust", search: { hook: firstWaiting.hook } })}
        >
          {t("agents.hooks.review")}
        </Button>
      )}
    </div>
  );
}

function NoAgent({ socket }: { socket: string | null }) {
  const go = useNavigate();
  return (
    <Pane label={t("agents.connect.title")} className="scroll">
      <div className="max-w-140 p-4 flex flex-col gap-3">
        <Connect title={t("agents.connect.title")} socket={socket} kind="primary" />
        {socket === null ? null : <p className="text-small dim">{t("agents.connect.waiting")}</p>}
        <div className="row">
          <Button icon={Zap} onClick={() => go({ to: "/fire" })}>
            {t("agents.connect.fireWithout")}
          </Button>
        </div>
      </div>
    </Pane>
  );
}

function Sessions({ rows, socket }: { rows: readonly AgentRow[]; socket: string | null }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const chosen = chosenOf(rows, search);
  const choose = ({ session, dialect, cwd }: AgentRow) =>
    navigate({ search: (now) => ({ ...now, session, dialect, project: cwd }), replace: true });
  useStepping(rows, chosen === undefined ? -1 : rows.indexOf(chosen), choose);
  if (chosen === undefined) return null;
  return (
    <div className="panes list-panes">
      <SizedPane id="agents.list" label={t("agents.list")} width={280} min={220} max={480} split="right">
        <SessionList rows={rows} selected={keyOf(chosen)} onSelect={choose} />
        <div className="list-foot">
          <Connect title={t("agents.connect.another")} socket={socket} kind="default" />
        </div>
      </SizedPane>
      <AgentDetail
        key={keyOf(chosen)}
        row={chosen}
        tab={search.tab ?? "protocol"}
        onTab={(tab) => navigate({ search: (now) => ({ ...now, tab }), replace: true })}
      />
    </div>
  );
}
