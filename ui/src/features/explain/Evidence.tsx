/** What the checks of a hook looked at: its place, its approval, its filter. */
import type { ReactNode } from "react";
import { filterText, locationOf } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import type { ExplainStep, Gate, HookRow, Step } from "@/ipc";
import { shortPath } from "@/lib/names";

interface EvidenceSubject {
  event: string;
  source: Step["source"] | ExplainStep["source"];
  /** The hook as it is defined now; undefined where it is gone. */
  hook: HookRow | undefined;
  project: string;
}

/** The second line of a check that passed. */
export function gateDetail(subject: EvidenceSubject, gate: Gate): ReactNode {
  const { source, hook, event, project } = subject;
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
}
