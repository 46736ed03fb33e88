/** Lists of hooks as the engine answers them: with the groups and the chains of their rows. */
import type { HookRow, HooksDocument, SourceRow } from "@/ipc/types";

/** A list of which only the rows are said, in load order. */
export type Rows = Omit<HooksDocument, "groups" | "chains">;

interface Placed {
  dialect: string;
  layer: HookRow["layer"];
  path: string;
}

const LAYERS: readonly HookRow["layer"][] = ["builtin", "user", "project", "session", "skill"];

function placeOf({ dialect, layer, path }: Placed, sources: readonly SourceRow[]): string {
  const holds = (source: SourceRow) =>
    source.dialect === dialect && source.layer === layer && `${path}/`.startsWith(`${source.path}/`);
  return sources.find(holds)?.path ?? path;
}

function isFault({ guard, health }: HookRow): boolean {
  return guard && ["lost", "cannot_start", "broken", "failing"].includes(health.state);
}

/** Those without a position stand behind the one before them. */
function runOrder(rows: readonly HookRow[], indexes: readonly number[]): number[] {
  let last = 0;
  const places = new Map(
    indexes.map((index) => {
      last = rows[index]?.position ?? last;
      return [index, last];
    }),
  );
  return [...indexes].sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}

export function listed(list: Rows): HooksDocument {
  const keyOf = (one: Placed) => `${one.dialect} ${one.layer} ${placeOf(one, list.sources)}`;
  const grouped = <T extends Placed>(one: T) => ({ ...one, group: keyOf(one) });
  const hooks = list.hooks.map(grouped);
  const turnedOff = list.turned_off?.map(grouped);
  const events = new Map<string, { dialect: string; event: string }>();
  for (const { dialect, event, serves } of hooks) {
    for (const name of serves ?? [event]) events.set(`${dialect} ${name}`, { dialect, event: name });
  }
  const chains = [...events.values()].map(({ dialect, event }) => {
    const own = hooks.flatMap((hook, index) =>
      hook.dialect === dialect && (hook.event === event || hook.serves?.includes(event)) ? [index] : [],
    );
    return { dialect, event, rows: runOrder(hooks, own) };
  });
  const dialects = [...new Set([...hooks, ...(turnedOff ?? [])].map(({ dialect }) => dialect))];
  const groups = [...new Set([...hooks, ...(turnedOff ?? [])].map(({ group }) => group))].map((group) => {
    const own = hooks.flatMap((hook, index) => (hook.group === group ? [index] : []));
    const names = [...new Set(own.map((index) => hooks[index]?.event))];
    const first = [...hooks, ...(turnedOff ?? [])].find((one) => one.group === group) as Placed;
    const { dialect, layer } = first;
    const members = own.flatMap((index) => hooks[index] ?? []);
    const fault = members.some(({ health }) => health.code === "last_good")
      ? ("not_read" as const)
      : members.some(isFault)
        ? ("guard" as const)
        : null;
    const rows = names.flatMap((name) =>
      runOrder(
        hooks,
        own.filter((index) => hooks[index]?.event === name),
      ),
    );
    return { group, dialect, layer, path: placeOf(first, list.sources), place: 0, rows, fault };
  });
  groups.sort(
    (a, b) =>
      dialects.indexOf(a.dialect) - dialects.indexOf(b.dialect) || LAYERS.indexOf(a.layer) - LAYERS.indexOf(b.layer),
  );
  for (const [index, group] of groups.entries()) {
    group.place = groups.slice(0, index + 1).filter(({ dialect }) => dialect === group.dialect).length;
  }
  return { ...list, hooks, ...(turnedOff === undefined ? {} : { turned_off: turnedOff }), groups, chains };
}
