/** The sentence at the top: what needs a look first, and the way there. */
import { ArrowRight, History, Hourglass, TrendingUp } from "lucide-react";
import { Button, Glyph, type GlyphKind, Icon } from "@/components";
import { t } from "@/i18n";
import { count, time } from "@/i18n/format";
import type { HookStats } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { useNavigate } from "@/routes/router";
import { type HookOf, type Verdict as Of, shareText, verdictOf } from "./rows";

const GLYPHS: Record<Exclude<Of["kind"], "worse" | "close" | "none">, GlyphKind> = {
  open: "failed_open",
  closed: "failed_closed",
  fine: "allowed",
};

function sentenceOf(verdict: Of): { text: string; more: string | null } {
  switch (verdict.kind) {
    case "worse": {
      const { worst, factor, others, better } = verdict;
      const what = worst.change === "failing" || factor === null ? "fails" : factor < 2 ? "slower" : "timesSlower";
      const since = worst.edit === null ? "than" : "edited";
      const args = {
        hook: oneLine(worst.label, 40),
        percent: shareText((factor ?? 1) - 1),
        times: factor?.toFixed(factor < 9.95 ? 1 : 0) ?? "",
        time: worst.edit === null ? "" : time(worst.edit.at),
      };
      const more = [
        others > 0 ? t("metrics.verdict.othersWorse", { count: others }) : null,
        better > 0 ? t("metrics.verdict.othersBetter", { count: better }) : null,
      ].filter((part) => part !== null);
      return {
        text: t(`metrics.verdict.worse.${what}.${since}`, args),
        more: more.length === 0 ? null : more.reduce((first, second) => t("metrics.sentences", { first, second })),
      };
    }
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

interface VerdictProps {
  rows: readonly HookStats[];
  hookOf: HookOf;
  since: string;
}

export function Verdict({ rows, hookOf, since }: VerdictProps) {
  const go = useNavigate();
  const verdict = verdictOf(rows, hookOf);
  const { text, more } = sentenceOf(verdict);
  const worst = "worst" in verdict ? verdict.worst : null;
  const outcomes = verdict.kind === "open" ? "failed_open,timed_out_open" : "failed_closed,timed_out_closed";
  return (
    <div
      className="flex items-center gap-3 flex-none min-h-13 py-2 px-4 border-b border-line-2 [&>.verdict-text]:text-lg max-[760px]:flex-wrap max-[760px]:[&>.verdict-text]:flex-1"
      role="status"
    >
      {verdict.kind === "worse" ? (
        <Icon of={TrendingUp} size={20} className="ink-late" />
      ) : verdict.kind === "close" ? (
        <Icon of={Hourglass} size={20} className="ink-late" />
      ) : verdict.kind === "none" ? null : (
        <Glyph kind={GLYPHS[verdict.kind]} size={24} />
      )}
      <h2 className="verdict-text">{more === null ? text : t("metrics.sentences", { first: text, second: more })}</h2>
      <span className="spacer" />
      {worst === null ? null : worst.edit !== null && verdict.kind === "worse" ? (
        <ShowEdit edit={worst.edit.edit} />
      ) : verdict.kind === "close" || verdict.kind === "worse" ? (
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

function ShowEdit({ edit }: { edit: string }) {
  const go = useNavigate();
  return (
    <Button kind="primary" icon={History} onClick={() => go({ to: "/hooks", search: { view: "edits", edit } })}>
      {t("metrics.showEdit")}
    </Button>
  );
}
