/** What the checks of a hook looked at: its place, its approval, its filter, and what the event had instead. */
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { filterText, locationOf } from "@/domain/hooks/facts";
import type { ExplainStep, Gate, HookRow, Payload, Step } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { oneLine } from "@/lib/escape";
import { shortPath } from "@/lib/names";
import { pretty } from "@/lib/pretty";

interface EvidenceSubject {
  dialect: string;
  event: string;
  payload: Payload;
  source: Step["source"] | ExplainStep["source"];
  /** The hook as it is defined now; undefined where it is gone. */
  hook: HookRow | undefined;
  project: string;
}

/** The second line of a check that passed. */
export function useGateDetail(subject: EvidenceSubject): (gate: Gate) => ReactNode {
  const { t } = useTranslation();
  const { source, hook, event, project } = subject;
  return (gate) => {
    switch (gate.gate) {
      case "valid": {
        const place = { line: source.line, column: null };
        return <span className="mono text-tiny">{locationOf(place, shortPath(source.path, project))}</span>;
      }
      case "trusted":
        if (source.layer === "user") return t("hooks.drawer.userFile");
        return source.layer === "project" || source.layer === "skill" ? t("explain.approved") : null;
      case "enabled":
        return t("explain.notMuted");
      case "event":
        return <span className="mono text-tiny">{event}</span>;
      case "filter": {
        const filter = hook === undefined ? "" : filterText(hook.filter);
        return filter === "" ? t("explain.noFilter") : <span className="mono text-tiny">{filter}</span>;
      }
      case "chain":
        return null;
    }
  };
}

/** The wanted beside the actual, for a filter that did not match. */
export function useFilterBox(subject: EvidenceSubject): (gate: Gate) => ReactNode {
  const { t } = useTranslation();
  const { hook, payload, dialect } = subject;
  const toolField = useDialects().find((one) => one.id === dialect)?.tool_field;
  return (gate) => {
    if (gate.gate !== "filter" || hook === undefined) return null;
    const { filter } = hook;
    const clauses =
      filter !== null && typeof filter === "object" && !Array.isArray(filter) ? Object.entries(filter) : [];
    if (clauses.length === 0) return null;
    return (
      <div className="compared">
        {clauses.map(([name, wanted]) => {
          // A matcher is about the tool, whatever the dialect calls that field.
          const field = name in payload || toolField == null ? name : toolField;
          const value = payload[field];
          return (
            <dl key={name}>
              <dt>{t("explain.wants")}</dt>
              <dd className="mono">
                {name} <span className="variable">{oneLine(pretty(wanted), 120)}</span>
              </dd>
              <dt>{t("explain.has")}</dt>
              <dd className="mono">
                {field}{" "}
                {value === undefined ? (
                  <span className="variable empty">{t("explain.noField")}</span>
                ) : (
                  <span className="variable bad">{oneLine(pretty(value), 120)}</span>
                )}
              </dd>
            </dl>
          );
        })}
        <Link className="link text-tiny" to="/hooks" search={{ hook: hook.hook, event: hook.event, tab: "source" }}>
          {t("explain.openSource")}
        </Link>
      </div>
    );
  };
}
