/** Two chains side by side: what differs is marked by word, by a bar and by weight; what is the same stands back. */
import { ArrowLeftRight, ListFilter } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { Button, CodePane, DialectTag, Diff, Drawer, FaultNote, Note, Skeleton, TabPanel, Tabs } from "@/components";
import { ResultBadge } from "@/domain/trace/ResultBadge";
import { useTrace } from "@/domain/trace/runOrder";
import { DETAIL_PANE } from "@/domain/trace/StepDetail";
import { chainOf } from "@/domain/trace/verdict";
import { t } from "@/i18n";
import { exactTime } from "@/i18n/format";
import type { Attempt, Step, Trace } from "@/ipc";
import { escapeInvisible } from "@/lib/escape";
import { toJson } from "@/lib/exactJson";
import { prettyText } from "@/lib/jsonText";
import { pretty } from "@/lib/pretty";
import { CompareFacts } from "./CompareFacts";
import { inOrder, isDifferent, type Pair, pairsOf } from "./pairs";
import { StepPairs } from "./StepPairs";

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

type Tab = "step" | "reply" | "payload";

function Compared({ one, other }: { one: Trace; other: Trace }) {
  const [swapped, setSwapped] = useState(false);
  const [onlyDifferences, setOnlyDifferences] = useState(false);
  const [earlier, later] = useMemo(() => {
    const [first, second] = inOrder(one, other);
    return swapped ? [second, first] : [first, second];
  }, [one, other, swapped]);
  const pairs = useMemo(() => pairsOf(earlier.steps, later.steps), [earlier, later]);
  const different = pairs.filter(isDifferent).length;
  const [selected, setSelected] = useState<number | null>(null);
  const [tab, setTab] = useState<Tab>("step");
  // Others begin at their first difference.
  useEffect(() => {
    const first = pairs.findIndex(isDifferent);
    setSelected(first < 0 ? null : first);
    setTab(first < 0 ? "reply" : "step");
  }, [pairs]);
  const chosen = selected === null ? undefined : pairs[selected];
  const shownPairs = onlyDifferences ? pairs.filter(isDifferent) : pairs;
  const shown = tab === "step" && chosen === undefined ? "reply" : tab;
  return (
    <>
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] border-b border-line-1 flex-none">
        <Head trace={earlier} name={t(swapped ? "history.compare.later" : "history.compare.earlier")} />
        <Head trace={later} name={t(swapped ? "history.compare.earlier" : "history.compare.later")} />
      </div>
      <CompareFacts left={earlier} right={later} onlyDifferences={onlyDifferences} />
      <div className="flex items-center gap-2 flex-none py-2 px-3 border-t border-t-line-2 border-b border-b-line-1 text-small">
        <b className="medium grow" role="status">
          {different === 0
            ? t("history.compare.same")
            : t("history.compare.differ", { count: different, total: pairs.length })}
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
      {shownPairs.length > 0 ? (
        <div className="flex-[0_1_auto] min-h-21 overflow-y-auto">
          <StepPairs
            pairs={shownPairs}
            selected={chosen ? shownPairs.indexOf(chosen) : null}
            onSelect={(index) => {
              const pair = shownPairs[index];
              setSelected(pair ? pairs.indexOf(pair) : null);
              setTab("step");
            }}
          />
        </div>
      ) : null}
      <div className={DETAIL_PANE}>
        <div className="pane-head" style={{ height: 32 }}>
          <Tabs
            id="compare-detail"
            label={t("history.detailTabs")}
            value={shown}
            onChange={setTab}
            items={[
              ...(chosen ? [{ value: "step" as const, label: t("history.tab.step") }] : []),
              { value: "reply", label: t("history.tab.reply") },
              { value: "payload", label: t("history.tab.payload") },
            ]}
          />
        </div>
        <TabPanel id="compare-detail" value={shown} className="scroll" scrolls>
          {shown === "step" && chosen ? (
            <PairDetail pair={chosen} />
          ) : shown === "payload" ? (
            <Both
              label={t("history.tab.payload")}
              before={toJson(earlier.payload_before, 2)}
              after={toJson(later.payload_before, 2)}
            />
          ) : (
            <Both
              label={t("history.tab.reply")}
              before={toJson(earlier.reply.json, 2)}
              after={toJson(later.reply.json, 2)}
            />
          )}
        </TabPanel>
      </div>
    </>
  );
}

function Head({ trace, name }: { trace: Trace; name: string }) {
  return (
    <div className="compare-head flex flex-col gap-1 py-2 px-3 min-w-0 [&+.compare-head]:border-l [&+.compare-head]:border-line-1">
      <span className="text-tiny dim">
        {name} <span className="mono">{exactTime(trace.at)}</span>
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
function PairDetail({ pair: { earlier, later } }: { pair: Pair }) {
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
  return some.map(([name, before, after]) => (
    <section key={name}>
      <div className="text-tiny dim pad-8">{name}</div>
      <Both label={name} before={before} after={after} />
    </section>
  ));
}

function changes(step: Step): string {
  const kept = step.edits.filter((edit) => !edit.code);
  return kept.map((edit) => `${edit.field}: ${prettyText(pretty(edit.after))}`).join("\n");
}

/** The difference; the text itself, once, where there is none. */
function Both({ label, before, after }: { label: string; before: string; after: string }) {
  if (before !== after) return <Diff label={label} before={before} after={after} />;
  return (
    <>
      <p className="text-tiny dim pad-8">{t("history.compare.both")}</p>
      <CodePane label={label} value={before} language={/^[[{]/.test(before) ? "json" : "text"} grow={false} />
    </>
  );
}
