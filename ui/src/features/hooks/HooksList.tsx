/** The list of hooks: the tree beside it, the table in run order, and a drawer for one of them. */

import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { Pane, SizedPane, type TableHandle, toast } from "@/components";
import { eventOf, type Facts, idAt, inNode, rowKey, worstFirst } from "@/domain/hooks/facts";
import { HALF_HOUR_MS, useMute } from "@/domain/hooks/mute";
import { problemKey } from "@/domain/hooks/problemKey";
import { rejectedFiles } from "@/domain/hooks/rejectedFiles";
import { isTurnedOff, withTurnedOff } from "@/domain/hooks/turnedOff";
import { t } from "@/i18n";
import type { HookRow, HooksDocument, Problem } from "@/ipc";
import { useScreenActions, useStepping } from "@/lib/actions";
import { useLatest } from "@/lib/useLatest";
import { useView } from "@/lib/view";
import { getRouteApi } from "@/routes/router";
import type { HooksSearch } from "@/routes/search";
import { bySlowness } from "./bySlowness";
import { useEdits } from "./edits";
import { FilterBar } from "./FilterBar";
import { useFilterMatch } from "./filterWords";
import HookDrawer from "./HookDrawer";
import { HooksTable } from "./HooksTable";
import HooksTree from "./HooksTree";
import { hasPosition, useOrder } from "./order";
import RejectedBar from "./RejectedBar";
import { SeveralHooks } from "./SeveralHooks";
import { draftKey, useDrafts } from "./source/drafts";
import { useEditedFiles } from "./source/files";
import TurnedOffDrawer from "./TurnedOffDrawer";

const route = getRouteApi("/hooks");

interface HooksListProps {
  document: HooksDocument;
  facts: Facts;
  project: string;
  search: HooksSearch;
  onChange: (part: Partial<HooksSearch>) => void;
}

/** The rows that the filter and the tree leave, and the chosen one of all. */
function useShownHooks({ document, facts, search }: HooksListProps) {
  const all = useMemo(() => withTurnedOff(document, worstFirst(document.groups)), [document]);
  const isFound = useFilterMatch();
  const { node, q, sort } = search;
  const shown = useMemo(() => {
    const found = all.filter((hook) => inNode(hook, node) && (!q || isFound(hook, q)));
    return sort === undefined ? found : bySlowness(found, facts, sort);
  }, [all, node, q, sort, isFound, facts]);
  const selected =
    all.find((hook) => hook.hook === search.hook && hook.event === search.event) ??
    all.find((hook) => hook.hook === search.hook) ??
    all.find((hook) => hook.serves?.some((event) => idAt(hook, event) === search.hook));
  return { all, shown, selected };
}

/** The tree at the left, or over the table where there is no room. */
function useHooksTree() {
  const isHidden = useView((view) => view.hidden["hooks.tree"] ?? false);
  const isOver = useView((view) => view.hidden["hooks.tree.over"] === false);
  const setHidden = useView((view) => view.setHidden);
  return {
    isHidden,
    isOver,
    toggle: () => {
      if (window.matchMedia("(max-width: 1119px)").matches) setHidden("hooks.tree.over", isOver);
      else setHidden("hooks.tree", !isHidden);
    },
    closeOver: () => setHidden("hooks.tree.over", true),
  };
}

/** The edits of the list; they follow the hook that is chosen when they end. */
function useListEdits({ project, search, onChange }: HooksListProps) {
  const chosenRef = useLatest(search.hook);
  return useEdits(
    project,
    () => chosenRef.current ?? null,
    (hook) => onChange({ hook: hook ?? undefined }),
  );
}

type Edits = ReturnType<typeof useListEdits>;

/** Moves the chosen hook in its list; where it has none, says what orders it. */
function useShift(selected: HookRow | undefined, edits: Edits): (by: -1 | 1) => false | undefined {
  const orderOf = useOrder();
  return (by) => {
    if (selected === undefined) return false;
    if (selected.in_list !== null) edits.move(selected, selected.in_list.place + by);
    else if (hasPosition(selected)) toast(orderOf(selected), null);
    else return false;
    return undefined;
  };
}

export function HooksList(props: HooksListProps) {
  const { project, search, onChange } = props;
  const table = useRef<TableHandle>(null);
  const filter = useRef<HTMLInputElement>(null);
  const tree = useHooksTree();
  const mute = useMute(project);
  const { all, shown, selected } = useShownHooks(props);
  const edits = useListEdits(props);
  // The text gets the room of the tree.
  const defined = selected !== undefined && isTurnedOff(selected) ? undefined : selected;
  const isEditing = useEditedFiles(project, defined).edited.length > 0 && search.tab === "source";
  const selectedKey = selected ? rowKey(selected) : null;
  // The focus follows a hook that changes places.
  useEffect(() => {
    const row = globalThis.document.activeElement?.closest("[role=grid] tr");
    if (row && selectedKey !== null) table.current?.focusRow(selectedKey);
  }, [selectedKey]);
  const select = (hook: HookRow) => onChange({ hook: hook.hook, event: hook.event });
  const step = useStepping(shown, selected ? shown.indexOf(selected) : -1, (hook) => {
    select(hook);
    table.current?.focusRow(rowKey(hook));
  });
  const shift = useShift(defined, edits);
  const setOn = (hook: HookRow, on: boolean) => {
    if (isTurnedOff(hook)) edits.turnOn(hook);
    else mute(hook, on ? "off" : null);
  };
  useScreenActions({
    "hook.moveUp": defined && (() => shift(-1)),
    "hook.moveDown": defined && (() => shift(1)),
    "tree.toggle": tree.toggle,
    "tree.close": tree.isOver ? tree.closeOver : null,
    "filter.focus": () => filter.current?.focus(),
  });
  useHookKeys(
    defined,
    project,
    onChange,
    (hook) => mute(hook, hook.muted ? "off" : null),
    (hook) => mute(hook, HALF_HOUR_MS),
  );
  useScreenActions(
    selected !== undefined && isTurnedOff(selected) ? { "hook.switch": () => edits.turnOn(selected) } : {},
  );
  const panes = { ...props, all, shown, selected, table, filter, tree, edits, onSelect: select };
  return (
    <>
      {(tree.isHidden || isEditing) && !tree.isOver ? null : <TreePane {...panes} />}
      <TablePane {...panes} onSwitch={setOn} />
      {selected ? <ChosenHook {...panes} hook={selected} onStep={step} /> : null}
    </>
  );
}

