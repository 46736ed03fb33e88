/** One scenario: its text and form at the left, its result beside it. */
import { PanelLeft, Square, Zap } from "lucide-react";
import { useMemo, useState } from "react";
import { Button, DialectTag, Elapsed, Page } from "@/components";
import { useTranslation } from "@/i18n";
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

export function Desk({ project, source, choices, hooks }: DeskProps) {
  const { t } = useTranslation();
  const key = draftKey(project, source.id);
  const draft = useView((view) => view.drafts[key]);
  const setDraft = useView((view) => view.setDraft);
  const text = draft ?? source.text;
  const { run, start, stop } = useSimulation(project, source.id);
  const turns = useMemo(() => (run.result === null ? [] : turnsOf(run.result)), [run.result]);
  const shown = usePosition(turns);
  const reading = useCall("scenarios.read", { text }, { keepPrevious: true });
  const [exact, setExact] = useState(false);
  const treeOver = useView((view) => view.hidden["simulator.scenario.over"] === false);
  const setHidden = useView((view) => view.setHidden);
  const toggleTree = () => setHidden("simulator.scenario.over", treeOver);
  const isRunning = run.since !== null;
  const textNow = async () => {
    await changesMade();
    return useView.getState().drafts[key] ?? source.text;
  };
  const begin = () => {
    setHidden("simulator.scenario.over", true);
    setExact(false);
    shown.reset();
    void textNow().then(start);
  };
  useScreenActions({
    "scenario.run": begin,
    "fire.stop": isRunning ? stop : null,
    "tree.toggle": toggleTree,
    "tree.close": treeOver ? toggleTree : null,
    "call.previous": turns.length > 0 ? () => shown.step(-1) : null,
    "call.next": turns.length > 0 ? () => shown.step(1) : null,
  });
  const scenario = reading.data?.scenario ?? null;
  const dialect = scenario?.dialect ?? source.dialect;
  const own = hooks.filter((hook) => hook.dialect === dialect);
  const trace = shown.event === null ? undefined : run.result?.traces[shown.event];
  const column = shown.turn?.columns[shown.call];
  return (
    <Page
      title={t("simulator.title")}
      after={<Crumbs source={source} dialect={dialect} onTree={toggleTree} />}
      actions={
        <>
          {turns.length > 0 && !isRunning ? <Scrubber turns={turns} shown={shown} /> : null}
          {isRunning ? (
            <Button icon={Square} action="fire.stop" onClick={stop}>
              {t("simulator.stop")} <Elapsed since={run.since ?? 0} />
            </Button>
          ) : (
            <Button kind="primary" icon={Zap} action="scenario.run" onClick={begin}>
              {t("simulator.run")}
            </Button>
          )}
        </>
      }
    >
      <div className="panes">
        <ScenarioPane
          project={project}
          source={source}
          text={text}
          textNow={textNow}
          hooks={own}
          edited={draft !== undefined && draft !== source.text}
          reading={reading.data ?? null}
          choices={choices}
          over={treeOver}
          onText={(next) => setDraft(key, next)}
          onReset={() => setDraft(key, null)}
          onSaved={(id) => {
            setDraft(key, null);
            choices.onOpen(id);
          }}
        />
        <ResultPane
          project={project}
          run={run}
          text={text}
          scenario={scenario}
          hooks={own}
          position={shown}
          exact={exact}
          onExact={(on) => {
            shown.setEvent(null);
            setExact(on);
          }}
        />
        {!isRunning && (trace !== undefined || exact) ? (
          <EventPane
            trace={trace}
            column={column}
            onClose={() => {
              shown.setEvent(null);
              setExact(false);
            }}
          />
        ) : null}
      </div>
    </Page>
  );
}

interface CrumbsProps {
  source: ScenarioSource;
  dialect: string | null;
  onTree: () => void;
}

/** Which scenario it is; in narrow windows also the way to it. */
function Crumbs({ source, dialect, onTree }: CrumbsProps) {
  const { t } = useTranslation();
  return (
    <div className="crumbs simulator-crumbs">
      <span className="only-narrow">
        <Button
          kind="ghost"
          size="small"
          icon={PanelLeft}
          label={t("simulator.scenario")}
          action="tree.toggle"
          onClick={onTree}
        />
      </span>
      {dialect === null ? null : <DialectTag dialect={dialect} />}
      <span className="trunc">{source.kind === "new" ? t("simulator.unsaved") : escapeInvisible(source.name)}</span>
    </div>
  );
}
