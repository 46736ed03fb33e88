/**
 * The last 60 s: a lane for each agent, a mark for each chain. One link lies over the chosen mark: the pointer
 * and the arrow keys move it, and following it opens the chain in History.
 */
import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef, useState } from "react";
import { DialectTag, type GlyphKind, Tooltip } from "@/components";
import { MarkSample, Marks } from "@/components/chart";
import { MARKS_MS } from "@/domain/trace/marks";
import { resultBadge } from "@/domain/trace/verdict";
import { t } from "@/i18n";
import { duration, timeOfDay } from "@/i18n/format";
import type { AgentRow } from "@/ipc";
import { oneLine, summaryText } from "@/lib/escape";
import { Link, type Target, useNavigate } from "@/routes/router";
import { AgentName } from "./AgentName";
import { leftText } from "./leftText";
import { markBeside, nearestMark, type PlacedMark, type StripLane } from "./strip";
import { useStrip } from "./useStrip";

/** Of one lane, in px. */
const LANE_HEIGHT = 24;
/** How far from a mark the pointer chooses it, in px. */
const REACH = 12;
const TICKS = [60, 50, 40, 30, 20, 10, 0];
const LEGEND: readonly GlyphKind[] = [
  "no_opinion",
  "allowed",
  "changed",
  "asked",
  "denied",
  "failed_open",
  "timed_out_open",
];

interface LiveStripProps {
  project: string;
  agents: readonly AgentRow[];
  paused: boolean;
  /** The engine is gone: nothing new can come. */
  cut: boolean;
}

export default function LiveStrip({ project, agents, paused, cut }: LiveStripProps) {
  const area = useRef<HTMLDivElement>(null);
  const { now, lanes, isRead } = useStrip(project, agents, paused || cut, area);
  const total = lanes.reduce(
    (sum, lane) => sum + lane.bare + lane.marks.reduce((part, mark) => part + mark.count, 0),
    0,
  );
  const isMore = lanes.some((lane) => lane.marks.some((mark) => mark.more));
  const held = cut
    ? t("overviewParts.strip.cut")
    : paused
      ? t("overviewParts.strip.paused", { time: timeOfDay(now) })
      : null;
  return (
    <section
      className="min-h-20 py-2 px-4 border-b border-line-2 min-w-0"
      aria-label={t("overviewParts.strip.label")}
      data-region
      tabIndex={-1}
    >
      <div className="row mb-1">
        <h2>{t("overviewParts.strip.title")}</h2>
        <span className={held === null ? "text-tiny dim" : "text-tiny ink-late"}>
          {held ?? t("overviewParts.strip.about")}
        </span>
        <span className="spacer" />
        <Legend lanes={lanes} />
      </div>
      <div className="grid grid-cols-[144px_minmax(0,1fr)_48px] gap-2 max-h-42 max-docked:grid-cols-[128px_minmax(0,1fr)_48px]">
        <Names lanes={lanes} />
        <div>
          <div
            className="relative h-4 mr-3 font-[500] text-2xs/3 font-ui tabular-nums text-ink-3 [&>span]:absolute [&>span]:-translate-x-1/2 [&>span]:translate-y-0 [&>span]:whitespace-nowrap [&>span:first-child]:translate-0 [&>span:last-child]:-translate-x-full [&>span:last-child]:translate-y-0"
            aria-hidden="true"
          >
            {TICKS.map((seconds) => (
              <span key={seconds} style={{ left: `${(1 - (seconds * 1000) / MARKS_MS) * 100}%` }}>
                {seconds > 0
                  ? t("overviewParts.strip.ago", { seconds })
                  : held === null
                    ? t("overviewParts.strip.now")
                    : timeOfDay(now)}
              </span>
            ))}
          </div>
          <div ref={area} className="relative mr-3" style={{ height: Math.max(1, lanes.length) * LANE_HEIGHT }}>
            <Drawing lanes={lanes} />
            <Left lanes={lanes} now={now} />
            {total === 0 && isRead ? (
              <span className="absolute left-1/2 top-1/2 -translate-1/2 px-2 bg-1 text-tiny dim">
                {t("overviewParts.strip.quiet")}
              </span>
            ) : null}
            <Chosen lanes={lanes} area={area} />
          </div>
        </div>
        <ul className="text-tiny dim text-right tabular-nums [&>li]:h-6 [&>li]:leading-6">
          <li aria-hidden="true" className="h-4! leading-3! text-2xs">
            {t("overviewParts.strip.bare")}
          </li>
          {lanes.map(({ key, bare }) => (
            <li key={key}>{bare > 0 ? t("overviewParts.strip.bareCount", { count: bare }) : null}</li>
          ))}
        </ul>
      </div>
      <p className="visually-hidden">
        {t(isMore ? "overviewParts.strip.summaryMore" : "overviewParts.strip.summary", { count: total })}
      </p>
    </section>
  );
}

