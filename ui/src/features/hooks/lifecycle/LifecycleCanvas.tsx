/** The map itself: frames, ways and moments as a drawing, the events over it as a list in reading order. */
import { ShieldQuestionMark } from "lucide-react";
import {
  type CSSProperties,
  Fragment,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Glyph, type GlyphKind, Icon, Tooltip } from "@/components";
import { t } from "@/i18n";
import { textOf } from "@/i18n/text";
import type { Dialect, EventInfo } from "@/ipc";
import { type Effect, edgePath, effectsOf, type LifecycleMap } from "./lifecycle";

/** What a node says beside its name. */
export interface NodeFacts {
  event: EventInfo;
  /** Hooks that stand there. */
  hooks: number;
  /** How many of them wait for review. */
  waiting: number;
  outcomes: GlyphKind[];
  /** A guard let go when it was last fired. */
  open: boolean;
}

interface LifecycleCanvasProps {
  dialect: Dialect;
  facts: ReadonlyMap<string, NodeFacts>;
  /** The events that are shown, in reading order. */
  order: readonly string[];
  selected: string | null;
  onSelect: (event: string) => void;
}

export function LifecycleCanvas({ dialect, facts, order, selected, onSelect }: LifecycleCanvasProps) {
  const list = useRef<HTMLOListElement>(null);
  const map = dialect.map;
  const current = selected !== null && order.includes(selected) ? selected : null;

  useEffect(() => {
    if (current === null) return;
    const node = list.current?.querySelector(`[data-event="${CSS.escape(current)}"]`);
    node?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }, [current]);

  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>, at: number) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = order.length - 1;
    const to = STEPS[event.key]?.(at, last);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const next = order[Math.min(last, Math.max(0, to))];
    if (next === undefined) return;
    list.current?.querySelector<HTMLElement>(`[data-event="${CSS.escape(next)}"]`)?.focus();
    if (current !== null) onSelect(next);
  };
  const box = useRef<HTMLDivElement>(null);
  const scale = useFittingScale(box, map);
  return (
    <div ref={box} className="lifecycle">
      <div className="lifecycle-map" style={{ width: map.width, height: map.height, zoom: scale }}>
        <Drawing map={map} />
        {map.events
          .filter((node) => !order.includes(node.event))
          .map(({ event, area: { x, y, width, height } }) => (
            // The lines still lead somewhere.
            <span key={event} className="map-left-out" style={{ left: x, top: y, width, height }} />
          ))}
        <ol ref={list} aria-label={t("lifecycle.map", { dialect: dialect.name })}>
          {map.events.map((node) => {
            const fact = facts.get(node.event);
            const index = order.indexOf(node.event);
            if (fact === undefined || index < 0) return null;
            const { x, y, width, height } = node.area;
            const place: CSSProperties = { left: x, top: y, width, height };
            return (
              <li key={node.event} style={place}>
                <Node
                  fact={fact}
                  on={node.event === current}
                  reachable={current === null ? index === 0 : node.event === current}
                  onSelect={() => onSelect(node.event)}
                  onKeyDown={(event) => onKeyDown(event, index)}
                />
              </li>
            );
          })}
        </ol>
      </div>
    </div>
  );
}

/** The map is never so small that its texts cannot be read, nor so large that it is only lines. */
const SMALLEST = 0.72;
const LOWEST = 0.9;
const LARGEST = 1.8;
/** Space around the map, in px. */
const MARGIN = 24;

/** How much larger than drawn the map fits its pane. */
function useFittingScale(box: RefObject<HTMLDivElement | null>, { width, height }: LifecycleMap): number {
  const [scale, setScale] = useState(1);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = () => {
      const across = (element.clientWidth - MARGIN) / width;
      // A low window scrolls down rather than making the texts small.
      const fits = Math.min(across, Math.max(LOWEST, (element.clientHeight - MARGIN) / height));
      setScale(Math.min(LARGEST, Math.max(SMALLEST, Math.floor(fits * 100) / 100)));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box, width, height]);
  return scale;
}

type Go = (at: number, last: number) => number;
const next: Go = (at) => at + 1;
const previous: Go = (at) => at - 1;
const STEPS: Partial<Record<string, Go>> = {
  ArrowDown: next,
  ArrowRight: next,
  j: next,
  ArrowUp: previous,
  ArrowLeft: previous,
  k: previous,
  Home: () => 0,
  End: (_, last) => last,
};

