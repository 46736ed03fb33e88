/** The hooks that insert texts, by how long their texts live, each with its mute. */
import { Switch } from "@/components";
import { useMute } from "@/domain/hooks/mute";
import { t } from "@/i18n";
import type { HookRow } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { escapeInvisible } from "@/lib/escape";
import { LIFE_CLASS, LIFE_NUMBER } from "./lifetimes";

interface SkillHooksProps {
  project: string;
  /** Those of the scenario's dialect. */
  hooks: readonly HookRow[];
}

export function SkillHooks({ project, hooks }: SkillHooksProps) {
  const mute = useMute(project);
  const dialects = useDialects();
  const rows = hooks
    .flatMap((hook) => {
      const dialect = dialects.find(({ id }) => id === hook.dialect);
      const lifetime = dialect?.events.find(({ name }) => name === hook.event)?.lifetime ?? null;
      return lifetime === null ? [] : [{ hook, lifetime }];
    })
    .sort((a, b) => LIFE_NUMBER[a.lifetime] - LIFE_NUMBER[b.lifetime]);
  const on = rows.filter(({ hook }) => !hook.muted).length;
  return (
    <div className="flex-1 min-h-30 overflow-x-hidden overflow-y-auto [&_h2]:text-md [&_h2]:font-strong scroll">
      <div className="pane-head">
        <h2 className="grow">{t("simulator.hooks.title")}</h2>
        <span className="text-tiny dim">{t("simulator.hooks.on", { on, count: rows.length })}</span>
      </div>
      <ul aria-label={t("simulator.hooks.title")}>
        {rows.map(({ hook, lifetime }) => (
          <li key={`${hook.hook} ${hook.event}`} className="row min-h-10 px-3 border-b border-line-1">
            <b
              className={`life-number flex-none w-4 h-4 rounded-1 text-center font-[700] text-2xs/4 font-ui bg-(--life) text-ink-inv ${LIFE_CLASS[lifetime]}`}
            >
              {LIFE_NUMBER[lifetime]}
            </b>
            <span className="grow">
              <span className={hook.muted ? "text-small trunc block dim" : "text-small medium trunc block"}>
                {escapeInvisible(hook.label)}
              </span>
              <span className="text-tiny dim trunc block">
                {[t(`simulator.life.${lifetime}`), isPersistent(hook) ? t("simulator.persistent") : null]
                  .filter((word) => word !== null)
                  .join(t("list"))}
              </span>
            </span>
            <Switch
              on={!hook.muted}
              label={t("simulator.hooks.runs", { hook: escapeInvisible(hook.label) })}
              onChange={(runs) => mute(hook, runs ? "off" : null)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

function isPersistent({ definition }: HookRow): boolean {
  return (definition as { persistent?: unknown } | null)?.persistent === true;
}

/** The enabled skills of a scenario of which the project has no hook. */
export function missingSkills(skills: readonly string[] | null, hooks: readonly HookRow[]): string[] {
  const paths = hooks.map(({ path }) => path.replaceAll("\\", "/"));
  return (skills ?? []).filter((skill) => !paths.some((path) => path.includes(`/${skill}/hooks/`)));
}
