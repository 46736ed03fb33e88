/** One request of the form: the user's message, and the answers of the model with their tool calls. */
import { MessageSquare, Wrench } from "lucide-react";
import { Button, Switch } from "@/components";
import { t } from "@/i18n";
import type { Scenario } from "@/ipc";
import { PlaceButtons, SelectLine, TextLine } from "./FormLines";
import type { Change } from "./ScenarioForm";
import { parsedValue, valueText } from "./values";

type Turn = Scenario["turns"][number];
type Step = Turn["steps"][number];
type Call = Step["calls"][number];

interface TurnFieldsProps {
  turn: Turn;
  index: number;
  count: number;
  inserts: boolean;
  change: Change;
}

export function TurnFields({ turn, index, count, inserts, change }: TurnFieldsProps) {
  const at = ["turns", index];
  const number = index + 1;
  const steps = turn.steps.length;
  const newCall = { calls: [{ tool: "read_file", arguments: {}, result: "" }] };
  return (
    <section className="flex flex-col gap-2.5 p-3 border-t border-line-2" aria-label={t("simulator.turn", { number })}>
      <div className="flex items-center gap-2 min-h-6 [&>h2]:text-sm [&>h2]:font-medium [&>h2]:text-ink-2">
        <h2 className="grow">{t("simulator.turn", { number })}</h2>
        <PlaceButtons
          of={(what) => t("simulator.edit.ofTurn", { what, turn: number })}
          index={index}
          count={count}
          onMove={(to) => change({ do: "move", list: ["turns"], from: index, to })}
          onRemove={() => change({ do: "remove", at })}
        />
      </div>
      <TextLine
        label={t("simulator.field.user")}
        area
        value={turn.user}
        onChange={(value) => change({ do: "set", at: [...at, "user"], value })}
      />
      {inserts ? (
        <>
          <SwitchLine
            label={t("simulator.field.tools")}
            on={turn.enable_tools}
            onChange={(value) => change({ do: "set", at: [...at, "enable_tools"], value })}
          />
          {turn.enable_tools ? (
            <SwitchLine
              label={t("simulator.field.needTool")}
              on={turn.need_tool}
              onChange={(value) => change({ do: "set", at: [...at, "need_tool"], value })}
            />
          ) : null}
        </>
      ) : null}
      {turn.steps.map((step, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place
        <StepFields key={place} step={step} turn={index} index={place} count={steps} change={change} />
      ))}
      <div className="row flex-wrap">
        <span className="text-tiny dim">{t("simulator.edit.addStep")}</span>
        <Button
          size="small"
          icon={Wrench}
          onClick={() => change({ do: "insert", at: [...at, "steps", steps], value: newCall })}
        >
          {t("simulator.edit.addCall")}
        </Button>
        <Button
          size="small"
          icon={MessageSquare}
          onClick={() => change({ do: "insert", at: [...at, "steps", steps], value: { reply: "" } })}
        >
          {t("simulator.edit.addReply")}
        </Button>
      </div>
    </section>
  );
}

function SwitchLine({ label, on, onChange }: { label: string; on: boolean; onChange: (on: boolean) => void }) {
  return (
    <div className="row text-small">
      <Switch on={on} label={label} onChange={onChange} />
      <span>{label}</span>
    </div>
  );
}

interface StepFieldsProps {
  step: Step;
  /** Index of the turn. */
  turn: number;
  index: number;
  count: number;
  change: Change;
}

