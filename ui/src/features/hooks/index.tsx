/** Hooks: the tree, the table in run order, and a drawer for one of them; or everything that is wrong. */

import { EyeOff, Plus } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button, FaultNote, Note, Page, Skeleton, TabPanel, Tabs, Tooltip } from "@/components";
import { FileBars } from "@/domain/hooks/FileBars";
import { DAY_MS, factsOf } from "@/domain/hooks/facts";
import { useNewHook } from "@/domain/newHook/newHook";
import { useAppState, useProject } from "@/domain/project";
import { t } from "@/i18n";
import { say } from "@/i18n/messages";
import { type Problem, useCall } from "@/ipc";
import { getRouteApi } from "@/routes/router";
import type { HooksSearch } from "@/routes/search";
import EmptyHooks from "./EmptyHooks";
import EditsView from "./editList/EditsView";
import UndoKeys from "./editList/UndoKeys";
import OrderView from "./effectiveOrder/OrderView";
import { HooksList } from "./HooksList";
import LifecycleChoice from "./lifecycle/LifecycleChoice";
import LifecycleView from "./lifecycle/LifecycleView";
import OwnHooks from "./ownHooks/OwnHooks";
import ProblemsView from "./ProblemsView";

// The list comes first; what lies beside or in place of it is loaded when it is asked for.

const route = getRouteApi("/hooks");
const NO_STATS: never[] = [];
const NO_PROBLEMS: never[] = [];
const NO_PLACE = { file: undefined, line: undefined };

export function HooksScreen() {
  const project = useProject();
  return project === null ? <OwnHooks /> : <ProjectHooks project={project} />;
}

function ProjectHooks({ project }: { project: string }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useCall("hooks.list", { project });
  const stats = useCall("stats", { project, since_ms: DAY_MS });
  const view = search.view ?? "list";
  const askForHook = useNewHook((store) => store.ask);
  const facts = factsOf(stats.data?.hooks ?? NO_STATS);
  const change = (part: Partial<HooksSearch>) =>
    void navigate({
      // A place in a file belongs to the hook that it was opened for.
      search: (now) => ({ ...now, ...("hook" in part || "tab" in part ? NO_PLACE : null), ...part }),
      replace: part.hook === undefined,
    });
  // What was chosen belongs to the project that was on show.
  const before = useRef(project);
  useEffect(() => {
    if (before.current !== project) void navigate({ search: {}, replace: true });
    before.current = project;
  }, [project, navigate]);
  return (
    <Page
      title={t("hooks.title")}
      notes={
        <>
          <NotLive />
          <FileBars document={list.data} project={project} />
        </>
      }
      after={<HooksTabs view={view} problems={list.data?.problems ?? NO_PROBLEMS} onChange={change} />}
      actions={
        <>
          {view === "lifecycle" ? <LifecycleChoice document={list.data} search={search} onChange={change} /> : null}
          <Button icon={Plus} action="hook.new" onClick={() => askForHook({})}>
            {t("newHook.ask")}
          </Button>
        </>
      }
    >
      <UndoKeys project={project} />
      <TabPanel id="hooks" value={view} className="panes">
        {view === "edits" ? (
          <EditsView project={project} search={search} onChange={change} />
        ) : list.error !== null ? (
          <FaultNote fault={list.error} onRetry={() => void list.refetch()} />
        ) : list.data === undefined ? (
          <Skeleton rows={12} height={44} what={t("hooks.title")} />
        ) : view === "problems" ? (
          <ProblemsView document={list.data} project={project} search={search} onChange={change} />
        ) : view === "order" ? (
          <OrderView document={list.data} project={project} search={search} onChange={change} />
        ) : view === "lifecycle" ? (
          <LifecycleView document={list.data} project={project} search={search} onChange={change} />
        ) : list.data.hooks.length === 0 && (list.data.turned_off ?? []).length === 0 ? (
          <EmptyHooks document={list.data} project={project} />
        ) : (
          <HooksList document={list.data} facts={facts} project={project} search={search} onChange={change} />
        )}
      </TabPanel>
    </Page>
  );
}

interface HooksTabsProps {
  view: NonNullable<HooksSearch["view"]>;
  problems: readonly Problem[];
  onChange: (part: Partial<HooksSearch>) => void;
}

/** The views of the screen. A hint is advice; only what is wrong is counted. */
function HooksTabs({ view, problems: all, onChange }: HooksTabsProps) {
  const problems = all.filter(({ severity }) => severity !== "hint").length;
  const hints = all.length - problems;
  return (
    <Tabs
      id="hooks"
      label={t("hooks.title")}
      value={view}
      onChange={(value) =>
        onChange({
          view: value === "list" ? undefined : value,
          problem: undefined,
          event: undefined,
          edit: undefined,
        })
      }
      items={[
        { value: "list", label: t("hooks.list") },
        { value: "order", label: t("hooks.order") },
        { value: "lifecycle", label: t("lifecycle.tab") },
        {
          value: "problems",
          label: (
            <>
              {problems > 0 ? t("hooks.problems_count", { count: problems }) : t("hooks.problems")}
              {hints > 0 && problems === 0 ? (
                <Tooltip text={t("hooks.drawer.hints", { count: hints })} side="bottom">
                  <span
                    className="inline-block w-1.5 h-1.5 ml-1.5 rounded-full align-middle shadow-[inset_0_0_0_1.5px_var(--accent)]"
                    role="img"
                    aria-label={t("hooks.drawer.hints", { count: hints })}
                  />
                </Tooltip>
              ) : null}
            </>
          ),
        },
        { value: "edits", label: t("hooks.edits") },
      ]}
    />
  );
}

function NotLive() {
  const watching = useAppState()?.watching;
  if (watching === undefined || watching.live) return null;
  return (
    <div style={{ padding: "var(--s-2) var(--s-4) 0" }}>
      <Note kind="warning" icon={EyeOff} lead={t("hooks.notLive")}>
        {say(watching, watching.why)}
      </Note>
    </div>
  );
}
