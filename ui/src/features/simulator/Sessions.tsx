/** Chooses a recorded session, and makes a scenario of its events. */
import { useState } from "react";
import { DialectTag, FaultNote, Note, Sheet, Skeleton, Spinner } from "@/components";
import { rowsOf, useFollowed } from "@/domain/trace/useFollowed";
import { t } from "@/i18n";
import { time } from "@/i18n/format";
import { asFault, call, type Fault, type Trace, useCall } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { type RecordedSession, sessionsOf, turnsOfSession } from "./fromSession";

/** The history is not kept by session: so many of its rows are looked through. */
const READ_ROWS = 1000;
/** So many events of a session are read, its last ones. */
const MOST_EVENTS = 200;
const AT_ONCE = 8;

interface SessionsProps {
  project: string;
  onClose: () => void;
  /** Id and text of the scenario. */
  onMade: (id: string, text: string) => void;
}

export function Sessions({ project, onClose, onMade }: SessionsProps) {
  const page = useCall("history.page", { project, limit: READ_ROWS }, { refetchOnMount: true });
  useFollowed(rowsOf(project), page.refetch);
  const [reading, setReading] = useState<string | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [nothing, setNothing] = useState<"empty" | "bodies" | null>(null);
  const sessions = sessionsOf(page.data?.traces ?? []);
  const choose = async (one: RecordedSession) => {
    setReading(one.session);
    setFault(null);
    setNothing(null);
    try {
      const traces = await readTraces(one.traces.slice(-MOST_EVENTS));
      const turns = turnsOfSession(traces);
      if (turns.length === 0) {
        setNothing(traces.some((trace) => trace.bodies_removed_days !== undefined) ? "bodies" : "empty");
      } else {
        const text = await scenarioText(one, turns);
        onMade(`session/${one.dialect}/${one.session}`, text);
      }
    } catch (thrown) {
      setFault(asFault(thrown));
    }
    setReading(null);
  };
  return (
    <Sheet open title={t("simulator.sessions.title")} onClose={onClose}>
      <div className="pad-16 text-small ink-2">{t("simulator.sessions.text")}</div>
      {fault === null ? null : <FaultNote fault={fault} />}
      {nothing === null ? null : (
        <Note kind="warning" className="flat">
          {t(`simulator.sessions.${nothing}`)}
        </Note>
      )}
      {page.error !== null ? (
        <FaultNote fault={page.error} onRetry={() => void page.refetch()} />
      ) : page.data === undefined ? (
        <Skeleton rows={4} height={44} what={t("simulator.sessions.title")} />
      ) : sessions.length === 0 ? (
        <p className="pad-16 text-small">{t("simulator.sessions.none")}</p>
      ) : (
        <ul className="scroll" aria-label={t("simulator.sessions.title")}>
          {sessions.map((one) => (
            <li key={`${one.dialect} ${one.session}`}>
              <button
                type="button"
                className="flex items-center gap-2 w-full min-h-11 py-1 px-4 text-left border-b border-line-1 hover:bg-3"
                disabled={reading !== null}
                onClick={() => void choose(one)}
              >
                <DialectTag dialect={one.dialect} />
                <span className="grow">
                  <span className="mono trunc block">{oneLine(one.session, 60)}</span>
                  <span className="text-tiny dim trunc block">
                    {[one.agent === null ? null : oneLine(one.agent, 40), time(one.at)].filter(Boolean).join(" · ")}
                  </span>
                </span>
                {reading === one.session ? (
                  <span className="row text-tiny" role="status">
                    <Spinner size={14} />
                    {t("simulator.sessions.reading")}
                  </span>
                ) : (
                  <span className="text-tiny dim">{t("simulator.sessions.events", { count: one.traces.length })}</span>
                )}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Sheet>
  );
}

async function readTraces(ids: readonly string[]): Promise<Trace[]> {
  const traces: Trace[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const batch = ids.slice(from, from + AT_ONCE).map((trace) => call("history.show", { trace }));
    traces.push(...(await Promise.all(batch)));
  }
  return traces;
}

/** The engine writes the turns as YAML. */
async function scenarioText(one: RecordedSession, turns: readonly unknown[]): Promise<string> {
  const changes = [{ do: "set" as const, at: ["turns"], value: turns }];
  return (await call("scenarios.read", { text: `dialect: ${one.dialect}\n`, changes })).text;
}
