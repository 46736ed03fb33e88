/** Two records and what differs in them: facts, steps with their texts, reply and payload. */
import { ArrowLeftRight, ListFilter } from "lucide-react";
import { useState } from "react";
import {
  Button,
  CodePane,
  DialectTag,
  Diff,
  Drawer,
  Facts,
  FaultNote,
  Glyph,
  glyphOf,
  Note,
  Skeleton,
  stepLine,
} from "@/components";
import { ResultBadge } from "@/domain/trace/ResultBadge";
import { useTrace } from "@/domain/trace/runOrder";
import { chainOf } from "@/domain/trace/verdict";
import { useTool } from "@/domain/trace/verdictWords";
import { t } from "@/i18n";
import { bytes, dateTime, duration } from "@/i18n/format";
import type { Attempt, Step, Trace } from "@/ipc";
import { escapeInvisible } from "@/lib/escape";
import { toJson } from "@/lib/exactJson";
import { prettyText } from "@/lib/jsonText";
import { jsonBytes, pretty } from "@/lib/pretty";
import { inOrder, isDifferent, type Pair, pairsOf, significantDelta } from "./pairs";

interface CompareProps {
  /** The two traces, in any order. */
  traces: readonly [string, string];
  onMove: (by: -1 | 1) => void;
  onClose: () => void;
}

export function Compare({ traces, onMove, onClose }: CompareProps) {
  const one = useTrace(traces[0], { keepPrevious: true });
  const other = useTrace(traces[1], { keepPrevious: true });
  const fault = one.error ?? other.error;
  const retry = () => void (one.error === null ? other : one).refetch();
  return (
    <Drawer
      id="history.compare"
      label={t("history.compare.title")}
      width={640}
      limits={[480, 960]}
      over
      arrows
      onClose={onClose}
      onStep={onMove}
      head={<b className="trunc">{t("history.compare.title")}</b>}
    >
      {fault !== null ? (
        <FaultNote fault={fault} onRetry={retry} />
      ) : one.data === undefined || other.data === undefined ? (
        <Skeleton rows={10} height={29} what={t("history.compare.title")} />
      ) : (
        <Compared one={one.data} other={other.data} />
      )}
    </Drawer>
  );
}

function Compared({ one, other }: { one: Trace; other: Trace }) {
  const [swapped, setSwapped] = useState(false);
  const [onlyDifferences, setOnlyDifferences] = useState(false);
  const [first, second] = inOrder(one, other);
  const [left, right] = swapped ? [second, first] : [first, second];
  const pairs = pairsOf(left.steps, right.steps);
  const different = pairs.filter(isDifferent);
  const texts: [string, string, string][] = [
    [t("history.tab.reply"), toJson(left.reply.json, 2), toJson(right.reply.json, 2)],
    [t("history.tab.payload"), toJson(left.payload_before, 2), toJson(right.payload_before, 2)],
  ];
  return (
    <>
      <div className="grid grid-cols-2 border-b border-line-1 flex-none divide-x divide-line-1">
        <Head trace={left} name={t(swapped ? "history.compare.later" : "history.compare.earlier")} />
        <Head trace={right} name={t(swapped ? "history.compare.earlier" : "history.compare.later")} />
      </div>
      <div className="flex items-center gap-2 flex-none py-2 px-3 border-b border-line-1 text-small">
        <b className="medium grow" role="status">
          {different.length === 0
            ? t("history.compare.same")
            : t("history.compare.differ", { count: different.length, total: pairs.length })}
        </b>
        <Button
          kind="ghost"
          size="small"
          icon={ListFilter}
          aria-pressed={onlyDifferences}
          onClick={() => setOnlyDifferences(!onlyDifferences)}
        >
          {t("history.compare.onlyDifferences")}
        </Button>
        <Button
          kind="ghost"
          size="small"
          icon={ArrowLeftRight}
          label={t("history.compare.swap")}
          aria-pressed={swapped}
          onClick={() => setSwapped(!swapped)}
        />
      </div>
      <div className="flex-1 min-h-0 overflow-y-auto">
        <OtherFacts left={left} right={right} />
        <ol aria-label={t("fire.steps")} key={`${left.trace} ${right.trace}`}>
          {(onlyDifferences ? different : pairs).map((pair) => (
            <PairRow key={pairKey(pair)} pair={pair} startsOpen={pair === different[0]} />
          ))}
        </ol>
        {texts.map(([name, before, after]) =>
          onlyDifferences && before === after ? null : <Both key={name} label={name} before={before} after={after} />,
        )}
      </div>
    </>
  );
}

const pairKey = ({ earlier, later }: Pair) =>
  [earlier, later].map((step) => `${step?.hook} ${step?.position}`).join(" ");

