/** How long an inserted text stays, as the engine says it of an event (`skill.md` §3): its number, and its colour. */
import type { Dialect, EventInfo } from "@/ipc";

export type Lifetime = NonNullable<EventInfo["lifetime"]>;

export const LIFE_NUMBER: Readonly<Record<Lifetime, number>> = {
  request: 1,
  planning_call: 2,
  step: 3,
  loop: 4,
  next_call: 5,
};

/** The class that gives a colour to what has a lifetime. */
export const LIFE_CLASS: Readonly<Record<Lifetime, string>> = {
  request: "[--life:var(--life-1)] [--life-back:var(--life-1-bg)]",
  planning_call: "[--life:var(--life-2)] [--life-back:var(--life-2-bg)]",
  step: "[--life:var(--life-3)] [--life-back:var(--life-3-bg)]",
  loop: "[--life:var(--life-4)] [--life-back:var(--life-4-bg)]",
  next_call: "[--life:var(--life-5)] [--life-back:var(--life-5-bg)]",
};

/** The events of a dialect at which texts are inserted, by how long they stay. */
export function lifetimesOf(dialect: Dialect | undefined): { lifetime: Lifetime; event: string }[] {
  const events = (dialect?.events ?? []).flatMap(({ name, lifetime }) =>
    lifetime === null ? [] : [{ lifetime, event: name }],
  );
  return events.sort((a, b) => LIFE_NUMBER[a.lifetime] - LIFE_NUMBER[b.lifetime]);
}
