/** The sentence at the top: what needs a look first, and the way there. */
import { ArrowRight, Hourglass } from "lucide-react";
import { Button, Glyph, type GlyphKind, Icon } from "@/components";
import { t } from "@/i18n";
import { count } from "@/i18n/format";
import type { HookStats } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { useNavigate } from "@/routes/router";
import { type Verdict as Of, verdictOf } from "./rows";

const GLYPHS: Record<Exclude<Of["kind"], "close" | "none">, GlyphKind> = {
  open: "failed_open",
  closed: "failed_closed",
  fine: "allowed",
};

function sentenceOf(verdict: Of): { text: string; more: string | null } {
  switch (verdict.kind) {
    case "close": {
      const { count: close, open } = verdict;
      const more = open === close ? "allAllow" : open === 0 ? "allBlock" : "someAllow";
      return {
        text: t("metrics.verdict.close", { count: close }),
        more: t(`metrics.verdict.${more}`, { count: open }),
      };
    }
    case "open":
      return { text: t("metrics.verdict.open", { count: verdict.count }), more: null };
    case "closed":
      return { text: t("metrics.verdict.closed", { count: verdict.count }), more: null };
    case "fine":
      return { text: t("metrics.verdict.fine"), more: t("metrics.verdict.runs", { runs: count(verdict.runs) }) };
    case "none":
      return { text: t("metrics.verdict.none"), more: null };
  }
}

export function Verdict({ rows, since }: { rows: readonly HookStats[]; since: string }) {
  const go = useNavigate();
  const verdict = verdictOf(rows);
  const { text, more } = sentenceOf(verdict);
  const worst = "worst" in verdict ? verdict.worst : null;
  const outcomes = verdict.kind === "open" ? "failed_open,timed_out_open" : "failed_closed,timed_out_closed";
  return (
    <div
      className="flex items-center gap-3 flex-none min-h-13 py-2 px-4 border-b border-line-2 [&>.verdict-text]:text-lg max-[760px]:flex-wrap max-[760px]:[&>.verdict-text]:flex-1"
      role="status"
    >
      {verdict.kind === "close" ? (
        <Icon of={Hourglass} size={20} className="ink-late" />
      ) : verdict.kind === "none" ? null : (
        <Glyph kind={GLYPHS[verdict.kind]} size={24} />
      )}
      <h2 className="verdict-text">{more === null ? text : t("metrics.sentences", { first: text, second: more })}</h2>
      <span className="spacer" />
      {worst === null ? null : verdict.kind === "close" ? (
        <Button icon={ArrowRight} onClick={() => go({ to: "/hooks", search: { hook: worst.hook, tab: "summary" } })}>
          <span className="trunc max-w-50">{t("metrics.openHook", { hook: oneLine(worst.label, 40) })}</span>
        </Button>
      ) : (
        <Button icon={ArrowRight} onClick={() => go({ to: "/history", search: { q: `outcome:${outcomes}`, since } })}>
          {t("metrics.inHistory")}
        </Button>
      )}
    </div>
  );
}
