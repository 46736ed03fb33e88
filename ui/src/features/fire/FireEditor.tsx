/** One payload with its result: edited, saved, fired. */
import { PanelLeft, Pin, Trash2 } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
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

/** The payload as text, with the way back to what it was. */
function useDraft(project: string, chosen: Chosen) {
  const initial = useMemo(() => JSON.stringify(chosen.payload, null, 2), [chosen.payload]);
  const key = `fire ${project} ${chosen.id}`;
  const draft = useView((view) => view.drafts[key]);
  const keep = useView((view) => view.setDraft);
  return {
    text: draft ?? initial,
    isEdited: draft !== undefined && draft !== initial,
    setText: (text: string) => keep(key, text),
    reset: () => keep(key, null),
  };
}

type Draft = ReturnType<typeof useDraft>;

export function FireEditor(props: FireEditorProps) {
  const { chosen, project, hook } = props;
  const draft = useDraft(project, chosen);
  const { text } = draft;
  const parsed = usePayload(text, chosen.payload);
  const { run, fire, stop } = useRun(project, chosen.id);
  const target = useTarget(chosen.dialect, project, props.agent);
  const start = useCallback(() => {
    // A long text was perhaps not parsed since the last key.
    const { payload } = parsePayload(text);
    if (payload !== null) void fire(chosen.dialect, chosen.event, payload, target.agent?.session ?? null);
  }, [fire, chosen, text, target.agent]);
  useScreenActions({ "fire.run": start, "fire.stop": run.state === "running" ? stop : null });
  return (
    <>
      <PayloadEditor
        {...props}
        draft={draft}
        parsed={parsed}
        run={run}
        target={<Target target={target} onChange={props.onAgent} />}
        onFire={start}
        onStop={stop}
      />
      <ResultPane chosen={chosen} project={project} hook={hook} parsed={parsed} run={run} />
    </>
  );
}

/** What stands for a masked value in recorded and saved payloads. */
const MASKED_VALUE = "‹redacted›";

type Parsed = ReturnType<typeof usePayload>;
type Run = ReturnType<typeof useRun>["run"];

interface PayloadEditorProps extends FireEditorProps {
  draft: Draft;
  parsed: Parsed;
  run: Run;
  target: ReactNode;
  onFire: () => void;
  onStop: () => void;
}

