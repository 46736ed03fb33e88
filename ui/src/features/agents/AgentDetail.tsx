/** One session: what its agent may do, its messages, its last executions and its hooks. */
import { Check, Minus, Plug, Unplug, Zap } from "lucide-react";
import { useState } from "react";
import {
  Button,
  Confirm,
  DialectTag,
  Icon,
  InlineCode,
  Note,
  Pane,
  TabPanel,
  Tabs,
  Tooltip,
  toast,
} from "@/components";
import { toastFault } from "@/domain/refused";
import { RunningChains } from "@/domain/running/RunningChains";
import { t } from "@/i18n";
import { count, time } from "@/i18n/format";
import { type AgentRow, useCommand } from "@/ipc";
import { useDialect } from "@/ipc/dialects";
import { useScreenActions } from "@/lib/actions";
import { oneLine } from "@/lib/escape";
import { shortPath } from "@/lib/names";
import type { AgentsTab } from "@/routes/search";
import { LastRuns } from "./LastRuns";
import { useProtocol } from "./Protocol";
import { SessionHooks } from "./SessionHooks";
import { programName } from "./sessions";
import { useGoTo } from "./useGoTo";

interface AgentDetailProps {
  row: AgentRow;
  tab: AgentsTab;
  onTab: (tab: AgentsTab) => void;
}

export function AgentDetail({ row, tab, onTab }: AgentDetailProps) {
  const protocol = useProtocol(row, tab === "protocol");
  return (
    <Pane label={t("agents.detail")} className="@container max-paired:[.list-panes>&]:min-h-105">
      <Head row={row} />
      <MissingPrograms row={row} />
      <RunningChains wanted={(chain) => chain.session === row.session && chain.dialect === row.dialect} />
      <div className="flex flex-wrap gap-y-3 gap-x-4 flex-none py-3 px-4 border-b border-line-2 [&>.facts]:content-start [&>.facts]:grid-cols-[repeat(auto-fill,minmax(220px,1fr))] [&>.facts]:min-w-55">
        <Facts row={row} />
        <Permissions row={row} />
      </div>
      <div className="pane-head strong-line px-3">
        <Tabs<AgentsTab>
          id="agents"
          label={t("agents.tabs")}
          value={tab}
          onChange={onTab}
          items={[
            { value: "protocol", label: t("agents.tab.protocol") },
            { value: "runs", label: t("agents.tab.runs") },
            { value: "hooks", label: t("agents.tab.hooks", { count: row.session_hooks.length }) },
          ]}
        />
        <span className="spacer" />
        {tab === "protocol" ? protocol.tools : null}
      </div>
      <TabPanel id="agents" value={tab} className="flex-1 min-h-0 flex flex-col">
        {tab === "protocol" ? protocol.body : tab === "runs" ? <LastRuns row={row} /> : <SessionHooks row={row} />}
      </TabPanel>
    </Pane>
  );
}

/** Programs that hooks need and the agent does not find, though Hookwright does. */
function MissingPrograms({ row }: { row: AgentRow }) {
  const name = oneLine(row.agent.name, 60);
  return row.missing_programs.map(({ program, path, hooks }) => (
    <Note
      key={program}
      kind="failing_open"
      lead={<InlineCode text={t("agents.missingProgram", { agent: name, program: oneLine(program, 60) })} />}
      className="flat"
    >
      <InlineCode
        text={t("agents.missingProgramFix", {
          path: oneLine(path, 200),
          hooks: hooks.map((hook) => oneLine(hook, 40)).join(t("list")),
        })}
      />
    </Note>
  ));
}

