import {
  BellOff,
  CirclePower,
  Layers,
  type LucideIcon,
  Shield,
  ShieldAlert,
  ShieldQuestionMark,
  ShieldX,
} from "lucide-react";
import { t } from "@/i18n";
import { clock, dayMonth } from "@/i18n/format";
import type { HookRow } from "@/ipc";
import { Icon } from "./Icon";

export type HookStateKind = "on" | "review" | "failing" | "invalid" | "shadowed" | "off" | "muted";

const LOOKS: Record<HookStateKind, [string, LucideIcon]> = {
  on: ["unproven", Shield],
  review: ["review", ShieldQuestionMark],
  failing: ["broken", ShieldAlert],
  invalid: ["broken", ShieldX],
  shadowed: ["shadow", Layers],
  off: ["off", CirclePower],
  muted: ["off", BellOff],
};

/**
 * The one word for a hook. `invalid` needs an error Problem that names the hook; `failing` needs every run of its last
 * busy hour to have failed or timed out.
 */
export function hookState(hook: HookRow, facts: { invalid: boolean; failing: boolean }): HookStateKind {
  if (hook.shadowed_by !== null) return "shadowed";
  if (facts.invalid || !hook.valid) return "invalid";
  if (!hook.enabled) return "off";
  if (!hook.trusted) return "review";
  if (hook.muted) return "muted";
  return facts.failing ? "failing" : "on";
}

const DAY_MS = 86_400_000;

/** A time of day is that of the next 24 hours. */
function untilText(until: string): string {
  return Date.parse(until) - Date.now() > DAY_MS ? dayMonth(until) : clock(until);
}

export function HookState({ state, until }: { state: HookStateKind; until?: string | null }) {
  const [style, drawing] = LOOKS[state];
  const word =
    state === "muted" && until
      ? t("words.hookState.mutedUntil", { time: untilText(until) })
      : t(`words.hookState.${state}`);
  return (
    <span className={`hook-state ${style}`}>
      <Icon of={drawing} size={14} />
      {word}
    </span>
  );
}