/** The facts in which the two events differ. */
function OtherFacts({ left, right }: { left: Trace; right: Trace }) {
  const toolOf = useTool();
  const slower = significantDelta(left.took_ms, right.took_ms);
  const facts = (trace: Trace): [string, string][] => [
    [t("history.fact.took"), slower === null ? "" : duration(trace.took_ms)],
    [t("history.fact.origin"), t(`words.origin.${trace.origin}`)],
    [t("history.fact.payload"), trace.bodies_removed_days ? "" : bytes(jsonBytes(trace.payload_before))],
    [t("history.fact.tool"), toolOf(trace) ?? ""],
    [t("history.fact.agent"), trace.agent ?? ""],
    [t("history.fact.session"), trace.session ?? ""],
  ];
  const others = facts(right);
  const rows = facts(left).flatMap(([name, value], index): [string, string][] => {
    const other = others[index]?.[1] ?? "";
    return value === other ? [] : [[name, `${value || t("none")} → ${other || t("none")}`]];
  });
  if (rows.length === 0) return null;
  return <Facts className="py-2 px-3 border-b border-line-1" look="mono trunc" rows={rows} />;
}

/** A hook's step in both chains; its texts open under it. */
function PairRow({ pair, startsOpen }: { pair: Pair; startsOpen: boolean }) {
  const [isOpen, setOpen] = useState(startsOpen);
  const { earlier, later, differs } = pair;
  const step = later ?? earlier;
  const words = (one: Step | null) => (one === null ? t("history.compare.absent") : t(`words.outcome.${glyphOf(one)}`));
  const time = differs.time;
  return (
    <li className={isDifferent(pair) ? "shadow-[inset_2px_0_0_var(--accent)]" : "text-ink-3"}>
      <button
        type="button"
        className="w-full text-left py-1.5 px-3 hover:bg-3 focus-visible:-outline-offset-2"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span className="row">
          {[earlier, later].map((one, side) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the two sides of a pair
            <span key={side} className="w-4 h-4 flex-none">
              {one ? <Glyph kind={glyphOf(one)} size={16} /> : null}
            </span>
          ))}
          <span className="medium trunc grow">{escapeInvisible(step?.label ?? "")}</span>
          {earlier && differs.outcome ? <span className="chip accent">{t("history.compare.mark.outcome")}</span> : null}
          {differs.output ? <span className="chip accent">{t("history.compare.mark.output")}</span> : null}
          {time === null ? null : (
            <span className="chip accent">{`${time > 0 ? "+" : "−"}${duration(Math.abs(time))}`}</span>
          )}
        </span>
        <span className="block trunc text-small dim pl-11">
          {words(earlier) === words(later) ? words(later) : `${words(earlier)} → ${words(later)}`}
          {step && stepLine(step) !== "" ? ` · ${stepLine(step)}` : null}
        </span>
      </button>
      {isOpen ? (
        <div className="ml-11 mr-3 mb-2.5 border border-line-2 rounded-3 overflow-hidden">
          <PairTexts pair={pair} />
        </div>
      ) : null}
    </li>
  );
}

function Head({ trace, name }: { trace: Trace; name: string }) {
  return (
    <div className="flex flex-col gap-1 py-2 px-3 min-w-0">
      <span className="text-tiny dim">
        {name} <span className="mono">{dateTime(trace.at)}</span>
      </span>
      <span className="row">
        <DialectTag dialect={trace.dialect} />
        <b className="mono trunc">{trace.event}</b>
        <ResultBadge chain={chainOf(trace)} />
      </span>
    </div>
  );
}

/** Everything that a step came to, on both sides. */
function PairTexts({ pair: { earlier, later } }: { pair: Pair }) {
  if (earlier === null || later === null) {
    return (
      <Note kind="plain" className="flat">
        {t(earlier === null ? "history.compare.onlyLater" : "history.compare.onlyEarlier", {
          label: escapeInvisible((earlier ?? later)?.label ?? ""),
        })}
      </Note>
    );
  }
  const last = (step: Step): Attempt | undefined => step.attempts.at(-1);
  const parts: [string, string, string][] = [
    [t("history.compare.output"), prettyText(last(earlier)?.stdout ?? ""), prettyText(last(later)?.stdout ?? "")],
    ["stderr", last(earlier)?.stderr ?? "", last(later)?.stderr ?? ""],
    [t("history.compare.changes"), changes(earlier), changes(later)],
    [t("history.compare.input"), prettyText(last(earlier)?.stdin ?? ""), prettyText(last(later)?.stdin ?? "")],
  ];
  const some = parts.filter(([, before, after]) => before !== "" || after !== "");
  if (some.length === 0) return <p className="text-small dim pad-16">{t("fire.didNotRun")}</p>;
  return some.map(([name, before, after]) => <Both key={name} label={name} before={before} after={after} />);
}

function changes(step: Step): string {
  const kept = step.edits.filter((edit) => !edit.code);
  return kept.map((edit) => `${edit.field}: ${prettyText(pretty(edit.after))}`).join("\n");
}

/** The difference; the text itself, once, where there is none. */
function Both({ label, before, after }: { label: string; before: string; after: string }) {
  return (
    <section aria-label={label}>
      <p className="text-tiny dim py-2 px-3">
        {label}
        {before === after ? ` · ${t("history.compare.both")}` : null}
      </p>
      {before === after ? (
        <CodePane label={label} value={before} language={/^[[{]/.test(before) ? "json" : "text"} grow={false} />
      ) : (
        <Diff label={label} before={before} after={after} />
      )}
    </section>
  );
}
