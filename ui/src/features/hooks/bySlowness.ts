/** The hooks by how long their slow runs take. */
import { type Facts, statsOf } from "@/domain/hooks/facts";
import type { HookRow } from "@/ipc";
import type { HooksSort } from "@/routes/search";

/** Those that never ran come last. */
export function bySlowness(hooks: readonly HookRow[], facts: Facts, sort: HooksSort): HookRow[] {
  const slowness = (hook: HookRow) => {
    const stats = statsOf(facts, hook);
    return stats !== undefined && stats.attempts > 0 ? stats.p95_ms : null;
  };
  const sign = sort === "p95" ? 1 : -1;
  return [...hooks].sort((a, b) => {
    const [one, other] = [slowness(a), slowness(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * (one - other);
  });
}
