/** Before a first event there are no figures: the guards that there are, what to do, in order, and the files that were read. */
import { Cable, Plus, ShieldQuestionMark, Zap } from "lucide-react";
import type { ReactNode } from "react";
import { Button, Cut, DialectTag, HookState, isFault, Pane } from "@/components";
import { FilterWords } from "@/domain/hooks/FilterWords";
import { rowKey } from "@/domain/hooks/facts";
import { useNewHook } from "@/domain/newHook/newHook";
import { t } from "@/i18n";
import { type HookRow, type HooksDocument, type StatusDoc, useCall } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { shortPath } from "@/lib/names";
import { useLiveRows } from "@/live/rows";
import { Link, useNavigate } from "@/routes/router";
import { MOST_ROWS } from "./Recent";

/** Whether it is known that no event of the project was ever recorded. */
export function useDayOne(project: string): boolean {
  // The call of the list of events, so that both know at once.
  const page = useCall("history.page", { project, limit: MOST_ROWS }, { refetchOnMount: true });
  const { rows } = useLiveRows();
  const cameSince = rows.some((row) => row.project === project || row.project === null);
  return page.data?.traces.length === 0 && !cameSince;
}

interface DayOneProps {
  status: StatusDoc | undefined;
  document: HooksDocument | undefined;
  project: string;
}

/** Guards that do not work come first. */
export function Guards({ document }: Pick<DayOneProps, "document">) {
  const hooks = document?.hooks ?? [];
  const guards = hooks
    .filter((hook) => hook.guard)
    .sort((a, b) => Number(isFault(b.health)) - Number(isFault(a.health)));
  return (
    <Pane label={t("overview.dayOne.guards")} className="scroll">
      <div className="pane-head px-4">
        <h2>{t("overview.dayOne.guards")}</h2>
        <span className="text-small dim">{guards.length}</span>
        <span className="spacer" />
        <Link to="/hooks" className="link text-small">
          {t("overview.dayOne.allHooks", { count: hooks.length })}
        </Link>
      </div>
      {guards.length === 0 ? (
        <p className="py-3 px-4 text-small ink-2">{t("overview.dayOne.noGuards")}</p>
      ) : (
        <ul>
          {guards.map((hook) => (
            <GuardRow key={rowKey(hook)} hook={hook} />
          ))}
        </ul>
      )}
    </Pane>
  );
}

function GuardRow({ hook }: { hook: HookRow }) {
  return (
    <li
      className={`flex min-h-12 items-center gap-3 border-b border-line-1 px-4 py-1 ${isFault(hook.health) ? "bg-fail-bg/45" : ""}`}
    >
      <span className="w-36 flex-none">
        <HookState hook={hook} detail />
      </span>
      <span className="grow">
        <span className="row">
          <DialectTag dialect={hook.dialect} />
          <Link to="/hooks" search={{ hook: hook.hook }} className="medium text-small ink-1 trunc hover:underline">
            {oneLine(hook.label, 60)}
          </Link>
          <span className="mono text-tiny dim trunc">{hook.event}</span>
        </span>
        <span className="text-small wrap block">
          <FilterWords filter={hook.filter} />
        </span>
      </span>
    </li>
  );
}

/** What the others wait for comes first: a hook, then its approval. */
export function FirstSteps({ status, document, project }: DayOneProps) {
  const navigate = useNavigate();
  const ask = useNewHook((store) => store.ask);
  const waits = status?.needs.some(({ kind }) => kind === "review");
  const isEmpty = status?.verdict.code === "no_hooks";
  return (
    <>
      <div className="pane-head px-4">
        <h2>{t("overview.dayOne.steps")}</h2>
      </div>
      <ol className="[counter-reset:step]">
        {isEmpty ? (
          <FirstStep title={t("overview.dayOne.add")} text={t("overview.dayOne.addText")}>
            <Button icon={Plus} onClick={() => ask({})}>
              {t("newHook.ask")}
            </Button>
          </FirstStep>
        ) : null}
        {waits ? (
          <FirstStep title={t("overview.dayOne.review")} text={t("overview.dayOne.reviewText")}>
            <Button icon={ShieldQuestionMark} onClick={() => void navigate({ to: "/trust" })}>
              {t("overview.review")}
            </Button>
          </FirstStep>
        ) : null}
        <FirstStep title={t("overview.dayOne.connect")} text={t("overview.dayOne.connectText")}>
          <Button icon={Cable} onClick={() => void navigate({ to: "/agents" })}>
            {t("overview.dayOne.toAgents")}
          </Button>
        </FirstStep>
        <FirstStep title={t("overview.dayOne.fire")} text={t("overview.dayOne.fireText")}>
          <Button icon={Zap} onClick={() => void navigate({ to: "/fire" })}>
            {t("history.fireSample")}
          </Button>
        </FirstStep>
      </ol>
      <SourcesRead document={document} project={project} />
    </>
  );
}

function FirstStep({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <li className="flex gap-3 border-b border-line-1 px-4 py-3 [counter-increment:step] before:grid before:h-6 before:w-6 before:flex-none before:place-items-center before:rounded-full before:border before:border-line-3 before:text-tiny before:content-[counter(step)]">
      <div className="column items-start gap-2">
        <h3 className="medium text-small ink-1">{title}</h3>
        <p className="text-small dim">{text}</p>
        {children}
      </div>
    </li>
  );
}

function SourcesRead({ document, project }: Pick<DayOneProps, "document" | "project">) {
  const sources = document?.sources.filter(({ exists }) => exists) ?? [];
  if (sources.length === 0) return null;
  return (
    <section className="px-4 py-3" aria-label={t("overview.dayOne.readFrom")}>
      <h3 className="text-small dim mb-2">{t("overview.dayOne.readFrom")}</h3>
      <ul className="column gap-1">
        {sources.map(({ dialect, layer, path, hooks }) => (
          <li key={`${dialect} ${layer} ${path}`} className="row text-small">
            <DialectTag dialect={dialect} />
            <Cut className="mono grow" text={path}>
              {shortPath(path, project)}
            </Cut>
            <span className="dim nowrap">{t("overview.dayOne.hookCount", { count: hooks })}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
