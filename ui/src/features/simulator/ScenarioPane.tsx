/** The scenario at the left: which one, its form or its text, saving it, and what the colours mean. */
import { Ellipsis, History, List, Pin, RotateCcw, Save } from "lucide-react";
import { useState } from "react";
import {
  Button,
  CodePane,
  type CodeProblem,
  Icon,
  InlineCode,
  Menu,
  Note,
  Segmented,
  SizedPane,
  Tooltip,
  toast,
} from "@/components";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { type HookRow, type ScenarioReading, useCommand } from "@/ipc";
import { useDialect } from "@/ipc/dialects";
import { useScreenActions } from "@/lib/actions";
import type { ScenarioChoices } from "./Chooser";
import { LIFE_CLASS, LIFE_NUMBER, lifetimesOf } from "./lifetimes";
import { SaveScenario } from "./SaveScenario";
import { ScenarioForm } from "./ScenarioForm";
import { SkillHooks } from "./SkillHooks";
import type { ScenarioSource } from "./scenarios";

interface ScenarioPaneProps {
  project: string;
  source: ScenarioSource;
  text: string;
  /** The text with everything that was typed into the form. */
  textNow: () => Promise<string>;
  edited: boolean;
  /** The hooks of the scenario's dialect. */
  hooks: readonly HookRow[];
  reading: ScenarioReading | null;
  choices: ScenarioChoices;
  /** Narrow windows show the pane over the result. */
  over: boolean;
  onText: (text: string) => void;
  onReset: () => void;
  /** It is a file now: this is its id. */
  onSaved: (id: string) => void;
}

type View = "form" | "text" | "hooks";

export function ScenarioPane(props: ScenarioPaneProps) {
  const { project, source, text, edited, hooks, reading, choices, over, onText, onReset, onSaved } = props;
  const [view, setView] = useState<View>("form");
  const save = useSave(project, source, props.textNow, onSaved);
  const dialect = useDialect(reading?.scenario?.dialect ?? source.dialect);
  const lifetimes = lifetimesOf(dialect);
  const inserts = lifetimes.length > 0;
  const shown = view === "hooks" && !inserts ? "form" : view;
  const saveNow = () => (source.kind === "file" ? save.overwrite() : save.ask());
  useScreenActions({ "text.save": saveNow });
  return (
    <SizedPane
      id="simulator.scenario"
      label={t("simulator.scenario")}
      width={280}
      min={240}
      max={640}
      split="right"
      className={over ? "tree-over" : "wide"}
    >
      <div className="pane-head">
        <Segmented<View>
          label={t("simulator.view")}
          value={shown}
          onChange={setView}
          items={[
            { value: "form", label: t("simulator.form") },
            { value: "text", label: t("simulator.text") },
            ...(inserts ? [{ value: "hooks" as const, label: t("simulator.hooks.tab") }] : []),
          ]}
        />
        <span className="spacer" />
        {edited ? (
          <Tooltip text={t("simulator.edited")}>
            <span className="dot-edited" role="img" aria-label={t("simulator.edited")} />
          </Tooltip>
        ) : null}
        <Button
          kind="ghost"
          size="small"
          icon={Save}
          label={t("simulator.save")}
          action="text.save"
          onClick={saveNow}
        />
        <Menu
          items={[
            { label: t("simulator.saveAs"), icon: Save, run: save.ask },
            { label: t("simulator.reset"), icon: RotateCcw, disabled: !edited, run: onReset },
            null,
            { label: t("simulator.choose.another"), icon: List, run: () => choices.onOpen(undefined) },
            { label: t("simulator.choose.session"), icon: History, run: choices.onSession },
          ]}
        >
          <button type="button" className="button ghost small icon-only" aria-label={t("simulator.more")}>
            <Icon of={Ellipsis} size={14} />
          </button>
        </Menu>
      </div>
      {shown === "hooks" ? (
        <SkillHooks project={project} hooks={hooks} />
      ) : shown === "form" ? (
        <ScenarioForm text={text} reading={reading} inserts={inserts} onText={onText} onView={() => setView("text")} />
      ) : (
        <ScenarioText text={text} reading={reading} onText={onText} />
      )}
      {inserts ? <Legend lifetimes={lifetimes} /> : null}
      {save.asks ? <SaveScenario source={source} save={save} /> : null}
    </SizedPane>
  );
}

