import { ShieldQuestionMark } from "lucide-react";
import type { ReactNode } from "react";
import {
  DialectTag,
  HEALTH_ICONS,
  Icon,
  isFault,
  LayerIcon,
  Note,
  Segmented,
  type ShownState,
  shownState,
  Tooltip,
  Tree,
  type TreeNode,
} from "@/components";
import { groupedHooks, listensTo, nodeId, placeOf } from "@/domain/hooks/facts";
import { useAppState } from "@/domain/project";
import { t } from "@/i18n";
import type { HookRow, HooksDocument } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { baseName, shortPath } from "@/lib/names";
import { joinSentences } from "@/lib/sentences";
import { Link } from "@/routes/router";
import type { HooksBy } from "@/routes/search";

interface HooksTreeProps {
  document: HooksDocument;
  project: string;
  by: HooksBy;
  node: string | undefined;
  onBy: (by: HooksBy) => void;
  onNode: (node: string) => void;
}

function waitsForReview(hook: HookRow): boolean {
  return hook.health.state === "needs_review";
}

/** The gravest fault and the reviews below a node, as its marks. */
function marks(hooks: readonly HookRow[]): ReactNode {
  const waits = hooks.filter(waitsForReview).length;
  const states = new Set(hooks.flatMap(({ health }) => (isFault(health) ? [shownState(health)] : [])));
  const worst = (Object.keys(HEALTH_ICONS) as ShownState[]).find((state) => states.has(state));
  const word = worst === undefined ? null : t(`words.health.${worst}`);
  return (
    <>
      {worst === undefined ? null : (
        <Tooltip text={word}>
          <i className="ink-fail">
            <Icon of={HEALTH_ICONS[worst]} size={12} />
            <span className="visually-hidden">{word}</span>
          </i>
        </Tooltip>
      )}
      {waits > 0 ? (
        <Link
          to="/trust"
          className="ink-late flex items-center gap-0.5 font-[500] text-xs/4 font-ui tabular-nums"
          aria-label={t("shell.status.review", { count: waits })}
          tabIndex={-1}
          onClick={(event) => event.stopPropagation()}
        >
          <Icon of={ShieldQuestionMark} size={12} />
          {waits}
        </Link>
      ) : null}
    </>
  );
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = key(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return [...groups];
}

function useNodes({ document, by, project }: HooksTreeProps): TreeNode[] {
  const dialects = useDialects();
  // Skills are places of their own, each with a name.
  const layerOrSkill = (hook: HookRow) => (hook.layer === "skill" ? hook.group : hook.layer);
  const hooks = groupedHooks(document);
  return groupBy(hooks, (hook) => hook.dialect).map(([dialect, own]) => {
    const about = dialects.find((one) => one.id === dialect);
    const children =
      by === "dialect"
        ? groupBy(own, layerOrSkill).map(([name, list]) => ({
            id: list[0]?.layer === "skill" ? nodeId("file", dialect, name) : nodeId("layer", dialect, name),
            label: list[0]?.layer === "skill" ? baseName(name) : t(`words.layer.${list[0]?.layer ?? "user"}`),
            icon: <LayerIcon layer={list[0]?.layer ?? "user"} />,
            marks: marks(list),
            count: list.length,
          }))
        : by === "source"
          ? groupBy(own, (hook) => hook.group).map(([key, list]) => ({
              id: nodeId("file", dialect, key),
              label: <SourcePath hook={list[0]} document={document} project={project} />,
              icon: <LayerIcon layer={list[0]?.layer ?? "user"} />,
              marks: marks(list),
              count: list.length,
            }))
          : (about?.events ?? [])
              .map((event) => ({ event, list: own.filter((hook) => listensTo(hook, event.name)) }))
              .filter(({ list }) => list.length > 0)
              .map(({ event, list }) => ({
                id: nodeId("event", dialect, event.name),
                label: <span className="mono">{event.name}</span>,
                marks: marks(list),
                count: list.length,
              }));
    return {
      id: nodeId("dialect", dialect),
      head: true,
      label: about?.name ?? dialect,
      icon: <DialectTag dialect={dialect} />,
      marks: marks(own),
      count: own.length,
      children,
    };
  });
}

function SourcePath(props: { hook: HookRow | undefined; document: HooksDocument; project: string }) {
  const path = props.hook ? placeOf(props.hook, props.document) : "";
  return (
    <Tooltip text={path}>
      <span>{shortPath(path, props.project)}</span>
    </Tooltip>
  );
}

export default function HooksTree(props: HooksTreeProps) {
  const nodes = useNodes(props);
  const pending = useAppState()?.pending ?? 0;
  return (
    <>
      <div className="pane-head">
        <Segmented
          label={t("hooks.by.label")}
          value={props.by}
          onChange={props.onBy}
          items={[
            { value: "dialect", label: t("hooks.by.dialect") },
            { value: "source", label: t("hooks.by.source") },
            { value: "event", label: t("hooks.by.event") },
          ]}
        />
      </div>
      <Tree label={t("hooks.tree")} nodes={nodes} selected={props.node ?? null} onSelect={props.onNode} />
      {pending > 0 ? (
        <div className="px-3 pb-3">
          <Note kind="warning" icon={ShieldQuestionMark} className="small">
            {joinSentences(
              t("hooks.treeWaits", { count: pending }),
              props.document.hooks.filter(waitsForReview).length > pending && t("hooks.treeCovers"),
            )}{" "}
            <Link className="link" to="/trust">
              {t("hooks.openReview")}
            </Link>
          </Note>
        </div>
      ) : null}
    </>
  );
}
