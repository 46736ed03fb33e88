/** One scenario: its text and form at the left, its result beside it. */
import { ChevronLeft, ChevronRight, PanelLeft, Pause, Play, Square, Zap } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { Button, DialectTag, Elapsed, FaultNote, Note, Page, Pane, Segmented, Select } from "@/components";
import { useTranslation } from "@/i18n";
import { useMessages } from "@/i18n/messages";
import { Fault, type HookRow, useCall } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { escapeInvisible, oneLine } from "@/lib/escape";
import { useView } from "@/lib/view";
import { getRouteApi } from "@/routes/router";
import type { ScenarioChoices } from "./Chooser";
import { EventPane } from "./EventPane";
import { Result } from "./Result";
import { NotRunYet, Running } from "./RunState";
import { useSimulation } from "./run";
import { changesMade } from "./ScenarioForm";
import { ScenarioPane } from "./ScenarioPane";
import { missingSkills } from "./SkillHooks";
import { draftKey, type ScenarioSource } from "./scenarios";
import { type TurnView, turnsOf } from "./timeline";

const route = getRouteApi("/simulator");
const PLAY_STEP_MS = 1200;
/** More turns become a select. */
const MOST_SEGMENTS = 4;

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
  const player = usePlayer(shown);
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
  const missing = missingSkills(scenario?.enabled_skills ?? null, own);
  const trace = shown.event === null ? undefined : run.result?.traces[shown.event];
  const column = shown.turn?.columns[shown.call];
  return (
    <Page
      title={t("simulator.title")}
      after={
        <div className="crumbs simulator-crumbs">
          <span className="only-narrow">
            <Button
              kind="ghost"
              size="small"
              icon={PanelLeft}
              label={t("simulator.scenario")}
              action="tree.toggle"
              onClick={toggleTree}
            />
          </span>
          {dialect === null ? null : <DialectTag dialect={dialect} />}
          <span className="trunc">{source.kind === "new" ? t("simulator.unsaved") : escapeInvisible(source.name)}</span>
        </div>
      }
      actions={
        <>
          {turns.length > 0 && !isRunning ? <Scrubber turns={turns} shown={shown} player={player} /> : null}
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
        <Pane label={t("simulator.result")} className="simulator-result">
          {missing.length > 0 && !isRunning ? (
            <Note kind="warning" className="flat">
              {t("simulator.hooks.missing", { count: missing.length, skills: oneLine(missing.join(t("list"))) })}
            </Note>
          ) : null}
          {isRunning ? (
            <Running since={run.since ?? 0} project={project} />
          ) : run.fault !== null ? (
            <RunFault fault={run.fault} />
          ) : run.result === null || shown.turn === null ? (
            <NotRunYet hooks={own} scenario={scenario} />
          ) : (
            <Result
              document={run.result}
              stopped={run.stopped}
              outdated={run.text !== text}
              turn={shown.turn}
              position={shown}
              exact={exact}
              onExact={() => {
                shown.setEvent(null);
                setExact(!exact);
              }}
            />
          )}
        </Pane>
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

/** A scenario that cannot be run: its line and field, or another reason. */
function RunFault({ fault }: { fault: Fault }) {
  const { t } = useTranslation();
  const say = useMessages();
  const { line, field, why } = fault.args as { line?: unknown; field?: unknown; why?: unknown };
  if (fault.code !== "bad_scenario") return <FaultNote fault={fault} />;
  const place = { line: String(line), field: String(field), why: String(why) };
  const message = t("simulator.badLine", place);
  return <FaultNote fault={new Fault({ code: "", message, hint: say.fault(fault).hint, args: {} })} />;
}

export interface Position {
  /** The turn on show; null without a result. */
  turn: TurnView | null;
  /** From 0. */
  turnIndex: number;
  /** Index of the column. */
  call: number;
  /** Index of the chosen event. */
  event: number | null;
  setTurn: (index: number) => void;
  setCall: (index: number) => void;
  setEvent: (index: number | null) => void;
  setCallAndEvent: (call: number, event: number) => void;
  /** One column on or back, into the next or the former turn. False at the ends. */
  step: (by: -1 | 1) => boolean;
  reset: () => void;
}

/** What of the result is on show. The address has it. */
function usePosition(turns: readonly TurnView[]): Position {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const turnIndex = Math.min(Math.max(0, (search.turn ?? 1) - 1), Math.max(0, turns.length - 1));
  const turn = turns[turnIndex] ?? null;
  const call = Math.min(search.call ?? 0, Math.max(0, (turn?.columns.length ?? 1) - 1));
  const go = (next: { turn?: number; call?: number; event?: number | undefined }) =>
    void navigate({ search: (now) => ({ ...now, event: undefined, ...next }), replace: true });
  return {
    turn,
    turnIndex,
    call,
    event: search.event ?? null,
    setTurn: (index) => go({ turn: index + 1, call: 0 }),
    setCall: (index) => go({ call: index }),
    setEvent: (index) => go({ event: index ?? undefined }),
    setCallAndEvent: (column, index) => go({ call: column, event: index }),
    step: (by) => {
      const columns = turn?.columns.length ?? 0;
      const next = call + by;
      const other = turns[turnIndex + by];
      if (next >= 0 && next < columns) go({ call: next });
      else if (other === undefined) return false;
      else go({ turn: turnIndex + by + 1, call: by > 0 ? 0 : other.columns.length - 1 });
      return true;
    },
    reset: () => void navigate({ search: ({ scenario }) => ({ scenario }), replace: true }),
  };
}

/** Goes on by itself until the last call. */
function usePlayer(shown: Position) {
  const [plays, setPlays] = useState(false);
  useEffect(() => {
    if (!plays) return undefined;
    const timer = setTimeout(() => {
      if (!shown.step(1)) setPlays(false);
    }, PLAY_STEP_MS);
    return () => clearTimeout(timer);
  });
  return { plays, setPlays };
}

interface ScrubberProps {
  turns: readonly TurnView[];
  shown: Position;
  player: ReturnType<typeof usePlayer>;
}

function Scrubber({ turns, shown, player }: ScrubberProps) {
  const { t } = useTranslation();
  const value = String(shown.turnIndex);
  const items = turns.map((_, index) => ({
    value: String(index),
    label: t("simulator.turn", { number: index + 1 }),
  }));
  const choose = (index: string) => shown.setTurn(Number(index));
  const props = { kind: "default", size: "small" } as const;
  return (
    <>
      <span className="row gap-4">
        <Button
          {...props}
          icon={ChevronLeft}
          label={t("simulator.previousCall")}
          action="call.previous"
          onClick={() => shown.step(-1)}
        />
        <Button
          {...props}
          icon={player.plays ? Pause : Play}
          label={t(player.plays ? "simulator.pause" : "simulator.play")}
          onClick={() => player.setPlays(!player.plays)}
        />
        <Button
          {...props}
          icon={ChevronRight}
          label={t("simulator.nextCall")}
          action="call.next"
          onClick={() => shown.step(1)}
        />
      </span>
      {turns.length < 2 ? null : turns.length <= MOST_SEGMENTS ? (
        <Segmented label={t("simulator.turns")} items={items} value={value} onChange={choose} />
      ) : (
        <Select label={t("simulator.turns")} options={items} value={value} onChange={choose} />
      )}
    </>
  );
}
