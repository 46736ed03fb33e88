/** The facts of two chains on the same two columns as their steps. What differs is in full ink, the rest in the third. */

import { useTool } from "@/domain/trace/verdictWords";
import { t } from "@/i18n";
import { bytes, duration } from "@/i18n/format";
import type { Trace } from "@/ipc";
import { escapeInvisible } from "@/lib/escape";
import { jsonBytes } from "@/lib/pretty";
import { significantDelta } from "./pairs";

interface CompareFactsProps {
  left: Trace;
  right: Trace;
  onlyDifferences: boolean;
}

export function CompareFacts({ left, right, onlyDifferences }: CompareFactsProps) {
  const toolOf = useTool();
  const slower = significantDelta(left.took_ms, right.took_ms);
  const took = t("history.fact.took");
  const facts = (trace: Trace): [string, string][] => [
    [took, duration(trace.took_ms)],
    [t("history.fact.origin"), t(`words.origin.${trace.origin}`)],
    [t("history.fact.payload"), trace.bodies_removed_days ? "" : bytes(jsonBytes(trace.payload_before))],
    [t("history.fact.tool"), toolOf(trace) ?? ""],
    [t("history.fact.agent"), trace.agent ?? ""],
    [t("history.fact.session"), trace.session ?? ""],
  ];
  const others = facts(right);
  const rows = facts(left).flatMap(([name, value], index) => {
    const other = others[index]?.[1] ?? "";
    const differs = name === took ? slower !== null : value !== other;
    if ((value === "" && other === "") || (onlyDifferences && !differs)) return [];
    return [{ name, value, other, differs }];
  });
  if (rows.length === 0) return null;
  return (
    <table className="flex-none my-2 [&_td]:h-5.5 [&_td]:border-0 [&_td]:px-3 [&_td]:text-ink-3 [&_td]:text-sm [&_tr:hover:not(.on)_td:nth-child(n)]:bg-transparent [&_.differs_td]:text-ink-1">
      <caption className="visually-hidden">{t("history.compare.facts")}</caption>
      <tbody>
        {rows.map(({ name, value, other, differs }) => (
          <tr key={name} className={differs ? "differs" : undefined}>
            <td>
              <span className="inline-block w-18 text-ink-3">{name}</span>
              <span className="mono">{escapeInvisible(value) || t("none")}</span>
            </td>
            <td>
              <span className="inline-block w-18 text-ink-3">{name}</span>
              <span className="mono">{escapeInvisible(other) || t("none")}</span>
              {name === took && slower !== null ? <TimeDelta ms={slower} /> : null}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function TimeDelta({ ms }: { ms: number }) {
  return <span className="chip accent ml-2">{`${ms > 0 ? "+" : "−"}${duration(Math.abs(ms))}`}</span>;
}