/** Its name, and what can be done with it. */
function Head({ row }: { row: AgentRow }) {
  const goTo = useGoTo();
  const [asks, setAsks] = useState(false);
  const name = oneLine(row.agent.name, 60);
  const disconnect = useCommand("agents.disconnect", {
    stale: ["agents"],
    onSuccess: () => toast(t("agents.sure.done", { agent: name }), null),
    onError: toastFault,
  });
  const refused = !row.connected ? t("agents.notConnected") : row.offers.includes("fire") ? null : t("agents.noFire");
  const event = useDialect(row.dialect)?.first;
  const fire = () => goTo(row.cwd, { to: "/fire", search: { dialect: row.dialect, event, agent: row.session } });
  useScreenActions({ "agent.fire": refused === null ? fire : null, "agent.disconnect": () => setAsks(true) });
  return (
    <div className="flex items-center flex-wrap gap-2 flex-none pt-3 px-4 [&+.note]:mt-3 [&>.grow]:min-w-20 [&>.row]:gap-1">
      <DialectTag dialect={row.dialect} />
      <h2 className="title-text trunc">{oneLine(programName(row), 80)}</h2>
      <span className={row.connected ? "row text-small ink-allow" : "row text-small ink-late"}>
        <Icon of={row.connected ? Plug : Unplug} size={14} />
        {t(row.connected ? "agents.connected" : "agents.kept")}
      </span>
      <span className="mono text-tiny dim trunc grow">{oneLine(row.session, 80)}</span>
      <span className="row ml-auto">
        <Button icon={Zap} action="agent.fire" disabledBecause={refused} onClick={fire}>
          {t("agents.fireAt")}
        </Button>
        <Button kind="danger" icon={Unplug} busy={disconnect.isPending} onClick={() => setAsks(true)}>
          {t("agents.disconnect")}
        </Button>
      </span>
      <Confirm
        open={asks}
        icon={Unplug}
        tone="deny"
        title={t("agents.sure.title", { agent: name })}
        safeLabel={t("agents.sure.safe")}
        doLabel={t("agents.sure.do")}
        onClose={() => setAsks(false)}
        onDo={() => {
          setAsks(false);
          disconnect.mutate({ session: row.session, dialect: row.dialect, project: row.cwd });
        }}
      >
        <p>{t("agents.sure.text")}</p>
      </Confirm>
    </div>
  );
}

function Facts({ row }: { row: AgentRow }) {
  const program = ({ agent }: Pick<AgentRow, "agent">) =>
    [oneLine(programName({ agent }), 60), agent.pid].filter((part) => part !== null).join(" · ");
  const facts: [name: string, value: string, isProse?: true][] = [
    [t("agents.fact.project"), shortPath(row.cwd)],
    [t("agents.fact.process"), row.agent.pid === null ? t("none") : String(row.agent.pid)],
    [t("agents.fact.since"), time(row.since)],
    [t("agents.fact.events"), count(row.events)],
    [t("agents.fact.rate"), count(row.events_last_minute)],
    [t("agents.fact.files"), t(row.native ? "agents.native" : "agents.notNative"), true],
    ...(row.connections.length > 1
      ? [[t("agents.fact.connections"), row.connections.map(program).join(t("list"))] as [string, string]]
      : []),
  ];
  return (
    <dl className="facts grow">
      {facts.map(([name, value, isProse]) => (
        <div key={name} className="grid grid-cols-[92px_minmax(0,1fr)] items-baseline gap-2">
          <dt>{name}</dt>
          <Tooltip text={oneLine(value)} onlyCut>
            <dd className={isProse ? undefined : "mono"}>{oneLine(value)}</dd>
          </Tooltip>
        </div>
      ))}
    </dl>
  );
}

/** What the agent may do, and what the engine may ask of it, in words. */
function Permissions({ row }: { row: AgentRow }) {
  const offers = (what: string) => row.offers.includes(what);
  const all: [boolean, string][] = [
    [true, t("agents.may.events")],
    [offers("fire"), t(offers("fire") ? "agents.may.fire" : "agents.may.noFire")],
    [offers("model"), t(offers("model") ? "agents.may.model" : "agents.may.noModel")],
    [offers("callbacks"), t(offers("callbacks") ? "agents.may.callbacks" : "agents.may.noCallbacks")],
    [false, t("agents.may.never")],
  ];
  return (
    <ul className="[&>.row]:gap-1 flex flex-col gap-0.5 text-small">
      {all.map(([may, words]) => (
        <li key={words} className={may ? "row" : "row dim"}>
          <span className={may ? "ink-allow" : undefined}>
            <Icon of={may ? Check : Minus} size={14} />
          </span>
          {words}
        </li>
      ))}
    </ul>
  );
}
