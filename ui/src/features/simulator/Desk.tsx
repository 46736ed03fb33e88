/** One scenario: its text and form at the left, its result beside it. */
import { Square, Zap } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, DialectTag, Elapsed, Page, TreeToggle } from "@/components";
import { t } from "@/i18n";
import { type HookRow, useCall } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { escapeInvisible } from "@/lib/escape";
import { useView } from "@/lib/view";
import type { ScenarioChoices } from "./Chooser";
import { EventPane } from "./EventPane";
import { usePosition } from "./position";
import { ResultPane } from "./ResultPane";
import { useSimulation } from "./run";
import { changesMade } from "./ScenarioForm";
import { ScenarioPane } from "./ScenarioPane";
import { Scrubber } from "./Scrubber";
import { draftKey, type ScenarioSource } from "./scenarios";
import { turnsOf } from "./timeline";

interface DeskProps {
  project: string;
  source: ScenarioSource;
  choices: ScenarioChoices;
  hooks: readonly HookRow[];
}

/** The text of the scenario as it is edited, and how the engine reads it. */
function useText(project: string, source: ScenarioSource) {
  const key = draftKey(project, source.id);
  const draft = useView((view) => view.drafts[key]);
  const keepDraft = useView((view) => view.setDraft);
  const text = draft ?? source.text;
  const reading = useCall("scenarios.read", { text }, { keepPrevious: true }).data ?? null;
  // A scenario of a session is nowhere but in its draft.
  const isNeeded = source.kind === "session" || draft !== source.text;
  // What was saved is needed until the list has it, too: before that, the text of the file is still the old one here.
  useEffect(() => {
    if (!isNeeded) keepDraft(key, null);
  }, [isNeeded, key, keepDraft]);
  return {
    text,
    reading,
    isEdited: draft !== undefined && draft !== source.text,
    setDraft: (changed: string | null) => keepDraft(key, changed),
    reset: () => keepDraft(key, source.kind === "session" ? source.text : null),
    textNow: async () => {
      await changesMade();
      return useView.getState().drafts[key] ?? source.text;
    },
  };
}

/** The scenario as it is edited, and its run. */
function useDesk(project: string, source: ScenarioSource) {
  const edited = useText(project, source);
  const { run, start, stop } = useSimulation(project, source.id);
  const document = run.result?.document ?? null;
  const turns = document === null ? [] : turnsOf(document);
  const shown = usePosition(turns);
  const [exact, setExact] = useState(false);
  const tree = useScenarioTree();
  const begin = () => {
    tree.close();
    setExact(false);
    shown.reset();
    void edited.textNow().then(start);
  };
  const isRunning = run.since !== null;
  useScreenActions({
    "scenario.run": begin,
    "fire.stop": isRunning ? stop : null,
    "tree.toggle": tree.toggle,
    "tree.close": tree.isOver ? tree.toggle : null,
    "call.previous": turns.length > 0 ? () => shown.step(-1) : null,
    "call.next": turns.length > 0 ? () => shown.step(1) : null,
  });
  const showExact = (on: boolean) => {
    shown.setEvent(null);
    setExact(on);
  };
  return { ...edited, run, isRunning, begin, stop, turns, shown, exact, showExact, tree };
}

/** Whether the scenario lies over the result, where there is no room beside it. */
function useScenarioTree() {
  const isOver = useView((view) => view.hidden["simulator.scenario.over"] === false);
  const setHidden = useView((view) => view.setHidden);
  return {
    isOver,
    toggle: () => setHidden("simulator.scenario.over", isOver),
    close: () => setHidden("simulator.scenario.over", true),
  };
}

export function Desk({ project, source, choices, hooks }: DeskProps) {
  const desk = useDesk(project, source);
  const { text, reading, run, shown, exact, showExact, tree } = desk;
  const scenario = reading?.scenario ?? null;
  const dialect = scenario?.dialect ?? source.dialect;
  const own = hooks.filter((hook) => hook.dialect === dialect);
  const trace = shown.event === null ? undefined : run.result?.document.traces[shown.event];
  return (
    <Page
      title={t("simulator.title")}
      after={<Crumbs source={source} dialect={dialect} onTree={tree.toggle} />}
      actions={<DeskActions desk={desk} />}
    >
      <div className="panes">
        <ScenarioPane
          project={project}
          source={source}
          text={text}
          textNow={desk.textNow}
          hooks={own}
          edited={desk.isEdited}
          reading={reading}
          choices={choices}
          over={tree.isOver}
          onText={desk.setDraft}
          onReset={desk.reset}
          onSaved={(id) => {
            if (id !== source.id) desk.setDraft(null);
            choices.onOpen(id);
          }}
        />
        <ResultPane
          project={project}
          source={source}
          run={run}
          text={text}
          scenario={scenario}
          hooks={own}
          position={shown}
          exact={exact}
          onExact={showExact}
        />
        {!desk.isRunning && (trace !== undefined || exact) ? (
          <EventPane trace={trace} column={shown.turn?.columns[shown.call]} onClose={() => showExact(false)} />
        ) : null}
      </div>
    </Page>
  );
}

/** Through the calls of a result, and running it or stopping it. */
function DeskActions({ desk }: { desk: ReturnType<typeof useDesk> }) {
  const { turns, shown, run, isRunning, begin, stop } = desk;
  if (isRunning)
    return (
      <Button icon={Square} action="fire.stop" onClick={stop}>
        {t("simulator.stop")} <Elapsed since={run.since ?? 0} />
      </Button>
    );
  return (
    <>
      {turns.length > 0 ? <Scrubber turns={turns} shown={shown} /> : null}
      <Button kind="primary" icon={Zap} action="scenario.run" onClick={begin}>
        {t("simulator.run")}
      </Button>
    </>
  );
}

interface CrumbsProps {
  source: ScenarioSource;
  dialect: string | null;
  onTree: () => void;
}

/** Which scenario it is; in narrow windows also the way to it. */
function Crumbs({ source, dialect, onTree }: CrumbsProps) {
  return (
    <div className="crumbs gap-2 min-w-0">
      <TreeToggle label={t("simulator.scenario")} onClick={onTree} />
      {dialect === null ? null : <DialectTag dialect={dialect} />}
      <span className="trunc">{source.kind === "new" ? t("simulator.unsaved") : escapeInvisible(source.name)}</span>
    </div>
  );
}
