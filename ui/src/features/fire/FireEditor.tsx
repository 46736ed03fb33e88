/** One payload with its result: edited, saved, fired. */
import { Pin, Trash2 } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { FaultNote, Pane, SizedPane, TreeToggle } from "@/components";
import { copyText } from "@/domain/clipboard";
import { fixtureName, SaveFixture, useFixtures } from "@/domain/fixtures/SaveFixture";
import { toastFault } from "@/domain/refused";
import { RunningRun } from "@/domain/running/RunningChain";
import { useRunning } from "@/domain/running/running";
import { hooksChanged } from "@/domain/trace/hooksChanged";
import { useTrace } from "@/domain/trace/runOrder";
import { decidedOnlyHere } from "@/domain/trace/verdict";
import { t } from "@/i18n";
import { time } from "@/i18n/format";
import { call, type Fixture, type HookRow, type Trace } from "@/ipc";
import { useEventInfo } from "@/ipc/dialects";
import { useScreenActions } from "@/lib/actions";
import { toJson } from "@/lib/exactJson";
import { useMedia } from "@/lib/media";
import { useView } from "@/lib/view";
import { AgentReply } from "./AgentReply";
import { type Level, PayloadPane } from "./PayloadPane";
import { Planned } from "./Planned";
import { parsePayload, usePayload } from "./payload";
import { Result } from "./Result";
import { type Run, useRun } from "./run";
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
  hooks: readonly HookRow[];
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
  const initial = toJson(chosen.payload, 2);
  const key = `fire ${project} ${chosen.id}`;
  const draft = useView((view) => view.drafts[key]);
  const keep = useView((view) => view.setDraft);
  return {
    initial,
    text: draft ?? initial,
    /** The text at the time of the call. */
    textNow: useCallback(() => useView.getState().drafts[key] ?? initial, [key, initial]),
    isEdited: draft !== undefined && draft !== initial,
    setText: (text: string) => keep(key, text),
    reset: () => keep(key, null),
  };
}

type Draft = ReturnType<typeof useDraft>;

export function FireEditor(props: FireEditorProps) {
  const { chosen, project } = props;
  const draft = useDraft(project, chosen);
  const { text, textNow } = draft;
  const parsed = usePayload(text, draft.initial);
  const { run, fire, stop, forget, draws } = useRun(project, chosen.id);
  const target = useTarget(chosen.dialect, project, props.agent);
  const [level, setLevel] = useState<Level>("real");
  const start = () => {
    // A long text was perhaps not parsed since the last key.
    const payload = textNow();
    const { dialect, event } = chosen;
    if (parsePayload(payload).payload === null) return;
    // Who would run is what the pane shows without a result.
    if (level === "match") return forget();
    fire({ project, dialect, event, payload }, target.agent?.session ?? null);
  };
  useScreenActions({ "fire.run": start, "fire.stop": run.since === null ? null : stop });
  return (
    <>
      <PayloadEditor
        {...props}
        draft={draft}
        parsed={parsed}
        run={run}
        target={<Target target={target} onChange={props.onAgent} />}
        level={level}
        onLevel={setLevel}
        onFire={start}
        onStop={stop}
      />
      <ResultPane
        chosen={chosen}
        project={project}
        hooks={props.hooks}
        hook={props.hook}
        settled={parsed.settled}
        isInvalid={parsed.error !== null}
        run={run}
        draws={draws}
        onFire={start}
      />
    </>
  );
}

/** What stands for a masked value in recorded and saved payloads. */
const MASKED_VALUE = "‹redacted›";

type Parsed = ReturnType<typeof usePayload>;

interface PayloadEditorProps extends FireEditorProps {
  draft: Draft;
  parsed: Parsed;
  run: Run;
  target: ReactNode;
  level: Level;
  onLevel: (level: Level) => void;
  onFire: () => void;
  onStop: () => void;
}

/** Three tenths of the width without the navigation, at most 560 px; a smaller window leaves the width to the result. */
function usePayloadWidth(): number {
  const isWide = useMedia("(min-width: 1500px)");
  const isWider = useMedia("(min-width: 1900px)");
  const isWidest = useMedia("(min-width: 2050px)");
  return isWidest ? 560 : isWider ? 520 : isWide ? 400 : 352;
}

