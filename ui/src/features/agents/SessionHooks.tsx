/** The hooks that an agent registered for its session, and which of them wait for an approval. */
import { ShieldQuestionMark } from "lucide-react";
import { Button } from "@/components";
import { AlwaysAllow } from "@/domain/trust/AlwaysAllow";
import { t } from "@/i18n";
import type { AgentRow } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { useGoTo } from "./useGoTo";

export function SessionHooks({ row }: { row: AgentRow }) {
  const goTo = useGoTo();
  if (row.session_hooks.length === 0) return <p className="pad-16 text-small ink-2">{t("agents.hooks.none")}</p>;
  return (
    <ul className="pane-body scroll" aria-label={t("agents.tab.hooks", { count: row.session_hooks.length })}>
      {row.session_hooks.map(({ hook, label, event, trusted, agent }) => (
        <li key={hook} className="border-b border-line-1 flex items-center gap-3 min-h-9 py-0.5 px-4">
          <button
            type="button"
            className="link trunc text-small"
            onClick={() => goTo(row.cwd, { to: "/hooks", search: { hook } })}
          >
            {oneLine(label, 80)}
          </button>
          <span className="mono text-small dim trunc grow">{oneLine(event, 60)}</span>
          {trusted ? (
            <span className="row text-small dim">{t("agents.hooks.may")}</span>
          ) : (
            <>
              <span className="text-small ink-late">{t("agents.hooks.waits")}</span>
              <Button
                size="small"
                icon={ShieldQuestionMark}
                onClick={() => goTo(row.cwd, { to: "/trust", search: { hook } })}
              >
                {t("agents.hooks.review")}
              </Button>
              {agent === null ? null : <AlwaysAllow program={agent} project={row.cwd} size="small" />}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
