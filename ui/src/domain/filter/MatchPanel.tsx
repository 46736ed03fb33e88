/** How many of the last events a filter would match: the count, a cell for each event, examples, and what nearly matches. */
import { Lightbulb } from "lucide-react";
import { useMemo, useState } from "react";
import { Button, Icon, InlineCode, Skeleton } from "@/components";
import { EventLine } from "@/domain/hooks/HistoryMatch";
import { EventStrip, type StripCell } from "@/domain/trace/EventStrip";
import { t } from "@/i18n";
import { time } from "@/i18n/format";
import { faultText } from "@/i18n/messages";
import type { Fault, Reply } from "@/ipc";
import { capitalizeFirst, escapeInvisible, oneLine } from "@/lib/escape";
import type { Widening } from "./clauses";

export type Matches = Reply<"history.match">;
type NearValue = NonNullable<Matches["near_values"]>[number];

interface MatchPanelProps {
  event: string;
  data: Matches | undefined;
  fault: Fault | null;
  /** How many match with the saved filter; null where it is the same. */
  saved: number | null;
  /** The conditions that the count leaves out. */
  without: readonly string[];
  widen: (near: NearValue) => Widening | null;
  onWiden: (widening: Widening) => void;
}

export function MatchPanel({ event, data, fault, saved, without, widen, onWiden }: MatchPanelProps) {
  const [shown, setShown] = useState<string | undefined>(undefined);
  const cells = useCells(data?.cells);
  if (fault !== null)
    return (
      <section
        className="border border-line-2 rounded-2 overflow-hidden [&_.event-strip]:mt-2"
        aria-label={t("matches.title")}
      >
        <p className="pad text-small ink-deny" role="status">
          <InlineCode text={capitalizeFirst(escapeInvisible(faultText(fault).message))} />
        </p>
      </section>
    );
  if (data === undefined) return <Skeleton rows={3} height={24} what={t("matches.title")} />;
  if (data.looked_at === 0)
    return (
      <section
        className="border border-line-2 rounded-2 overflow-hidden [&_.event-strip]:mt-2"
        aria-label={t("matches.title")}
      >
        <p className="pad text-small ink-2">{t("matches.none", { event })}</p>
      </section>
    );
  const near = data.near_values?.[0];
  const label = t("filter.count", { count: data.matches, total: data.looked_at });
  const examples = [...data.matched.slice(0, 2), ...(shown === undefined ? [] : [shown])];
  return (
    <section
      className="border border-line-2 rounded-2 overflow-hidden [&_.event-strip]:mt-2"
      aria-label={t("matches.title")}
    >
      <div className="pad">
        <p className="min-h-[var(--lead-md)]" role="status">
          <b className="medium">{label}</b>
          {saved === null || saved === data.matches ? null : (
            <span className="ink-accent nowrap"> {changeText(data.matches - saved)}</span>
          )}
        </p>
        {without.length > 0 ? (
          <p className="text-small ink-2">
            <InlineCode text={t("filter.without", { keys: without.map((key) => `\`${key}\``).join(t("list")) })} />
          </p>
        ) : null}
        <EventStrip
          label={label}
          cells={cells}
          counted={(kind, count) => t(`filter.kind.${kind}`, { count })}
          shown={shown}
          onOpen={setShown}
        />
      </div>
      {examples.length + data.near.length === 0 ? null : (
        <ul className="border-t border-line-1 p-1">
          {[...new Set(examples)].map((trace) => (
            <li key={trace}>
              <EventLine trace={trace} near={cellOf(data, trace)?.near_miss ?? null} matches={isMatched(data, trace)} />
            </li>
          ))}
          {data.near.slice(0, 1).map(({ trace, near_miss }) => (
            <li key={trace}>
              <EventLine trace={trace} near={near_miss} matches={false} />
            </li>
          ))}
        </ul>
      )}
      {near === undefined ? null : <NearNote near={near} widening={widen(near)} onWiden={onWiden} />}
      {data.incomplete ? <p className="pad text-small dim">{t("matches.incomplete")}</p> : null}
    </section>
  );
}

const cellOf = (data: Matches, trace: string) => data.cells?.find((cell) => cell.trace === trace);
const isMatched = (data: Matches, trace: string) =>
  data.matched.includes(trace) || cellOf(data, trace)?.matches === true;

function changeText(by: number): string {
  return by > 0 ? t("filter.more", { count: by }) : t("filter.fewer", { count: -by });
}

function useCells(events: Matches["cells"]): StripCell[] {
  return useMemo(
    () =>
      (events ?? [])
        .map(({ trace, at, matches, near_miss, tool }): StripCell => {
          const kind = matches ? "ran" : near_miss === null ? "other" : "near";
          const why = near_miss === null ? t(`filter.cell.${kind}`) : t(`matches.near.${near_miss}`);
          const text = [time(at), tool === null ? null : oneLine(tool, 60), why].filter(Boolean).join(" · ");
          return { trace, kind, text };
        })
        .reverse(),
    [events],
  );
}

interface NearNoteProps {
  near: NearValue;
  widening: Widening | null;
  onWiden: (widening: Widening) => void;
}

function NearNote({ near, widening, onWiden }: NearNoteProps) {
  const got = oneLine(near.got, 60);
  return (
    <div className="flex items-center gap-2 py-2 px-3 bg-late-bg">
      <span className="ink-late">
        <Icon of={Lightbulb} size={14} />
      </span>
      <p className="grow text-small">
        <InlineCode
          text={t("filter.nearValue", { count: near.count, got, why: t(`matches.near.${near.near_miss}`) })}
        />
      </p>
      {widening === null ? null : (
        <Button size="small" onClick={() => onWiden(widening)}>
          {widening.kind === "add"
            ? t("filter.add", { name: got })
            : t("fix.change", { from: widening.from ?? "", to: got })}
        </Button>
      )}
    </div>
  );
}
