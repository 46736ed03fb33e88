/** How much of a time limit the hook uses. */
import { useMemo } from "react";
import { Budget } from "@/components/chart";
import { DAY_MS, factsOf, statsOf } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import { type HookRow, useCall } from "@/ipc";

interface TimeLimitProps {
  project: string;
  hook: HookRow;
  limitMs: number;
}

export function TimeLimit({ project, hook, limitMs }: TimeLimitProps) {
  const stats = useCall("stats", { project, since_ms: DAY_MS });
  const saved = useCall("hooks.list", { project }).data?.hooks.find((one) => one.hook === hook.hook);
  const facts = useMemo(() => factsOf(stats.data?.hooks ?? []), [stats.data?.hooks]);
  // What was measured is that of the definition that is saved.
  const measured = statsOf(facts, saved ?? hook);
  if (measured === undefined || measured.p95_ms <= 0) {
    return <span className="text-tiny dim nowrap">{t("form.neverRan")}</span>;
  }
  return (
    <Budget
      label={t("hooks.drawer.budget")}
      used={measured.p95_ms}
      p50={measured.p50_ms}
      max={measured.max_ms}
      limit={limitMs}
      text={t("form.uses", { share: `${Math.round((measured.p95_ms / limitMs) * 100)}%` })}
    />
  );
}