interface PanesProps extends HooksListProps {
  all: HookRow[];
  shown: HookRow[];
  selected: HookRow | undefined;
  table: RefObject<TableHandle | null>;
  filter: RefObject<HTMLInputElement | null>;
  tree: ReturnType<typeof useHooksTree>;
  edits: Edits;
  onSelect: (hook: HookRow) => void;
}

function TreePane({ document, project, search, tree, onChange }: PanesProps) {
  return (
    <SizedPane
      id="hooks.tree"
      label={t("hooks.tree")}
      width={208}
      min={160}
      max={420}
      split="right"
      className={tree.isOver ? "tree-over" : "wide"}
    >
      <HooksTree
        document={document}
        project={project}
        by={search.by ?? "dialect"}
        node={search.node}
        onBy={(by) => onChange({ by: by === "dialect" ? undefined : by, node: undefined })}
        onNode={(node) => {
          onChange({ node: node === search.node ? undefined : node });
          if (tree.isOver) tree.closeOver();
        }}
      />
    </SizedPane>
  );
}

function TablePane(props: PanesProps & { onSwitch: (hook: HookRow, on: boolean) => void }) {
  const { document, facts, project, search, all, shown, selected, table, filter, tree, edits } = props;
  const { onChange, onSelect, onSwitch } = props;
  const rejected = useMemo(() => rejectedFiles(document), [document]);
  const openProblem = (problem: Problem) => onChange({ view: "problems", problem: problemKey(problem) });
  const latestRef = useLatest(onSwitch);
  const [also, setAlso] = useState<ReadonlySet<string>>(new Set());
  const several = all.filter((hook) => also.has(rowKey(hook)) && !isTurnedOff(hook));
  const stableSwitch = (hook: HookRow, on: boolean) => latestRef.current(hook, on);
  return (
    <Pane label={t("hooks.table")}>
      <FilterBar
        inputRef={filter}
        total={all.length}
        shown={shown.length}
        search={search}
        onChange={onChange}
        onTree={tree.toggle}
      />
      {rejected
        .filter(({ path }) => !document.hooks.some((hook) => hook.path === path))
        .map((file) => (
          <RejectedBar key={file.path} file={file} named onProblem={openProblem} />
        ))}
      <HooksTable
        tableRef={table}
        all={all}
        groups={document.groups}
        shown={shown}
        facts={facts}
        project={project}
        sort={search.sort}
        onSort={(next) => onChange({ sort: next })}
        selected={selected ? rowKey(selected) : null}
        also={also}
        onAlso={(hook) => {
          const next = new Set(also);
          // The row that is open is one of them.
          if (also.size === 0 && selected) next.add(rowKey(selected));
          if (!next.delete(rowKey(hook))) next.add(rowKey(hook));
          setAlso(next);
        }}
        onSelect={(hook) => {
          setAlso(new Set());
          onSelect(hook);
        }}
        onOpen={(hook) => {
          onSelect(hook);
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
      {several.length > 1 ? <SeveralHooks hooks={several} project={project} onDone={() => setAlso(new Set())} /> : null}
    </Pane>
  );
}

/** The drawer of the chosen hook. */
function ChosenHook(props: PanesProps & { hook: HookRow; onStep: (by: -1 | 1) => void }) {
  const { document, facts, project, search, hook, table, edits, onChange, onStep } = props;
  const navigate = route.useNavigate();
  const close = () => {
    table.current?.focusRow(rowKey(hook));
    onChange({ hook: undefined, event: undefined, tab: undefined });
  };
  if (isTurnedOff(hook)) {
    return (
      <TurnedOffDrawer
        hook={hook}
        project={project}
        onTurnOn={() => edits.turnOn(hook)}
        onClose={close}
        onStep={onStep}
      />
    );
  }
  return (
    <HookDrawer
      hook={hook}
      document={document}
      facts={facts}
      project={project}
      tab={search.tab ?? "summary"}
      file={search.file}
      line={search.line}
      edits={edits}
      onTab={(tab) => onChange({ tab: tab === "summary" ? undefined : tab })}
      onHook={(to) => onChange({ hook: to, event: hook.event })}
      onReview={(to) => void navigate({ to: "/trust", search: { hook: to } })}
      onClose={close}
      onStep={onStep}
    />
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
