/** Hooks: the tree, the table in run order, and a drawer for one of them; or everything that is wrong. */
import { EyeOff, Plus } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useRef } from "react";
import {
  Button,
  FaultNote,
  Note,
  Page,
  Pane,
  SizedPane,
  Skeleton,
  type TableHandle,
  TabPanel,
  Tabs,
  Tooltip,
  toast,
} from "@/components";
import { DAY_MS, eventOf, type Facts, factsOf, idAt, inNode, inRunOrder, rowKey } from "@/domain/hooks/facts";
import { HALF_HOUR_MS, useMute } from "@/domain/hooks/mute";
import { rejectedFiles } from "@/domain/hooks/rejectedFiles";
import { useNewHook } from "@/domain/newHook/newHook";
import { useAppState, useProject } from "@/domain/project";
import { useTranslation, withTexts } from "@/i18n";
import { useMessages } from "@/i18n/messages";
import { type HookRow, type HooksDocument, useCall } from "@/ipc";
import { itemAfter, useRowActions, useScreenActions } from "@/lib/actions";
import { usePrefetch } from "@/lib/idle";
import { useView } from "@/lib/view";
import { getRouteApi } from "@/routes/router";
import type { HooksSearch } from "@/routes/search";
import { bySlowness } from "./bySlowness";
import { useEdits } from "./edits";
import { FilterBar } from "./FilterBar";
import { useFilterMatch } from "./filterWords";
import { HooksTable } from "./HooksTable";
import { hasPosition, useOrder } from "./order";
import { draftKey, useDrafts } from "./source/drafts";
import { useEditedFiles } from "./source/files";
import "./hooks.css";

// The list comes first; what lies beside or in place of it is loaded when it is asked for.
const EmptyHooks = lazy(() => import("./EmptyHooks"));
const loadDrawer = () => withTexts(import("./HookDrawer"));
const HookDrawer = lazy(loadDrawer);
const HooksTree = lazy(() => import("./HooksTree"));
const LifecycleView = lazy(() => import("./lifecycle/LifecycleView"));
const LifecycleChoice = lazy(() => import("./lifecycle/LifecycleChoice"));
const EditsView = lazy(() => import("./editList/EditsView"));
const OwnHooks = lazy(() => import("./ownHooks/OwnHooks"));
const UndoKeys = lazy(() => import("./editList/UndoKeys"));
const RejectedBar = lazy(() => import("./RejectedBar"));
const ProblemsView = lazy(() => import("./ProblemsView"));

const route = getRouteApi("/hooks");
const NO_STATS: never[] = [];

export function HooksScreen() {
  const project = useProject();
  return project === null ? (
    <Suspense fallback={null}>
      <OwnHooks />
    </Suspense>
  ) : (
    <ProjectHooks project={project} />
  );
}

function ProjectHooks({ project }: { project: string }) {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useCall("hooks.list", { project });
  const stats = useCall("stats", { project, since_ms: DAY_MS });
  // A hint is advice; only what is wrong is counted.
  const problems = list.data?.problems.filter(({ severity }) => severity !== "hint").length ?? 0;
  const hints = (list.data?.problems.length ?? 0) - problems;
  const view = search.view ?? "list";
  const askForHook = useNewHook((store) => store.ask);
  const facts = useMemo(
    () => factsOf(list.data?.problems ?? [], stats.data?.hooks ?? NO_STATS),
    [list.data?.problems, stats.data?.hooks],
  );
  const change = (part: Partial<HooksSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...part }), replace: part.hook === undefined });
  // What was chosen belongs to the project that was on show.
  const before = useRef(project);
  useEffect(() => {
    if (before.current !== project) void navigate({ search: {}, replace: true });
    before.current = project;
  }, [project, navigate]);
  return (
    <Page
      title={t("hooks.title")}
      notes={<NotLive />}
      after={
        <Tabs
          id="hooks"
          label={t("hooks.title")}
          value={view}
          onChange={(value) =>
            change({
              view: value === "list" ? undefined : value,
              problem: undefined,
              event: undefined,
              edit: undefined,
            })
          }
          items={[
            { value: "list", label: t("hooks.list") },
            { value: "lifecycle", label: t("lifecycle.tab") },
            {
              value: "problems",
              label: (
                <>
                  {problems > 0 ? t("hooks.problems_count", { count: problems }) : t("hooks.problems")}
                  {hints > 0 && problems === 0 ? (
                    <Tooltip text={t("hooks.drawer.hints", { count: hints })} side="bottom">
                      <span className="hint-dot" role="img" aria-label={t("hooks.drawer.hints", { count: hints })} />
                    </Tooltip>
                  ) : null}
                </>
              ),
            },
            { value: "edits", label: t("hooks.edits") },
          ]}
        />
      }
      actions={
        <>
          {view === "lifecycle" ? (
            <Suspense fallback={null}>
              <LifecycleChoice document={list.data} search={search} onChange={change} />
            </Suspense>
          ) : null}
          <Button icon={Plus} action="hook.new" onClick={() => askForHook({})}>
            {t("newHook.ask")}
          </Button>
        </>
      }
    >
      <Suspense fallback={null}>
        <UndoKeys project={project} />
      </Suspense>
      <TabPanel id="hooks" value={view} className="panes">
        <Suspense fallback={<Skeleton rows={12} height={44} what={t("hooks.title")} />}>
          {view === "edits" ? (
            <EditsView project={project} search={search} onChange={change} />
          ) : list.error !== null ? (
            <FaultNote fault={list.error} onRetry={() => void list.refetch()} />
          ) : list.data === undefined ? (
            <Skeleton rows={12} height={44} what={t("hooks.title")} />
          ) : view === "problems" ? (
            <ProblemsView document={list.data} project={project} search={search} onChange={change} />
          ) : view === "lifecycle" ? (
            <LifecycleView document={list.data} project={project} search={search} onChange={change} />
          ) : list.data.hooks.length === 0 ? (
            <EmptyHooks document={list.data} project={project} />
          ) : (
            <HooksList document={list.data} facts={facts} project={project} search={search} onChange={change} />
          )}
        </Suspense>
      </TabPanel>
    </Page>
  );
}

