/** What stands beside the scenario: what will run, that it is running, why it cannot be run, or its result. */
import { FaultNote, Note, Pane } from "@/components";
import { useNewHook } from "@/domain/newHook/newHook";
import { hooksChanged } from "@/domain/trace/hooksChanged";
import { t } from "@/i18n";
import { faultText } from "@/i18n/messages";
import { Fault, type HookRow, type Scenario, type SimulateDocument } from "@/ipc";
import { oneLine } from "@/lib/escape";
import type { Position } from "./position";
import { Result } from "./Result";
import { NotRunYet, Running } from "./RunState";
import type { SimulationRun } from "./run";
import { missingSkills } from "./SkillHooks";
import type { ScenarioSource } from "./scenarios";

interface ResultPaneProps {
  project: string;
  source: ScenarioSource;
  run: SimulationRun;
  /** The text as it is now. */
  text: string;
  scenario: Scenario | null;
  /** Those of the scenario's dialect. */
  hooks: readonly HookRow[];
  position: Position;
  /** Whether the exact text of the call is on show. */
  exact: boolean;
  onExact: (on: boolean) => void;
}

export function ResultPane({ project, source, run, text, scenario, hooks, position, exact, onExact }: ResultPaneProps) {
  const missing = run.since === null ? missingSkills(scenario?.enabled_skills ?? null, hooks) : [];
  return (
    <Pane label={t("simulator.result")} className="overflow-hidden">
      {missing.length > 0 ? (
        <Note kind="warning" className="flat">
          {t("simulator.hooks.missing", { count: missing.length, skills: oneLine(missing.join(t("list"))) })}{" "}
          {source.kind === "sample" ? <AddSample source={source} /> : null}
        </Note>
      ) : null}
      {run.since !== null ? (
        <Running since={run.since} project={project} />
      ) : run.fault !== null ? (
        <RunFault fault={run.fault} />
      ) : run.result === null || position.turn === null ? (
        <NotRunYet hooks={hooks} scenario={scenario} />
      ) : (
        <Result
          document={run.result.document}
          stopped={run.stopped}
          since={run.result.text !== text ? "edited" : isOutdated(run.result.document, hooks) ? "hooks" : null}
          turn={position.turn}
          position={position}
          exact={exact}
          onExact={() => onExact(!exact)}
        />
      )}
    </Pane>
  );
}

/** The hooks that a scenario of the samples was written for. */
function AddSample({ source: { dialect, name } }: { source: ScenarioSource }) {
  const ask = useNewHook((store) => store.ask);
  return (
    <button type="button" className="link" onClick={() => ask({ way: "sample", sample: `${dialect}/${name}` })}>
      {t("simulator.hooks.addSample")}
    </button>
  );
}

/** A scenario that cannot be run: its line and field, or another reason. */
function RunFault({ fault }: { fault: Fault }) {
  const { line, field, why } = fault.args as { line?: unknown; field?: unknown; why?: unknown };
  if (fault.code !== "bad_scenario") return <FaultNote fault={fault} />;
  const place = { line: String(line), field: String(field), why: String(why) };
  const message = t("simulator.badLine", place);
  return <FaultNote fault={new Fault({ code: "", message, hint: faultText(fault).hint, args: {} })} />;
}

function isOutdated({ traces }: SimulateDocument, hooks: readonly HookRow[]): boolean {
  return traces.some((trace) => hooksChanged(trace, hooks));
}
