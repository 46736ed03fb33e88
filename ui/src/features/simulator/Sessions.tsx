/** Chooses a recorded session, and makes a scenario of its events. */
import { useState } from "react";
import { DialectTag, FaultNote, Note, Sheet, Skeleton, Spinner } from "@/components";
import { rowsOf, useFollowed } from "@/domain/trace/useFollowed";
import { t } from "@/i18n";
import { time } from "@/i18n/format";
import { useCall, useCommand } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { type RecordedSession, sessionsOf } from "./recordedSessions";

/** The history is not kept by session: so many of its rows are looked through. */
const READ_ROWS = 1000;
/** So many events of a session are read, its last ones. */
const MOST_EVENTS = 200;

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
  const [nothing, setNothing] = useState<"empty" | "bodies" | null>(null);
  const { mutate, error: fault, isPending } = useCommand("scenarios.from_session");
  const sessions = sessionsOf(page.data?.traces ?? []);
  const choose = ({ dialect, session, traces }: RecordedSession) => {
    setReading(session);
    setNothing(null);
    mutate(
      { dialect, traces: traces.slice(-MOST_EVENTS) },
      {
        onSuccess: ({ text, bodies_removed }) => {
          if (text === null) setNothing(bodies_removed ? "bodies" : "empty");
          else onMade(`session/${dialect}/${session}`, text);
        },
      },
    );
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
                disabled={isPending}
                onClick={() => choose(one)}
              >
                <DialectTag dialect={one.dialect} />
                <span className="grow">
                  <span className="mono trunc block">{oneLine(one.session, 60)}</span>
                  <span className="text-tiny dim trunc block">
                    {[one.agent === null ? null : oneLine(one.agent, 40), time(one.at)].filter(Boolean).join(" · ")}
                  </span>
                </span>
                {isPending && reading === one.session ? (
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