function NotLive() {
  const { t } = useTranslation();
  const { say } = useMessages();
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

interface HooksListProps {
  document: HooksDocument;
  facts: Facts;
  project: string;
  search: HooksSearch;
  onChange: (part: Partial<HooksSearch>) => void;
}

function HooksList({ document, facts, project, search, onChange }: HooksListProps) {
  const { t } = useTranslation();
  const navigate = route.useNavigate();
  usePrefetch(loadDrawer);
  const table = useRef<TableHandle>(null);
  const filter = useRef<HTMLInputElement>(null);
  const hideTree = useView((view) => view.hidden["hooks.tree"] ?? false);
  const treeOver = useView((view) => view.hidden["hooks.tree.over"] === false);
  const setHidden = useView((view) => view.setHidden);
  const mute = useMute(project);
  const all = useMemo(() => inRunOrder(document.hooks, document.sources), [document.hooks, document.sources]);
  const isFound = useFilterMatch(facts);
  const { node, q, sort } = search;
  const shown = useMemo(() => {
    const found = all.filter((hook) => inNode(hook, node, document.sources) && (!q || isFound(hook, q)));
    return sort === undefined ? found : bySlowness(found, facts, sort);
  }, [all, node, q, sort, document.sources, isFound, facts]);
  const selected =
    all.find((hook) => hook.hook === search.hook && hook.event === search.event) ??
    all.find((hook) => hook.hook === search.hook) ??
    all.find((hook) => hook.serves?.some((event) => idAt(hook, event) === search.hook));
  const select = (hook: HookRow) => onChange({ hook: hook.hook, event: hook.event });
  const onSwitch = useRef((hook: HookRow, on: boolean) => mute(hook, on ? "off" : null));
  onSwitch.current = (hook, on) => mute(hook, on ? "off" : null);
  const stableSwitch = useRef((hook: HookRow, on: boolean) => onSwitch.current(hook, on)).current;

  const at = useRef(search.hook);
  at.current = search.hook;
  const edits = useEdits(
    project,
    () => at.current ?? null,
    (hook) => onChange({ hook: hook ?? undefined }),
  );
  // The text gets the room of the tree.
  const isEditing = useEditedFiles(project, selected).edited.length > 0 && search.tab === "source";
  const selectedKey = selected ? rowKey(selected) : null;
  // The focus follows a hook that changes places.
  useEffect(() => {
    const row = globalThis.document.activeElement?.closest("[role=grid] tr");
    if (row && selectedKey !== null) table.current?.focusRow(selectedKey);
  }, [selectedKey]);
  const step = (by: -1 | 1) => {
    const at = selected ? shown.indexOf(selected) : -1;
    const next = itemAfter(shown, at, by);
    if (next === undefined) return;
    select(next);
    table.current?.focusRow(rowKey(next));
  };
  const toggleTree = () => {
    if (window.matchMedia("(max-width: 1119px)").matches) setHidden("hooks.tree.over", treeOver);
    else setHidden("hooks.tree", !hideTree);
  };
  useRowActions(step);
  const rejected = useMemo(() => rejectedFiles(document), [document]);
  const openProblem = (index: number) => onChange({ view: "problems", problem: index });
  const orderOf = useOrder();
  const shift = (by: -1 | 1) => {
    if (selected === undefined) return false;
    if (selected.in_list !== null) edits.move(selected, selected.in_list.place + by);
    else if (hasPosition(selected)) toast(orderOf(selected), null);
    else return false;
  };
  useScreenActions({
    "hook.moveUp": selected && (() => shift(-1)),
    "hook.moveDown": selected && (() => shift(1)),
    "tree.toggle": toggleTree,
    "tree.close": treeOver ? () => setHidden("hooks.tree.over", true) : null,
    "filter.focus": () => filter.current?.focus(),
  });
  useHookKeys(
    selected,
    project,
    onChange,
    (hook) => mute(hook, hook.muted ? "off" : null),
    (hook) => mute(hook, HALF_HOUR_MS),
  );

  return (
    <>
      {(hideTree || isEditing) && !treeOver ? null : (
        <SizedPane
          id="hooks.tree"
          label={t("hooks.tree")}
          width={208}
          min={160}
          max={420}
          split="right"
          className={treeOver ? "tree-over" : "wide"}
        >
          <Suspense fallback={null}>
            <HooksTree
              document={document}
              facts={facts}
              project={project}
              by={search.by ?? "dialect"}
              node={search.node}
              onBy={(by) => onChange({ by: by === "dialect" ? undefined : by, node: undefined })}
              onNode={(node) => {
                onChange({ node: node === search.node ? undefined : node });
                if (treeOver) setHidden("hooks.tree.over", true);
              }}
              onProblem={(path) =>
                onChange({ view: "problems", problem: document.problems.findIndex((problem) => problem.path === path) })
              }
            />
          </Suspense>
        </SizedPane>
      )}
      <Pane label={t("hooks.table")}>
        <FilterBar
          inputRef={filter}
          total={all.length}
          shown={shown.length}
          search={search}
          onChange={onChange}
          onTree={toggleTree}
        />
        {rejected
          .filter(({ path }) => !document.hooks.some((hook) => hook.path === path))
          .map((file) => (
            <RejectedBar key={file.path} file={file} named onProblem={openProblem} />
          ))}
        <HooksTable
          tableRef={table}
          all={all}
          sources={document.sources}
          shown={shown}
          facts={facts}
          project={project}
          sort={sort}
          onSort={(next) => onChange({ sort: next })}
          selected={selectedKey}
          onSelect={select}
          onOpen={(hook) => {
            select(hook);
            requestAnimationFrame(() =>
              globalThis.document.querySelector<HTMLElement>(".drawer [role=tab][aria-selected=true]")?.focus(),
            );
          }}
          onSwitch={stableSwitch}
          onMove={edits.move}
          rejected={rejected}
          onProblem={openProblem}
          empty={
            <p className="empty text-small ink-2">
              {t("hooks.noMatch", {
                token: search.q ? `“${search.q}”` : t("hooks.filter"),
                total: all.length,
              })}
            </p>
          }
        />
      </Pane>
      {selected ? (
        <Suspense fallback={null}>
          <HookDrawer
            hook={selected}
            document={document}
            facts={facts}
            project={project}
            tab={search.tab ?? "summary"}
            edits={edits}
            onTab={(tab) => onChange({ tab: tab === "summary" ? undefined : tab })}
            onHook={(hook) => onChange({ hook, event: selected.event })}
            onReview={(hook) => void navigate({ to: "/trust", search: { hook } })}
            onClose={() => {
              table.current?.focusRow(rowKey(selected));
              onChange({ hook: undefined, event: undefined, tab: undefined });
            }}
            onStep={step}
          />
        </Suspense>
      ) : null}
    </>
  );
}

/** Keys that act on the chosen hook. */
function useHookKeys(
  hook: HookRow | undefined,
  project: string,
  onChange: (part: Partial<HooksSearch>) => void,
  onSwitch: (hook: HookRow) => void,
  onMute: (hook: HookRow) => void,
): void {
  const navigate = route.useNavigate();
  const search = hook ? { dialect: hook.dialect, event: eventOf(hook), hook: hook.hook } : {};
  const withHook = (run: (hook: HookRow) => unknown) => (hook && project !== "" ? () => run(hook) : null);
  useScreenActions({
    "hook.fire": withHook(() => navigate({ to: "/fire", search })),
    "hook.explain": withHook(() => onChange({ tab: "explain" })),
    "hook.switch": withHook(onSwitch),
    "hook.mute": withHook(onMute),
    "hook.review": hook?.trusted ? null : withHook(({ hook: id }) => navigate({ to: "/trust", search: { hook: id } })),
    "hook.summary": withHook(() => onChange({ tab: undefined })),
    "hook.edit": withHook((one) => {
      useDrafts.getState().want(draftKey(project, one.path));
      onChange({ tab: "source" });
    }),
    "hook.source": withHook(() => onChange({ tab: "source" })),
  });
}