/** The payload, with what can be done with it. */
function PayloadEditor(props: PayloadEditorProps) {
  const { chosen, fixtures, draft, parsed, run, target, onOpen, onTree, onFire, onStop } = props;
  const event = useEventInfo(chosen.dialect, chosen.event);
  const { text } = draft;
  const { payload } = parsed;
  const types = payload === null ? [] : wrongTypes(payload, text, event);
  const saving = useSaving(props);
  const copy = () => copyCommand(props);
  const { saved } = chosen;
  const isValid = payload !== null;
  const width = usePayloadWidth();
  return (
    <>
      <SizedPane id="fire.payload" label={t("fire.payload")} width={width} min={260} max={640} split="right">
        <PayloadPane
          name={chosen.saved ? chosen.name : props.recorded ? time(chosen.name) : t("fire.payload")}
          event={event}
          level={props.level}
          onLevel={props.onLevel}
          text={text}
          edited={draft.isEdited}
          error={parsed.error}
          isMasked={text.includes(MASKED_VALUE)}
          wrongTypes={types}
          remarks={parsed.remarks}
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
          before={<TreeToggle label={t("fire.fixtures")} onClick={onTree} />}
        />
      </SizedPane>
      {saving.isOpen && isValid ? (
        <SaveFixture
          what={{ dialect: chosen.dialect, event: chosen.event, payload: text }}
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
  const [isOpen, setOpen] = useState(false);
  const { save, remove } = useFixtures(fixtures, toastFault);
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
      save({ dialect, event, name, payload: draft.text, keep_secrets: false }, draft.reset);
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
async function copyCommand({ chosen, project, draft, parsed }: PayloadEditorProps): Promise<void> {
  if (parsed.payload === null) return;
  const params = { project, dialect: chosen.dialect, event: chosen.event, payload: draft.text };
  try {
    const { text: line } = await call("fire.command_line", params);
    copyText(line);
  } catch (thrown) {
    toastFault(thrown);
  }
}

interface ResultPaneProps extends Pick<FireEditorProps, "chosen" | "project" | "hooks" | "hook"> {
  /** The last text that was a payload. */
  settled: string;
  /** The text is not JSON now. */
  isInvalid: boolean;
  run: Run;
  /** The result draws itself. */
  draws: boolean;
  onFire: () => void;
}

/** What came of the event, what runs now, or what would run. A key in the payload alone does not draw it again. */
function ResultPane(props: ResultPaneProps) {
  const { chosen, project, hooks, hook, settled, isInvalid, run, draws, onFire } = props;
  const isRunning = useLate(run.since);
  const running = useRunning(isRunning);
  const chain = isRunning ? running.chains.find((one) => one.run === run.id) : undefined;
  const atAgent = isRunning ? running.atAgents.find((one) => one.run === run.id) : undefined;
  const fired = run.result?.trace ?? null;
  const answer = run.result?.answer ?? null;
  const reply = answer === null ? null : <AgentReply answer={answer} />;
  const followed = useTrace(fired?.trace, { enabled: fired !== null && hasDetached(fired) }).data;
  const trace = followed?.trace === fired?.trace ? (followed ?? fired) : fired;
  const [step, setStep] = useState<number | null>(null);
  useEffect(() => {
    if (fired === null) return;
    const wanted = fired.steps.findIndex((one) => one.hook === hook);
    const deciding = fired.steps.findIndex((one) => one.hook === fired.verdict.by);
    setStep(wanted >= 0 ? wanted : deciding >= 0 ? deciding : null);
  }, [fired, hook]);
  const result = useRef<HTMLDivElement>(null);
  const { since } = run;
  // Where the panes stand below each other, a result below the edge would go unseen.
  useEffect(() => {
    if (since !== null && window.matchMedia(BELOW_EACH_OTHER).matches) {
      result.current?.scrollIntoView({ block: "start" });
    }
  }, [since]);
  return (
    <Pane label={t("fire.result")} className="overflow-x-hidden overflow-y-auto flex flex-col">
      <div ref={result} />
      {run.fault ? <FaultNote fault={run.fault} /> : null}
      {trace && !isRunning ? (
        <Result
          trace={trace}
          draw={draws}
          step={step}
          onStep={setStep}
          reply={reply}
          isOutdated={hooksChanged(trace, hooks)}
          onlyHere={decidedOnlyHere(trace, hooks)}
          onFire={onFire}
        />
      ) : run.fault && !isRunning ? null : chain || atAgent ? (
        <RunningRun chain={chain} atAgent={atAgent} at={running.at} />
      ) : (
        <Planned
          project={project}
          dialect={chosen.dialect}
          event={chosen.event}
          payload={settled}
          since={isRunning ? since : null}
          outdated={isInvalid}
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

/** True while something has been running for a moment, so that a quick run does not flicker. */
function useLate(since: number | null): boolean {
  const [late, setLate] = useState(() => since !== null && Date.now() - since >= SHOW_RUNNING_MS);
  useEffect(() => {
    if (since === null) {
      setLate(false);
      return undefined;
    }
    const timer = setTimeout(() => setLate(true), Math.max(0, since + SHOW_RUNNING_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [since]);
  return since !== null && late;
}
