/** How long an inserted text lives, by the event that inserts it (`skill.md` §3). */
export type Lifetime = 1 | 2 | 3 | 4 | 5;

export const LIFETIMES: readonly { lifetime: Lifetime; event: string }[] = [
  { lifetime: 1, event: "after_user_input" },
  { lifetime: 2, event: "before_planning" },
  { lifetime: 3, event: "before_each_agent" },
  { lifetime: 4, event: "before_first_agent" },
  { lifetime: 5, event: "after_tool_call" },
];

/** The class that gives a colour to what has a lifetime. */
export const LIFE_CLASS: Readonly<Record<Lifetime, string>> = {
  1: "[--life:var(--life-1)] [--life-back:var(--life-1-bg)]",
  2: "[--life:var(--life-2)] [--life-back:var(--life-2-bg)]",
  3: "[--life:var(--life-3)] [--life-back:var(--life-3-bg)]",
  4: "[--life:var(--life-4)] [--life-back:var(--life-4-bg)]",
  5: "[--life:var(--life-5)] [--life-back:var(--life-5-bg)]",
};

const BY_EVENT = new Map(LIFETIMES.map(({ lifetime, event }) => [event, lifetime]));

/** Null where hooks of the event insert no text. */
export function lifetimeOf(event: string): Lifetime | null {
  return BY_EVENT.get(event) ?? null;
}
