/** What an agent replied to an event, beside what the engine replies to the same one. What differs is marked. */
import type { ReactNode } from "react";
import { Diff, Note, Outcome } from "@/components";
import { ResultBadge } from "@/domain/trace/ResultBadge";
import { chainOf } from "@/domain/trace/verdict";
import { t } from "@/i18n";
import type { AgentAnswer } from "@/ipc";
import { escapeInvisible, oneLine } from "@/lib/escape";
import { toJson } from "@/lib/exactJson";
import { pairsOf, type StepPair, stepsOf, strictest } from "./agentSteps";

export function AgentReply({ answer }: { answer: AgentAnswer }) {
  const agent = oneLine(answer.agent, 40);
  if (answer.reply === null) {
    return (
      <Note kind="warning" className="flat" lead={agent}>
        {t("agents.answer.stopped", { agent })}
      </Note>
    );
  }
  return <Comparison answer={answer} reply={answer.reply} agent={agent} />;
}

interface ComparisonProps {
  answer: AgentAnswer;
  reply: NonNullable<AgentAnswer["reply"]>;
  agent: string;
}

function Comparison({ answer, reply, agent }: ComparisonProps) {
  const { engine } = answer;
  const steps = stepsOf(answer);
  const pairs = steps === null ? [] : pairsOf(steps, engine.steps);
  const result = strictest(steps);
  const json = [reply.json, engine.reply.json].map((one) => toJson(one, 2)) as [string, string];
  return (
    <section className="border-b border-line-2" aria-label={t("agents.answer.title", { agent })}>
      <Note kind={answer.same ? "plain" : "warning"} className="flat" lead={t("agents.answer.title", { agent })}>
        {t(answer.same ? "agents.answer.same" : "agents.answer.differs")}
      </Note>
      <table className="[table-layout:fixed] w-full [&_th:first-child]:w-30 [&_th:first-child]:font-regular [&_th:first-child]:text-left [&_th:first-child]:overflow-hidden [&_th:first-child]:text-ellipsis [&_td]:border-b [&_td]:border-line-1 [&_td]:h-row [&_tbody_th]:border-b [&_tbody_th]:border-line-1 [&_tbody_th]:h-row [&_td]:wrap-anywhere [&_td]:whitespace-normal [&_.differs>*]:bg-accent-bg">
        <caption className="visually-hidden">{t("agents.answer.title", { agent })}</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">{t("agents.answer.reply")}</span>
            </th>
            <th scope="col">{agent}</th>
            <th scope="col">{t("agents.answer.engine")}</th>
          </tr>
        </thead>
        <tbody>
          <Fact
            name={t("agents.answer.result")}
            agent={result === null ? <NotSaid /> : <Outcome kind={result} />}
            engine={<ResultBadge chain={chainOf(engine)} />}
            differs={result !== null && result !== strictest(engine.steps)}
          />
          <Fact
            name={t("agents.answer.exit")}
            agent={<span className="mono">{reply.exit_code}</span>}
            engine={<span className="mono">{engine.reply.exit_code}</span>}
            differs={reply.exit_code !== engine.reply.exit_code}
          />
          <Fact
            name={t("agents.answer.stderr")}
            agent={<Stream text={reply.stderr} />}
            engine={<Stream text={engine.reply.stderr} />}
            differs={reply.stderr !== engine.reply.stderr}
          />
          <Fact
            name={t("agents.answer.reply")}
            agent={<Stream text={toJson(reply.json)} />}
            engine={<Stream text={toJson(engine.reply.json)} />}
            differs={json[0] !== json[1]}
          />
          {pairs.map((pair, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a finished event are fixed
            <Fact key={index} {...factOf(pair)} />
          ))}
        </tbody>
      </table>
      {json[0] === json[1] ? null : (
        <Diff label={t("agents.answer.json")} before={json[0]} after={json[1]} mode="unified" />
      )}
      {steps === null ? <p className="text-tiny dim py-2 px-3">{t("agents.answer.noSteps", { agent })}</p> : null}
    </section>
  );
}

function factOf({ label, agent, engine, differs }: StepPair) {
  const side = agent === null ? <Absent /> : agent.outcome === null ? <NotSaid /> : <Outcome kind={agent.outcome} />;
  return {
    name: oneLine(label, 60),
    agent: side,
    engine: engine === null ? <Absent /> : <Outcome kind={engine.outcome} />,
    differs,
  };
}

interface FactProps {
  name: string;
  agent: ReactNode;
  engine: ReactNode;
  differs: boolean;
}

function Fact({ name, agent, engine, differs }: FactProps) {
  return (
    <tr className={differs ? "differs" : undefined}>
      <th scope="row">{name}</th>
      <td>
        <div className="row">{agent}</div>
      </td>
      <td>
        <div className="row">
          {engine}
          {differs ? <span className="chip accent">{t("agents.answer.differsMark")}</span> : null}
        </div>
      </td>
    </tr>
  );
}

function NotSaid() {
  return <span className="dim">{t("agents.answer.notSaid")}</span>;
}

function Absent() {
  return <span className="dim">{t("agents.answer.absent")}</span>;
}

function Stream({ text }: { text: string }) {
  return text === "" ? (
    <span className="dim">{t("none")}</span>
  ) : (
    <span className="mono [display:-webkit-box] [-webkit-box-orient:vertical] [-webkit-line-clamp:3] [line-clamp:3] overflow-hidden">
      {escapeInvisible(text)}
    </span>
  );
}