/** The payload, with what can be done with it. */
function PayloadEditor(props: PayloadEditorProps) {
  const { chosen, fixtures, draft, parsed, run, target, onOpen, onTree, onFire, onStop } = props;
  const { t } = useTranslation();
  const event = useEventInfo(chosen.dialect, chosen.event);
  const { text } = draft;
  const types = useMemo(() => wrongTypes(parsed.settled, text, event), [parsed.settled, text, event]);
  const saving = useSaving(props);
  const copy = useCopyCommand(props);
  const { saved } = chosen;
  const isValid = parsed.payload !== null;
  return (
    <>
      <SizedPane id="fire.payload" label={t("fire.payload")} width={352} min={260} max={640} split="right">
        <PayloadPane
          text={text}
          edited={draft.isEdited}
          error={parsed.error}
          isMasked={text.includes(MASKED_VALUE)}
          wrongTypes={types}
          run={run}
          target={target}
          onChange={draft.setText}
          onReset={draft.reset}
          onFire={onFire}
          onStop={onStop}
          onCopy={() => void copy()}
          onSave={saving.saveNow}
          menu={[
            { label: t("fire.save.as"), icon: Pin, action: "fixture.saveAs", disabled: !isValid, run: saving.saveAs },
            ...(saved ? [{ label: t("fire.save.remove"), icon: Trash2, run: () => saving.removeSaved(saved) }] : []),
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
      {saving.isOpen && parsed.payload ? (
        <SaveFixture
          what={{ dialect: chosen.dialect, event: chosen.event, payload: parsed.payload }}
          name={fixtureName(saving.suggested)}
          fixtures={fixtures}
          onSaved={(fixture) => {
            draft.reset();
            onOpen(fixture);
          }}
          onClose={saving.close}
        />
      ) : null}
    </>
  );
}

/** Keeping the payload under a name, and giving the name up. */
function useSaving({ chosen, fixtures, recorded, draft, parsed, onOpen }: PayloadEditorProps) {
  const { t } = useTranslation();
  const { time } = useFormats();
  const [isOpen, setOpen] = useState(false);
  const { save, remove } = useFixtures(fixtures);
  const suggested = recorded
    ? t("fire.save.fromEvent", { time: time(chosen.name) })
    : chosen.saved
      ? t("fire.save.of", { name: chosen.name })
      : "";
  const saveAs = () => setOpen(parsed.payload !== null);
  const saveNow = () => {
    const own = chosen.saved;
    if (parsed.payload === null) return;
    if (own === null) saveAs();
    else {
      const { dialect, event, name } = own;
      save({ dialect, event, name, payload: parsed.payload, keep_secrets: false }, draft.reset);
    }
  };
  const removeSaved = (fixture: Fixture) =>
    remove(fixture, () => {
      draft.reset();
      onOpen({ dialect: fixture.dialect, event: fixture.event });
    });
  useScreenActions({ "fixture.saveAs": saveAs, "fixture.save": saveNow });
  return { isOpen, close: () => setOpen(false), suggested, saveAs, saveNow, removeSaved };
}

/** Copies the command line that fires the same. */
function useCopyCommand({ chosen, project, parsed }: PayloadEditorProps): () => Promise<void> {
  const say = useMessages();
  const copyText = useCopy();
  return async () => {
    if (parsed.payload === null) return;
    const params = { project, dialect: chosen.dialect, event: chosen.event, payload: parsed.payload };
    try {
      const { text: line } = await call("fire.command_line", params);
      copyText(line);
    } catch (thrown) {
      toast(say.fault(asFault(thrown)).message, null, "error");
    }
  };
}

interface ResultPaneProps extends Pick<FireEditorProps, "chosen" | "project" | "hook"> {
  parsed: Parsed;
  run: Run;
}

/** What came of the event, what runs now, or what would run. */
function ResultPane({ chosen, project, hook, parsed, run }: ResultPaneProps) {
  const { t } = useTranslation();
  const isRunning = useLate(run.state === "running");
  const running = useRunning(isRunning);
  const chain = isRunning ? running.chains.find((one) => one.run === run.id) : undefined;
  const atAgent = isRunning ? running.atAgents.find((one) => one.run === run.id) : undefined;
  const followed = useTrace(run.trace?.trace, { enabled: run.trace !== null && hasDetached(run.trace) }).data;
  const trace = followed?.trace === run.trace?.trace ? (followed ?? run.trace) : run.trace;
  const [step, setStep] = useState<number | null>(null);
  useEffect(() => {
    if (run.trace === null) return;
    const wanted = run.trace.steps.findIndex((one) => one.hook === hook);
    const deciding = run.trace.steps.findIndex((one) => one.hook === run.trace?.verdict.by);
    setStep(wanted >= 0 ? wanted : deciding >= 0 ? deciding : run.trace.steps.length > 0 ? 0 : null);
  }, [run.trace, hook]);
  const result = useRef<HTMLDivElement>(null);
  const { state } = run;
  // Where the panes stand below each other, a result below the edge would go unseen.
  useEffect(() => {
    if (state === "running" && window.matchMedia(BELOW_EACH_OTHER).matches) {
      result.current?.scrollIntoView({ block: "start" });
    }
  }, [state]);
  return (
    <Pane label={t("fire.result")} className="result">
      <div ref={result} />
      {run.fault ? <FaultNote fault={run.fault} /> : null}
      {trace && !isRunning ? (
        <Result
          trace={trace}
          draw={run.first}
          step={step}
          onStep={setStep}
          project={project}
          reply={run.answer === null ? null : <AgentReply answer={run.answer} />}
        />
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
