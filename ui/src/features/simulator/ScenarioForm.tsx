/** The scenario as a form. Each change is made in the text by the engine, which keeps comments and everything else. */

import { Plus } from "lucide-react";
import { Button, Note, Skeleton } from "@/components";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { call, type ScenarioChange, type ScenarioReading } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { useLatest } from "@/lib/useLatest";
import { SelectLine, TextLine, tellTyped } from "./FormLines";
import { TurnFields } from "./TurnFields";

export type Change = (change: ScenarioChange) => void;

interface ScenarioFormProps {
  text: string;
  reading: ScenarioReading | null;
  /** Hooks of the dialect insert texts, so that there is a planning call. */
  inserts: boolean;
  onText: (text: string) => void;
  onView: () => void;
}

/** Changes are made one after the other, each in the text that the one before left. */
let queue: Promise<void> = Promise.resolve();

/** Waits until everything that was typed into the form is in the text. */
export function changesMade(): Promise<void> {
  tellTyped();
  return queue;
}

function useChange(text: string, onText: (text: string) => void): Change {
  const latestRef = useLatest({ text, onText });
  return (change) => {
    queue = queue.then(async () => {
      try {
        const before = latestRef.current.text;
        const reading = await call("scenarios.read", { text: before, changes: [change] });
        // What was typed into the text meanwhile wins.
        if (latestRef.current.text !== before) return;
        latestRef.current.text = reading.text;
        latestRef.current.onText(reading.text);
      } catch (thrown) {
        toastFault(thrown);
      }
    });
  };
}

export function ScenarioForm({ text, reading, inserts, onText, onView }: ScenarioFormProps) {
  const dialects = useDialects();
  const change = useChange(text, onText);
  if (reading === null) return <Skeleton rows={6} height={44} what={t("simulator.scenario")} />;
  const { scenario, problem } = reading;
  if (scenario === null) {
    return (
      <div className="pad-16 column gap-3">
        <Note kind="error">{t("simulator.edit.broken", { line: problem?.line ?? 1 })}</Note>
        <div>
          <Button onClick={onView}>{t("simulator.edit.toText")}</Button>
        </div>
      </div>
    );
  }
  const setText = (field: string) => (value: string) =>
    change(value === "" ? { do: "remove", at: [field] } : { do: "set", at: [field], value });
  const setSkills = (value: string) => {
    const names = value.split(",").map((name) => name.trim());
    const skills = names.filter((name) => name !== "");
    change(
      skills.length === 0
        ? { do: "remove", at: ["enabled_skills"] }
        : { do: "set", at: ["enabled_skills"], value: skills },
    );
  };
  const optional = t("simulator.field.optional");
  const turns = scenario.turns.length;
  return (
    <div className="flex-1 min-h-30 overflow-x-hidden overflow-y-auto [&_textarea]:min-h-0 [&_textarea]:resize-y scroll">
      <div className="flex flex-col gap-2.5 p-3">
        <SelectLine
          label={t("simulator.field.dialect")}
          value={scenario.dialect}
          options={dialects.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={setText("dialect")}
        />
        {inserts ? (
          <TextLine
            label={t("simulator.field.skills")}
            placeholder={optional}
            hint={t("simulator.field.skillsHint")}
            value={(scenario.enabled_skills ?? []).join(", ")}
            onChange={setSkills}
          />
        ) : null}
        <TextLine
          label={t("simulator.field.session")}
          placeholder={optional}
          value={scenario.session ?? ""}
          onChange={setText("session")}
        />
        <TextLine
          label={t("simulator.field.model")}
          placeholder={optional}
          value={scenario.model}
          onChange={setText("model")}
        />
        <TextLine
          label={t("simulator.field.system")}
          placeholder={optional}
          area
          value={scenario.system_prompt}
          onChange={setText("system_prompt")}
        />
      </div>
      {scenario.turns.map((turn, index) => (
        <TurnFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a turn is its place
          key={index}
          turn={turn}
          index={index}
          count={turns}
          inserts={inserts}
          change={change}
        />
      ))}
      <div className="section row">
        <Button
          icon={Plus}
          onClick={() => change({ do: "insert", at: ["turns", turns], value: { user: "", steps: [{ reply: "" }] } })}
        >
          {t("simulator.edit.addTurn")}
        </Button>
      </div>
      <p className="pad-16 text-tiny dim">{t("simulator.edit.restInText")}</p>
    </div>
  );
}
