/** The gates between an event and a hook: those that passed in one line, the first that failed opened, the rest not checked. */
import { Check, ChevronDown, Lightbulb, Minus, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { t } from "@/i18n";
import { say } from "@/i18n/messages";
import type { Gate, GateName } from "@/ipc";
import { escapeInvisible } from "@/lib/escape";
import { Icon } from "./Icon";
import { Note } from "./Note";

/** In the order of the engine. */
export const GATES: readonly GateName[] = ["valid", "trusted", "enabled", "event", "filter", "chain", "starts"];

/** What follows the gates when the hook was run: not gates, but read the same way. */
export interface AttemptGate {
  gate: "started" | "returned" | "succeeded";
  pass: boolean | null;
  detail: ReactNode;
}

interface GateListProps {
  label: string;
  gates: readonly Gate[];
  attempts?: readonly AttemptGate[];
  /** The second line of a passed gate. */
  detailOf?: (gate: Gate) => ReactNode;
  /** What stands in the opened box of a failed gate: comparison, fix. */
  boxOf?: (gate: Gate) => ReactNode;
}

/** The first gate that failed, if any. */
export function failedGate(gates: readonly Gate[]): Gate | undefined {
  return GATES.map((name) => gates.find((gate) => gate.gate === name)).find((gate) => gate && !gate.pass);
}

/** Whether the hook is not meant for the event: nothing is wrong with it. */
export function isNotMeant(gate: Gate): boolean {
  if (gate.pass) return false;
  const differs = gate.gate === "filter" && gate.code === "filter_differs";
  return gate.gate === "event" || (differs && gate.near_miss === null && (gate.fixes ?? []).length === 0);
}

export function GateList({ label, gates, attempts = [], detailOf, boxOf }: GateListProps) {
  const firstFailed = failedGate(gates);
  const stop = firstFailed === undefined ? GATES.length : GATES.indexOf(firstFailed.gate);
  const rows = GATES.map((name, index) => ({ name, index, gate: gates.find((one) => one.gate === name) }))
    // A recorded step ran or did not, so nothing is foretold about its start.
    .filter(({ name, gate }) => name !== "starts" || gate !== undefined);
  const [unfolded, setUnfolded] = useState(false);
  const passed = rows.findIndex(({ gate }) => gate?.pass !== true);
  const folded = unfolded ? 0 : passed < 0 ? rows.length : passed;
  const isFolded = folded >= FOLDED_FROM;
  return (
    <ol className="gates" aria-label={label}>
      {isFolded ? (
        <li className="gate passed">
          <span className="gate-mark">
            <Icon of={Check} size={14} />
          </span>
          <button type="button" className="grow row text-left" aria-expanded={false} onClick={() => setUnfolded(true)}>
            <span className="gate-title grow">{t("words.gate.passed", { count: folded })}</span>
            <Icon of={ChevronDown} size={14} />
          </button>
        </li>
      ) : null}
      {rows.slice(isFolded ? folded : 0).map(({ name, gate }) => {
        if (gate === undefined) {
          return (
            <Row
              key={name}
              state="unchecked"
              title={t(`words.gate.${name}.pass`)}
              detail={t("words.gate.notChecked")}
            />
          );
        }
        if (gate.pass) {
          const why = gate.why ? escapeInvisible(say(gate, gate.why)) : null;
          return (
            <Row key={name} state="passed" title={t(`words.gate.${name}.pass`)} detail={detailOf?.(gate) ?? why} />
          );
        }
        const box = boxOf?.(gate);
        return (
          <Row
            key={name}
            state={isNotMeant(gate) ? "unmet" : "failed"}
            title={t(`words.gate.${name}.fail`)}
            detail={gate.why ? escapeInvisible(say(gate, gate.why)) : null}
          >
            {box || gate.near_miss ? (
              <div className="gate-box">
                {box}
                {gate.near_miss ? (
                  <Note kind="warning" icon={Lightbulb} lead={t("words.nearMiss.lead")}>
                    {t(`words.nearMiss.${gate.near_miss}`)}
                  </Note>
                ) : null}
              </div>
            ) : null}
          </Row>
        );
      })}
      {attempts.map((row) => (
        <Row
          key={row.gate}
          state={stop < GATES.length || row.pass === null ? "unchecked" : row.pass ? "passed" : "failed"}
          title={row.pass === false ? t(`words.gate.${row.gate}.fail`) : t(`words.gate.${row.gate}.pass`)}
          detail={stop < GATES.length || row.pass === null ? t("words.gate.notChecked") : row.detail}
        />
      ))}
    </ol>
  );
}

/** So many passed gates stand in one line. */
const FOLDED_FROM = 3;

interface RowProps {
  state: "passed" | "failed" | "unmet" | "unchecked";
  title: string;
  detail: ReactNode;
  children?: ReactNode;
}

function Row({ state, title, detail, children }: RowProps) {
  return (
    <li className={`gate ${state}`}>
      <span className="gate-mark">
        {state === "unchecked" ? null : (
          <Icon of={state === "passed" ? Check : state === "unmet" ? Minus : X} size={14} />
        )}
      </span>
      <div className="grow">
        <div className="gate-title">{title}</div>
        {detail ? <div className="gate-detail">{detail}</div> : null}
        {children}
      </div>
    </li>
  );
}
