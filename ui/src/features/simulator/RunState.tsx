/** Before a result: what will run, or that it is running. */
import { ShieldQuestionMark } from "lucide-react";
import { Note, Spinner, useAfter } from "@/components";
import { t } from "@/i18n";
import type { HookRow, Scenario } from "@/ipc";
import { joinSentences } from "@/lib/sentences";
import { useLiveRows } from "@/live/rows";
import { Link } from "@/routes/router";

/** A run that is over before this is no state of its own. */
const SHOW_RUNNING_MS = 150;

/** The engine answers when the whole conversation has been played; its events come in before. */
export function Running({ since, project }: { since: number; project: string }) {
  const due = useAfter(SHOW_RUNNING_MS);
  const { rows } = useLiveRows();
  if (!due) return <div aria-busy="true" className="fill" />;
  const isOwn = (row: (typeof rows)[number]) =>
    row.origin === "simulated" && row.project === project && Date.parse(row.at) >= since;
  const events = rows.filter(isOwn);
  return (
    <div className="empty" role="status">
      <div className="empty-head row">
        <Spinner size={16} />
        {t("simulator.running")}
      </div>
      <p className="text-small ink-2">
        {events[0] === undefined
          ? t("simulator.noEventYet")
          : t("simulator.eventsSoFar", { count: events.length, event: events[0].event })}
      </p>
    </div>
  );
}

interface NotRunYetProps {
  /** Those of the scenario's dialect. */
  hooks: readonly HookRow[];
  scenario: Scenario | null;
}

export function NotRunYet({ hooks, scenario }: NotRunYetProps) {
  const waiting = hooks.filter((hook) => hook.valid && hook.enabled && !hook.trusted);
  return (
    <div className="empty flex flex-col gap-2">
      <h2 className="empty-head">{t("simulator.notRun.title")}</h2>
      <p className="text-small ink-2">
        {joinSentences(
          scenario === null
            ? t("simulator.notRun.broken")
            : t("simulator.notRun.turns", { count: scenario.turns.length }),
          t("simulator.notRun.hooks", { count: hooks.length }),
        )}
      </p>
      <p className="text-small ink-2">{t("simulator.notRun.real")}</p>
      {waiting.length > 0 ? (
        <Note kind="warning" icon={ShieldQuestionMark} lead={t("simulator.waiting", { count: waiting.length })}>
          <Link className="link" to="/trust" search={{ hook: waiting[0]?.hook }}>
            {t("simulator.review")}
          </Link>
        </Note>
      ) : null}
    </div>
  );
}
