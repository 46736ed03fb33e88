/** A tree of one or two levels with counts, marks that bubble up, and arrow keys. */
import { ChevronDown, ChevronRight } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { Icon } from "./Icon";

export interface TreeNode {
  id: string;
  label: ReactNode;
  icon?: ReactNode;
  /** Problem and review marks. */
  marks?: ReactNode;
  count?: ReactNode;
  children?: readonly TreeNode[];
  /** Bold first level with an arrow; deeper levels open and close with the arrow keys. */
  head?: boolean;
  /** Opens and closes instead of being chosen. */
  folds?: boolean;
}

interface TreeProps {
  label: string;
  nodes: readonly TreeNode[];
  selected: string | null;
  onSelect: (id: string) => void;
  /** Nodes that are closed until a person opens them. */
  closed?: ReadonlySet<string>;
}

interface Flat {
  node: TreeNode;
  depth: number;
  parent: string | null;
}

function flatten(
  nodes: readonly TreeNode[],
  closed: ReadonlySet<string>,
  depth = 0,
  parent: string | null = null,
): Flat[] {
  return nodes.flatMap((node) => [
    { node, depth, parent },
    ...(node.children && !closed.has(node.id) ? flatten(node.children, closed, depth + 1, node.id) : []),
  ]);
}

/** What begins closed, and what a person opened or closed since. */
function closedNow(initially: ReadonlySet<string> | undefined, moved: ReadonlyMap<string, boolean>): Set<string> {
  const closed = new Set(initially);
  for (const [id, open] of moved) {
    if (open) closed.delete(id);
    else closed.add(id);
  }
  return closed;
}

export function Tree({ label, nodes, selected, onSelect, closed: initially }: TreeProps) {
  // The focus may be on a node that is never chosen.
  const [focused, setFocused] = useState<string | null>(null);
  const [moved, setMoved] = useState<ReadonlyMap<string, boolean>>(new Map());
  const closed = closedNow(initially, moved);
  const rows = flatten(nodes, closed);
  const at = rows.findIndex((row) => row.node.id === selected);

  const focusedAt = rows.findIndex((row) => row.node.id === focused);
  const reachable = focusedAt >= 0 ? focusedAt : Math.max(0, at);

  const toggle = (id: string, open: boolean) => {
    setMoved(new Map(moved).set(id, open));
  };
  const choose = (id: string) => {
    setFocused(null);
    onSelect(id);
  };
  const activate = (node: TreeNode) => {
    if (node.folds) toggle(node.id, closed.has(node.id));
    else choose(node.id);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>, index: number) => {
    const row = rows[index];
    if (row === undefined || event.ctrlKey || event.metaKey) return;
    const open = row.node.children !== undefined && !closed.has(row.node.id);
    let to = -1;
    if (event.key === "ArrowDown" || event.key === "j") to = Math.min(index + 1, rows.length - 1);
    else if (event.key === "ArrowUp" || event.key === "k") to = Math.max(index - 1, 0);
    else if (event.key === "Home") to = 0;
    else if (event.key === "End") to = rows.length - 1;
    else if (event.key === "ArrowRight" && row.node.children && !open) toggle(row.node.id, true);
    else if (event.key === "ArrowRight" && open) to = index + 1;
    else if (event.key === "ArrowLeft" && open) toggle(row.node.id, false);
    else if (event.key === "ArrowLeft" && row.parent !== null) to = rows.findIndex((one) => one.node.id === row.parent);
    else if (event.key === "Enter" || event.key === " ") activate(row.node);
    else return;
    event.preventDefault();
    event.stopPropagation();
    const next = rows[to];
    if (next === undefined) return;
    if (next.node.folds) setFocused(next.node.id);
    else choose(next.node.id);
    const items = event.currentTarget.parentElement?.querySelectorAll<HTMLElement>("[role=treeitem]");
    items?.[to]?.focus();
  };
  const tree = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice comes into view
  useEffect(() => {
    tree.current?.querySelector("[aria-selected=true]")?.scrollIntoView?.({ block: "nearest" });
  }, [selected, nodes.length]);
  return (
    <div ref={tree} className="tree" role="tree" aria-label={label}>
      {rows.map(({ node, depth }, index) => (
        <TreeItem
          key={node.id}
          node={node}
          depth={depth}
          isOpen={node.children !== undefined && !closed.has(node.id)}
          isSelected={node.id === selected}
          isReachable={index === reachable}
          onActivate={() => activate(node)}
          onToggle={(open) => toggle(node.id, open)}
          onKeyDown={(event) => onKeyDown(event, index)}
        />
      ))}
    </div>
  );
}

interface TreeItemProps {
  node: TreeNode;
  depth: number;
  isOpen: boolean;
  isSelected: boolean;
  /** By Tab. */
  isReachable: boolean;
  onActivate: () => void;
  onToggle: (open: boolean) => void;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

function TreeItem({ node, depth, isOpen, isSelected, isReachable, onActivate, onToggle, onKeyDown }: TreeItemProps) {
  const classes = [
    "tree-row",
    node.head ? "head" : node.folds && "folds",
    depth > 0 && `level-${depth}`,
    isSelected && "on",
  ];
  return (
    <div
      role="treeitem"
      aria-level={depth + 1}
      aria-selected={isSelected}
      aria-expanded={node.children ? isOpen : undefined}
      tabIndex={isReachable ? 0 : -1}
      className={classes.filter(Boolean).join(" ")}
      onClick={onActivate}
      onKeyDown={onKeyDown}
    >
      {node.children && (node.head || node.folds) ? (
        // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys do the same
        // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys do the same
        <i
          onClick={(event) => {
            event.stopPropagation();
            onToggle(!isOpen);
          }}
        >
          <Icon of={isOpen ? ChevronDown : ChevronRight} size={12} />
        </i>
      ) : null}
      {node.icon}
      <span className="trunc">{node.label}</span>
      {node.marks}
      {node.count === undefined ? null : <em>{node.count}</em>}
    </div>
  );
}
