/** One payload with its result: edited, saved, fired. */
import { PanelLeft, Pin, Trash2 } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Button, FaultNote, Pane, SizedPane, toast } from "@/components";
import { useCopy } from "@/domain/clipboard";
import { fixtureName, SaveFixture, useFixtures } from "@/domain/fixtures/SaveFixture";
import { RunningRun } from "@/domain/running/RunningChain";
import { useRunning } from "@/domain/running/running";
import { useTrace } from "@/domain/trace/runOrder";
import { useTranslation } from "@/i18n";
import { useFormats } from "@/i18n/format";
import { useMessages } from "@/i18n/messages";
import { asFault, call, type Fixture, type Trace } from "@/ipc";
import { useEventInfo } from "@/ipc/dialects";
import { useScreenActions } from "@/lib/actions";
import { useView } from "@/lib/view";
import { AgentReply } from "./AgentReply";
import { PayloadPane } from "./PayloadPane";
import { Planned } from "./Planned";
import { parsePayload, usePayload } from "./payload";
import { Result } from "./Result";
import { useRun } from "./run";
import { Target, useTarget } from "./Target";
import { wrongTypes } from "./wrongTypes";

/** What lies on the desk. */
export interface Chosen {
  id: string;
  dialect: string;
  event: string;
  name: string;
  /** The saved fixture it is, if it is one. */
  saved: Fixture | null;
  payload: Record<string, unknown>;
}

interface FireEditorProps {
  chosen: Chosen;
  fixtures: readonly Fixture[];
  project: string;
  /** It is a recorded event; its name is its time. */
  recorded: boolean;
  /** Whose step is chosen first. */
  hook: string | undefined;
  /** The session of the agent to fire at; null for the engine alone. */
  agent: string | null;
  onAgent: (session: string | null) => void;
  onOpen: (fixture: { dialect: string; event: string; name?: string }) => void;
  onTree: () => void;
}