interface NodeProps {
  fact: NodeFacts;
  on: boolean;
  reachable: boolean;
  onSelect: () => void;
  onKeyDown: (event: KeyboardEvent<HTMLButtonElement>) => void;
}

function Node({ fact, on, reachable, onSelect, onKeyDown }: NodeProps) {
  const name = fact.event.name;
  const may = effectWords(effectsOf(fact.event));
  // In the order in which it is drawn.
  const spoken = [
    name,
    t("lifecycle.listening", { count: fact.hooks }),
    may,
    ...(fact.waiting > 0 ? [t("shell.status.review", { count: fact.waiting })] : []),
    ...(fact.outcomes.length > 0
      ? [t("lifecycle.lastly", { outcomes: fact.outcomes.map((kind) => t(`words.outcome.${kind}`)).join(t("list")) })]
      : []),
  ].join(t("list"));
  const classes = ["map-node", on && "on", fact.hooks === 0 && "none", fact.open && "open"].filter(Boolean).join(" ");
  return (
    <Tooltip text={spoken} side="bottom">
      <button
        type="button"
        data-event={name}
        className={classes}
        aria-pressed={on}
        tabIndex={reachable ? 0 : -1}
        onClick={onSelect}
        onKeyDown={onKeyDown}
      >
        <span className="visually-hidden">{spoken}</span>
        <span aria-hidden="true">
          <span className="map-node-name">{breakable(name)}</span>
          <b className="map-node-count">{fact.hooks}</b>
        </span>
        <span aria-hidden="true">
          <span className="map-node-may">{may}</span>
          <span className="map-node-last">
            {fact.waiting > 0 ? (
              <i className="ink-late">
                <Icon of={ShieldQuestionMark} size={12} />
              </i>
            ) : null}
            {fact.outcomes.map((kind) => (
              <Glyph key={kind} kind={kind} size={12} />
            ))}
          </span>
        </span>
      </button>
    </Tooltip>
  );
}

/** A name that is too long for its box goes on after an underscore. */
function breakable(name: string) {
  return name.split(/(?<=_)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one name
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}

/** `can change, skip` */
function effectWords(may: readonly Effect[]): string {
  if (may.length === 0) return t("lifecycle.may.nothing");
  if (may[0] === "notify") return t("lifecycle.may.notify");
  return t("lifecycle.can", { what: may.map((word) => t(`lifecycle.may.${word}`)).join(t("list")) });
}

function Drawing({ map }: { map: LifecycleMap }) {
  return (
    <svg width={map.width} height={map.height} viewBox={`0 0 ${map.width} ${map.height}`} aria-hidden="true">
      <defs>
        <marker
          id="lifecycle-arrow"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto-start-reverse"
        >
          <path d="M1 1l6 3-6 3" />
        </marker>
      </defs>
      {map.frames.map(({ area, title }) => (
        <rect
          key={title.en}
          className="lifecycle-frame"
          x={area.x}
          y={area.y}
          width={area.width}
          height={area.height}
          rx="8"
        />
      ))}
      {map.frames.map(({ area, title }) => (
        <text key={title.en} className="lifecycle-title" x={area.x + 16} y={area.y + 4}>
          {textOf(title)}
        </text>
      ))}
      {map.lines.map((line) => (
        <path
          key={line.points.join(" ")}
          className="lifecycle-way"
          d={edgePath(line.points)}
          markerEnd={line.arrow ? "url(#lifecycle-arrow)" : undefined}
        />
      ))}
      {map.moments.map(({ area, title }) => (
        <g key={`${title.en} ${area.x} ${area.y}`}>
          <rect
            className="lifecycle-moment"
            x={area.x}
            y={area.y}
            width={area.width}
            height={area.height}
            rx={area.height / 2}
          />
          <text className="lifecycle-moment-text" x={area.x + area.width / 2} y={area.y + area.height / 2 + 4}>
            {textOf(title)}
          </text>
        </g>
      ))}
      {map.lines.map(({ label, points }) =>
        label === null ? null : (
          <text key={points.join(" ")} className={`lifecycle-label ${label.side}`} x={label.x} y={label.y}>
            {textOf(label.text)}
          </text>
        ),
      )}
    </svg>
  );
}