function StepFields({ step, turn, index, count, change }: StepFieldsProps) {
  const list = ["turns", turn, "steps"];
  const at = [...list, index];
  const of = (what: string) => t("simulator.edit.ofStep", { what, step: index + 1, turn: turn + 1 });
  const calls = step.calls.length;
  // A step needs calls or a reply, so the last call goes with its step unless there is a reply.
  const removeCall = (place: number) =>
    change({
      do: "remove",
      at: calls > 1 ? [...at, "calls", place] : step.reply === undefined ? at : [...at, "calls"],
    });
  return (
    <div className="flex flex-col gap-2 pl-2.5 border-l-2 border-line-2">
      <div className="flex items-center gap-2 min-h-6 [&>h2]:text-sm [&>h2]:font-medium [&>h2]:text-ink-2">
        <span className="grow text-tiny dim">{t("simulator.edit.step", { number: index + 1 })}</span>
        <PlaceButtons
          of={of}
          index={index}
          count={count}
          onMove={(to) => change({ do: "move", list, from: index, to })}
          onRemove={() => change({ do: "remove", at })}
        />
      </div>
      {step.calls.map((one, place) => (
        <CallFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a call is its place
          key={place}
          call={one}
          at={[...at, "calls", place]}
          of={(what) => t("simulator.edit.ofCall", { what, call: place + 1, step: index + 1, turn: turn + 1 })}
          index={place}
          count={calls}
          onMove={(to) => change({ do: "move", list: [...at, "calls"], from: place, to })}
          onRemove={() => removeCall(place)}
          change={change}
        />
      ))}
      {step.reply === undefined || step.reply === null ? null : (
        <TextLine
          label={t("simulator.field.reply")}
          area
          value={step.reply}
          onChange={(value) => change({ do: "set", at: [...at, "reply"], value })}
        />
      )}
      <div className="row flex-wrap">
        {calls === 0 ? null : (
          <Button
            size="small"
            kind="ghost"
            icon={Wrench}
            aria-label={of(t("simulator.edit.addCall"))}
            onClick={() =>
              change({
                do: "insert",
                at: [...at, "calls", calls],
                value: { tool: "read_file", arguments: {}, result: "" },
              })
            }
          >
            {t("simulator.edit.addCall")}
          </Button>
        )}
      </div>
    </div>
  );
}

interface CallFieldsProps {
  call: Call;
  at: (string | number)[];
  of: (what: string) => string;
  index: number;
  count: number;
  onMove: (to: number) => void;
  onRemove: () => void;
  change: Change;
}

function CallFields({ call, at, of, index, count, onMove, onRemove, change }: CallFieldsProps) {
  const failed = call.error !== undefined && call.error !== null;
  const field = failed ? "error" : "result";
  const other = failed ? "result" : "error";
  const said = failed ? (call.error ?? "") : valueText(call.result);
  const turnTo = (to: string) => {
    if (to === field) return;
    if (call.error !== undefined || call.result !== undefined) change({ do: "remove", at: [...at, field] });
    change({ do: "set", at: [...at, other], value: said });
  };
  return (
    <fieldset className="simulator-call flex flex-col gap-2 min-w-0 border-0 [&+.simulator-call]:pt-2 [&+.simulator-call]:border-t [&+.simulator-call]:border-line-1">
      <legend className="visually-hidden">{of(t("simulator.edit.call", { number: index + 1 }))}</legend>
      <div className="flex items-center gap-2 min-h-6 [&>h2]:text-sm [&>h2]:font-medium [&>h2]:text-ink-2">
        <span className="grow text-tiny dim">{t("simulator.edit.call", { number: index + 1 })}</span>
        <PlaceButtons of={of} index={index} count={count} onMove={onMove} onRemove={onRemove} />
      </div>
      <TextLine
        label={t("simulator.field.tool")}
        mono
        value={call.tool}
        onChange={(value) => change({ do: "set", at: [...at, "tool"], value })}
      />
      <TextLine
        label={t("simulator.field.arguments")}
        mono
        area
        value={valueText(call.arguments)}
        warning={typeof call.arguments === "string" ? t("simulator.field.badJson") : null}
        onChange={(value) => change({ do: "set", at: [...at, "arguments"], value: parsedValue(value) })}
      />
      <SelectLine
        label={t("simulator.field.outcome")}
        value={field}
        options={[
          { value: "result", label: t("simulator.field.result") },
          { value: "error", label: t("simulator.field.error") },
        ]}
        onChange={turnTo}
      />
      <TextLine
        label={t(failed ? "simulator.field.error" : "simulator.field.result")}
        area
        value={said}
        onChange={(value) => change({ do: "set", at: [...at, field], value })}
      />
    </fieldset>
  );
}
