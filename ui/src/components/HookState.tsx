import {
  BellOff,
  CirclePower,
  createLucideIcon,
  FileX,
  type LucideIcon,
  Play,
  ShieldQuestionMark,
  ShieldX,
  TriangleAlert,
} from "lucide-react";
import { t } from "@/i18n";
import { clock, dayMonth } from "@/i18n/format";
import { say } from "@/i18n/messages";
import type { Health, HealthState, HookRow } from "@/ipc";
import { useAgentName } from "@/ipc/dialects";
import { capitalizeFirst, oneLine } from "@/lib/escape";
import { Icon } from "./Icon";
import { Cut } from "./Tooltip";

/** Play with a cross. */
const PlayX = createLucideIcon("play-x", [
  ["path", { d: "M14 8 5 3v18l6-3.4", key: "play" }],
  ["path", { d: "m15 13 6 6", key: "down" }],
  ["path", { d: "m21 13-6 6", key: "up" }],
]);

/** A state that the window has a word for. A guard without a test reads like any hook that can run. */
export type ShownState = Exclude<HealthState, "proven" | "unproven">;

export const HEALTH_ICONS: Record<ShownState, LucideIcon> = {
  lost: FileX,
  off: CirclePower,
  cannot_start: PlayX,
  broken: ShieldX,
  failing: TriangleAlert,
  needs_review: ShieldQuestionMark,
  muted: BellOff,
  ready: Play,
};

export function shownState({ state }: Pick<Health, "state">): ShownState {
  return state === "proven" || state === "unproven" ? "ready" : state;
}

const FAULTS: ReadonlySet<HealthState> = new Set(["lost", "cannot_start", "broken", "failing"]);

/** Whether a hook in this state does not do what it is for. */
export function isFault({ state }: Pick<Health, "state">): boolean {
  return FAULTS.has(state);
}

interface Reasoned {
  path: string;
  health: Pick<Health, "code" | "args">;
}

/** The whole sentence of a health; null where its state says everything. `agent` is the agent's name. */
export function healthSentence({ path, health: { code, args } }: Reasoned, agent: string): string | null {
  if (code === null) return null;
  // What the agent does with a file that does not parse is the case of the sentence.
  const older = { case: args.agent, agent_name: agent, place: [path, args.line].filter(Boolean).join(":") };
  const message = code === "last_good" ? { code, args: { ...args, ...older } } : { code, args };
  return capitalizeFirst(oneLine(say(message, null)), [path, ...Object.values(args)]);
}

/** What is wrong, without what follows from it: the first clause of the sentence. */
export function firstClause(sentence: string): string {
  return sentence.split(/: |：/)[0] ?? sentence;
}

const DAY_MS = 86_400_000;

/** A time of day is that of the next 24 hours. */
function untilText(until: string): string {
  return Date.parse(until) - Date.now() > DAY_MS ? dayMonth(until) : clock(until);
}

type Judged = Pick<HookRow, "path" | "health" | "guard" | "dialect" | "muted_until" | "shadowed_by">;

/** The second line of a health: what is wrong, or until when. */
function detailOf(hook: Judged, agent: string): string | null {
  const { health, muted_until: until, shadowed_by: other } = hook;
  if (health.code === "last_good") return t("words.healthDetail.notIn", { agent });
  if (health.state === "muted" && until) return t("words.healthDetail.until", { time: untilText(until) });
  if (health.state === "off" && other !== null) return t("words.healthDetail.replaced");
  const sentence = healthSentence(hook, agent);
  return sentence === null ? null : firstClause(sentence).replaceAll("`", "");
}

interface HookStateProps {
  hook: Judged;
  /** Whether the detail stands below the word. */
  detail?: boolean;
}

/** The health of a hook: shape, word and colour. Only a guard that does not work has a filled ground. */
export function HookState({ hook, detail = false }: HookStateProps) {
  const agent = useAgentName(hook.dialect);
  const state = shownState(hook.health);
  const loud = hook.guard && isFault(hook.health);
  const text = detail ? detailOf(hook, agent) : null;
  return (
    <span className={`hook-state ${state}`}>
      <span className={loud ? "hook-state-word loud" : "hook-state-word"}>
        <Icon of={HEALTH_ICONS[state]} size={14} />
        {t(`words.health.${state}`)}
      </span>
      {text === null ? null : (
        <>
          <span className="visually-hidden">{t("list")}</span>
          <Cut className="hook-state-detail" text={healthSentence(hook, agent) ?? text}>
            {text}
          </Cut>
        </>
      )}
    </span>
  );
}