interface ScenarioTextProps {
  text: string;
  reading: ScenarioReading | null;
  onText: (text: string) => void;
}

function ScenarioText({ text, reading, onText }: ScenarioTextProps) {
  const problem = reading?.text === text ? reading.problem : null;
  const message =
    problem === null ? null : t("simulator.badLine", { line: problem.line, field: problem.field, why: problem.why });
  const problems: CodeProblem[] =
    problem === null || message === null
      ? []
      : [{ line: problem.line, column: null, severity: "error", message: problem.why }];
  const language = text.trimStart().startsWith("{") ? "json" : "yaml";
  return (
    <>
      <div className="flex-1 min-h-30 overflow-hidden flex *:flex-1 *:min-w-0">
        <CodePane
          label={t("simulator.textLabel")}
          value={text}
          language={language}
          onChange={onText}
          problems={problems}
        />
      </div>
      {message === null ? null : (
        <Note kind="error" className="flat">
          <InlineCode text={message} />
        </Note>
      )}
    </>
  );
}

/** What the colours and numbers of inserted texts mean. */
function Legend({ lifetimes }: { lifetimes: ReturnType<typeof lifetimesOf> }) {
  return (
    <section className="flex-none border-t border-t-line-2 [&>h2]:text-sm [&>h2]:font-medium [&>h2]:text-ink-2 [&>h2]:mb-1.5 [&_.row]:h-5 short:hidden section">
      <h2>{t("simulator.livesFor")}</h2>
      <ul>
        {lifetimes.map(({ lifetime, event }) => (
          <li key={lifetime} className="row text-tiny">
            <b
              className={`life-number flex-none w-4 h-4 rounded-1 text-center font-[700] text-2xs/4 font-ui bg-(--life) text-ink-inv ${LIFE_CLASS[lifetime]}`}
            >
              {LIFE_NUMBER[lifetime]}
            </b>
            <span className="grow nowrap">{t(`simulator.life.${lifetime}`)}</span>
            <span className="mono dim trunc">{event}</span>
          </li>
        ))}
        <li className="row text-tiny">
          <Icon of={Pin} size={14} className="dim" />
          <span>{t("simulator.life.pin")}</span>
        </li>
      </ul>
    </section>
  );
}

/** Saving: into the file that it came from, or into a new one under a name. */
export function useSave(
  project: string,
  source: ScenarioSource,
  textNow: () => Promise<string>,
  onSaved: (id: string) => void,
) {
  const [asks, setAsks] = useState(false);
  const undo = useCommand("edit.undo", { stale: ["fixtures"], onError: toastFault });
  const command = useCommand("scenarios.save", {
    stale: ["fixtures"],
    onSuccess: (done, { path }) => {
      const { undo: edit } = done;
      const again = edit === null ? null : { label: t("undo"), run: () => undo.mutate({ project, undo: edit }) };
      toast(t(done.written ? "simulator.saving.saved" : "simulator.saving.same", { name: path }), again);
      setAsks(false);
      onSaved(`file/${path}`);
    },
    // The sheet that asks for a name shows it itself.
    onError: (fault) => (asks ? undefined : toastFault(fault)),
  });
  const overwrite = async () =>
    command.mutate({ project, path: source.name, base: source.hash, text: await textNow() });
  const saveAs = async (name: string) => {
    const text = await textNow();
    const ending = text.trimStart().startsWith("{") ? "json" : "yaml";
    command.mutate({ project, path: `tests/hooks/${name}.scenario.${ending}`, base: null, text });
  };
  return {
    asks,
    ask: () => {
      command.reset();
      setAsks(true);
    },
    close: () => setAsks(false),
    overwrite: () => void overwrite(),
    saveAs: (name: string) => void saveAs(name),
    fault: command.error,
    busy: command.isPending,
  };
}