/** The usual marks, and whatever else is there now. */
function Legend({ lanes }: { lanes: readonly StripLane[] }) {
  const kinds = new Set([...LEGEND, ...lanes.flatMap((lane) => lane.marks.map((mark) => mark.kind))]);
  return (
    <ul className="flex gap-2.5 whitespace-nowrap [&>li]:gap-1 cramped:hidden text-tiny dim">
      {[...kinds].map((kind) => (
        <li key={kind} className="row">
          <MarkSample kind={kind} />
          {t(`words.outcome.${kind}`)}
        </li>
      ))}
    </ul>
  );
}

function Names({ lanes }: { lanes: readonly StripLane[] }) {
  return (
    <ul className="pt-4 [&>li]:h-6 [&>li]:gap-2 [&>li]:min-w-0">
      {lanes.map(({ key, agent, sessions }) => (
        <li key={key} className="row">
          {agent === null ? null : <DialectTag dialect={agent.dialect} />}
          {agent !== null ? (
            <AgentName name={agent.name} session={agent.session} className="text-tiny ink-2" />
          ) : (
            <span className="text-tiny ink-2 trunc">
              {sessions > 0 ? t("overviewParts.strip.others", { count: sessions }) : t("overviewParts.strip.machine")}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Drawing({ lanes }: { lanes: readonly StripLane[] }) {
  const middle = (lane: number) => lane * LANE_HEIGHT + LANE_HEIGHT / 2;
  const marks = lanes.flatMap((lane, index) => lane.marks.map(({ x, kind }) => ({ x, y: middle(index), kind })));
  return (
    <svg className="block overflow-visible" width="100%" height="100%" aria-hidden="true">
      {TICKS.map((seconds) => {
        const x = `${(1 - (seconds * 1000) / MARKS_MS) * 100}%`;
        return (
          <line
            key={seconds}
            className={seconds === 0 ? "stroke-accent stroke-[1.5px]" : "axis-line"}
            x1={x}
            x2={x}
            y1="0"
            y2="100%"
          />
        );
      })}
      {lanes.map(({ key, left }, index) => (
        <g key={key}>
          <line className="stroke-line-2" x1="0" x2={left?.x ?? "100%"} y1={middle(index)} y2={middle(index)} />
          {left === null ? null : (
            <line
              className="left stroke-line-3 [stroke-dasharray:1_4]"
              x1={left.x}
              x2="100%"
              y1={middle(index)}
              y2={middle(index)}
            />
          )}
        </g>
      ))}
      <Marks marks={marks} />
    </svg>
  );
}

/** Says in their lanes which agents have left, and when. */
function Left({ lanes, now }: { lanes: readonly StripLane[]; now: number }) {
  return lanes.map(({ key, left }, index) =>
    left === null ? null : (
      <span
        key={key}
        className="absolute right-2 h-6 py-1 px-2 bg-1 text-tiny dim"
        style={{ top: index * LANE_HEIGHT }}
      >
        {leftText(left.at, now)}
      </span>
    ),
  );
}

interface Place {
  lane: number;
  mark: PlacedMark;
}

/** The mark of a trace where it lies now, else the newest mark of all. */
function placeOf(lanes: readonly StripLane[], trace: string | null): Place | null {
  let newest: Place | null = null;
  for (const [lane, { marks }] of lanes.entries()) {
    const own = trace === null ? undefined : marks.find((mark) => mark.row.trace === trace);
    if (own !== undefined) return { lane, mark: own };
    const last = marks.at(-1);
    if (last !== undefined && (newest === null || last.x > newest.mark.x)) newest = { lane, mark: last };
  }
  return newest;
}

/** Opens its chain; where it stands for several, the list of them, too. */
function targetOf({ row, count, from, to }: PlacedMark): Target {
  const at = (ms: number) => new Date(ms).toISOString();
  const span = count > 1 ? { since: at(from), until: at(to) } : {};
  return { to: "/history", search: { ...span, trace: row.trace } };
}

interface ChosenProps {
  lanes: readonly StripLane[];
  area: React.RefObject<HTMLDivElement | null>;
}

function Chosen({ lanes, area }: ChosenProps) {
  const navigate = useNavigate();
  const [trace, setTrace] = useState<string | null>(null);
  const link = useRef<HTMLAnchorElement>(null);
  const takesFocus = useRef(false);
  const place = placeOf(lanes, trace);
  // A mark that moves keeps its link; another mark has another one, so that its name is read.
  useLayoutEffect(() => {
    if (takesFocus.current) link.current?.focus();
    takesFocus.current = false;
  });
  const markAt = (event: PointerEvent | React.MouseEvent): PlacedMark | null => {
    const box = area.current?.getBoundingClientRect();
    if (box === undefined) return null;
    const lane = lanes[Math.floor((event.clientY - box.top) / LANE_HEIGHT)];
    return nearestMark(lane?.marks ?? [], event.clientX - box.left, REACH);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = place === null ? null : markBeside(lanes, place, event.key);
    if (next === null) return;
    takesFocus.current = true;
    setTrace(next.mark.row.trace);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the link in it is what the keyboard reaches
    // biome-ignore lint/a11y/useKeyWithClickEvents: the link has its own keys
    <div
      className="absolute inset-y-0 -inset-x-3 px-3"
      onPointerMove={(event) => {
        const mark = markAt(event);
        if (mark !== null && mark.row.trace !== place?.mark.row.trace) setTrace(mark.row.trace);
      }}
      onClick={(event) => {
        const mark = event.target === event.currentTarget ? markAt(event) : null;
        if (mark !== null) navigate(targetOf(mark));
      }}
    >
      {place === null ? null : (
        <Tooltip text={markText(place.mark)}>
          <Link
            key={place.mark.row.trace}
            ref={link}
            {...targetOf(place.mark)}
            className="absolute w-6 h-6 ml-3 -translate-1/2 rounded-1 hover:ring hover:ring-line-3"
            style={{ left: place.mark.x, top: place.lane * LANE_HEIGHT + LANE_HEIGHT / 2 }}
            aria-label={markText(place.mark)}
            aria-description={t("overviewParts.strip.keys")}
            onKeyDown={onKeyDown}
          />
        </Tooltip>
      )}
    </div>
  );
}

/** What a mark stands for, in one line. */
function markText({ row, count, more }: PlacedMark): string {
  const { word } = resultBadge(row);
  const one = t(row.about === "" ? "overviewParts.strip.bareMark" : "overviewParts.strip.mark", {
    time: timeOfDay(row.at),
    event: row.event,
    about: oneLine(summaryText(row.about), 60),
    result: word,
    took: duration(row.took_ms),
  });
  if (count <= 1) return one;
  return t(more ? "overviewParts.strip.several.more" : "overviewParts.strip.several.exact", { count, one });
}