export function FireEditor(props: FireEditorProps) {
  const { chosen, fixtures, project, recorded, hook, onOpen, onTree } = props;
  const { t } = useTranslation();
  const { time } = useFormats();
  const say = useMessages();
  const initial = useMemo(() => JSON.stringify(chosen.payload, null, 2), [chosen.payload]);
  const draftKey = `fire ${project} ${chosen.id}`;
  const draft = useView((view) => view.drafts[draftKey]);
  const setDraft = useView((view) => view.setDraft);
  const text = draft ?? initial;
  const parsed = usePayload(text, chosen.payload);
  const event = useEventInfo(chosen.dialect, chosen.event);
  const types = useMemo(() => wrongTypes(parsed.settled, text, event), [parsed.settled, text, event]);
  const { run, fire, stop } = useRun(project, chosen.id);
  const target = useTarget(chosen.dialect, project, props.agent);
  const isRunning = useLate(run.state === "running");
  const running = useRunning(isRunning);
  const chain = isRunning ? running.chains.find((one) => one.run === run.id) : undefined;
  const atAgent = isRunning ? running.atAgents.find((one) => one.run === run.id) : undefined;
  const followed = useTrace(run.trace?.trace, { enabled: run.trace !== null && hasDetached(run.trace) }).data;
  const trace = followed?.trace === run.trace?.trace ? (followed ?? run.trace) : run.trace;
  const [step, setStep] = useState<number | null>(null);
  const [saving, setSaving] = useState(false);
  const { save, remove } = useFixtures(fixtures);
  const suggested = recorded
    ? t("fire.save.fromEvent", { time: time(chosen.name) })
    : chosen.saved
      ? t("fire.save.of", { name: chosen.name })
      : "";
  const saveAs = () => setSaving(parsed.payload !== null);
  const saveNow = () => {
    if (parsed.payload === null) return;
    const own = chosen.saved;
    if (own === null) saveAs();
    else {
      const { dialect, event, name } = own;
      save({ dialect, event, name, payload: parsed.payload, keep_secrets: false }, () => setDraft(draftKey, null));
    }
  };

  const start = useCallback(() => {
    // A long text was perhaps not parsed since the last key.
    const { payload } = parsePayload(text);
    if (payload !== null) void fire(chosen.dialect, chosen.event, payload, target.agent?.session ?? null);
  }, [fire, chosen, text, target.agent]);
  useScreenActions({
    "fixture.saveAs": saveAs,
    "fixture.save": saveNow,
    "fire.run": start,
    "fire.stop": run.state === "running" ? stop : null,
  });
  useEffect(() => {
    if (run.trace === null) return;
    const wanted = run.trace.steps.findIndex((one) => one.hook === hook);
    const deciding = run.trace.steps.findIndex((one) => one.hook === run.trace?.verdict.by);
    setStep(wanted >= 0 ? wanted : deciding >= 0 ? deciding : run.trace.steps.length > 0 ? 0 : null);
  }, [run.trace, hook]);

  const result = useRef<HTMLDivElement>(null);
  const { state: runState } = run;
  // Where the panes stand below each other, a result below the edge would go unseen.
  useEffect(() => {
    if (runState === "running" && window.matchMedia(BELOW_EACH_OTHER).matches) {
      result.current?.scrollIntoView({ block: "start" });
    }
  }, [runState]);

  const removeSaved = (fixture: Fixture | null) => {
    if (fixture === null) return;
    remove(fixture, () => {
      setDraft(draftKey, null);
      onOpen({ dialect: fixture.dialect, event: fixture.event });
    });
  };
  const copyText = useCopy();
  const copy = async () => {
    if (parsed.payload === null) return;
    const params = { project, dialect: chosen.dialect, event: chosen.event, payload: parsed.payload };
    try {
      const { text: line } = await call("fire.command_line", params);
      copyText(line);
    } catch (thrown) {
      toast(say.fault(asFault(thrown)).message, null, "error");
    }
  };
  return (
    <>
      <SizedPane id="fire.payload" label={t("fire.payload")} width={352} min={260} max={640} split="right">
        <PayloadPane
          text={text}
          edited={draft !== undefined && draft !== initial}
          error={parsed.error}
          wrongTypes={types}
          run={run}
          target={<Target target={target} onChange={props.onAgent} />}
          onChange={(value) => setDraft(draftKey, value)}
          onReset={() => setDraft(draftKey, null)}
          onFire={start}
          onStop={stop}
          onCopy={() => void copy()}
          onSave={saveNow}
          menu={[
            {
              label: t("fire.save.as"),
              icon: Pin,
              action: "fixture.saveAs",
              disabled: parsed.payload === null,
              run: saveAs,
            },
            ...(chosen.saved
              ? [{ label: t("fire.save.remove"), icon: Trash2, run: () => removeSaved(chosen.saved) }]
              : []),
          ]}
          before={
            <span className="only-narrow">
              <Button
                kind="ghost"
                size="small"
                icon={PanelLeft}
                label={t("fire.fixtures")}
                action="tree.toggle"
                onClick={onTree}
              />
            </span>
          }
        />
      </SizedPane>
      {saving && parsed.payload ? (
        <SaveFixture
          what={{ dialect: chosen.dialect, event: chosen.event, payload: parsed.payload }}
          name={fixtureName(suggested)}
          fixtures={fixtures}
          onSaved={(fixture) => {
            setDraft(draftKey, null);
            onOpen(fixture);
          }}
          onClose={() => setSaving(false)}
        />
      ) : null}
      <Pane label={t("fire.result")} className="result">
        <div ref={result} />
        {run.fault ? <FaultNote fault={run.fault} /> : null}
        {run.answer !== null && !isRunning ? <AgentReply answer={run.answer} /> : null}
        {trace && !isRunning ? (
          <Result trace={trace} draw={run.first} step={step} onStep={setStep} project={project} />
        ) : run.fault && !isRunning ? null : chain || atAgent ? (
          <RunningRun chain={chain} atAgent={atAgent} at={running.at} />
        ) : (
          <Planned
            project={project}
            dialect={chosen.dialect}
            event={chosen.event}
            payload={parsed.settled}
            since={isRunning ? run.since : null}
            outdated={parsed.error !== null}
          />
        )}
      </Pane>
    </>
  );
}

function hasDetached(trace: Trace): boolean {
  return trace.steps.some((step) => step.outcome === "detached");
}

/** As in fire.css. */
const BELOW_EACH_OTHER = "(max-width: 719px)";
/** A run that is over before this is no state of its own. */
const SHOW_RUNNING_MS = 150;

/** True while `on` has been true for a moment, so that a quick run does not flicker. */
function useLate(on: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!on) {
      setLate(false);
      return undefined;
    }
    const timer = setTimeout(() => setLate(true), SHOW_RUNNING_MS);
    return () => clearTimeout(timer);
  }, [on]);
  return on && late;
}
