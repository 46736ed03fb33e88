/** The sentence at the top: what is worst, with links, and one action. */

import { CircleX, ShieldQuestionMark, TriangleAlert, Wrench } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { Glyph, Icon } from "@/components";
import { t } from "@/i18n";
import { Link, type Target } from "@/routes/router";
import type { OverviewRange } from "@/routes/search";
import type { Need, NeedKind } from "./needs";
import { RANGE_FILTER } from "./range";
import { targetOf } from "./targets";
import type { Judged } from "./useOverview";
import VerdictActions from "./VerdictActions";
import { type AllWell, verdictOf } from "./verdict";

/** The sentence is there first. */

const UNDERLINES: Record<NeedKind, string> = {
  open: "fails-open",
  waiting: "waits",
  file: "is-wrong",
  failing: "is-wrong",
  limit: "waits",
  config: "waits",
};

interface VerdictProps {
  judged: Judged;
  range: OverviewRange;
  project: string;
}

export function Verdict({ judged, range, project }: VerdictProps) {
  const verdict = verdictOf(judged.needs, judged.counts);
  const { hooks, on, ran } = judged.counts;
  const first = "parts" in verdict ? verdict.parts[0]?.kind : undefined;
  return (
    <section
      className="flex items-start gap-3 py-3.5 px-4 min-w-0"
      aria-label={t("overview.verdict.label")}
      data-region
      tabIndex={-1}
    >
      <Sign kind={first} well={"well" in verdict ? verdict.well : null} />
      <div className="grow">
        <p className="verdict-text" role="status">
          {"well" in verdict
            ? t(`overview.well.${verdict.well}`)
            : joined(
                verdict.parts.map(({ kind, count }) => (
                  <Link
                    key={kind}
                    {...linkOf(kind, judged.needs, range)}
                    className={`text-inherit [text-decoration:underline_2px] [text-underline-offset:3px] [&.waits]:[text-decoration-color:var(--late)] [&.fails-open]:[text-decoration-color:var(--fail)] [&.is-wrong]:[text-decoration-color:var(--deny)] hover:[text-decoration-thickness:3px] ${UNDERLINES[kind]}`}
                  >
                    {t(`overview.part.${kind}`, { count })}
                  </Link>
                )),
              )}
        </p>
        <p className="ink-2">
          {hooks === 0
            ? t("overview.noHooksText")
            : t("overview.counts", { on, count: hooks, ran, range: t(`overview.within.${range}`) })}
        </p>
      </div>
      <VerdictActions judged={judged} project={project} />
    </section>
  );
}

/** `A, B, and C.` */
function joined(parts: readonly ReactNode[]): ReactNode {
  return (
    <>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
        <Fragment key={index}>
          {index === 0 ? null : t(index === parts.length - 1 ? "overview.partsAnd" : "overview.partsComma")}
          {part}
        </Fragment>
      ))}
      {t("overview.partsEnd")}
    </>
  );
}

/** Where a part of the sentence leads: to the one thing that it is about, or to the list of them. */
function linkOf(kind: NeedKind, needs: readonly Need[], range: OverviewRange): Target {
  const own = needs.filter((need) => need.kind === kind);
  const [need] = own;
  if (need !== undefined && own.length === 1) return targetOf(need);
  if (kind === "open")
    return { to: "/history", search: { q: `outcome:failed_open,timed_out_open since:${RANGE_FILTER[range]}` } };
  if (kind === "file") return { to: "/hooks", search: { view: "problems" } };
  if (kind === "limit") return { to: "/hooks", search: { sort: "-p95" } };
  return need === undefined || kind === "failing" ? { to: "/hooks" } : targetOf(need);
}

const SIGNS = {
  waiting: ["late", ShieldQuestionMark],
  file: ["deny", CircleX],
  failing: ["deny", TriangleAlert],
  config: ["late", Wrench],
} as const;

function Sign({ kind, well }: { kind: NeedKind | undefined; well: AllWell | null }) {
  if (kind === "open") {
    return (
      <span
        className="grid place-items-center flex-none w-8 h-8 rounded-2 text-ink-inv [&>.glyph]:text-inherit fail bg-fail-solid"
        aria-hidden="true"
      >
        <Glyph kind="failed_open" size={24} />
      </span>
    );
  }
  if (kind === "limit") {
    return (
      <span
        className="grid place-items-center flex-none w-8 h-8 rounded-2 text-ink-inv [&>.glyph]:text-inherit late bg-late-solid"
        aria-hidden="true"
      >
        <Glyph kind="timed_out_open" size={24} />
      </span>
    );
  }
  if (kind !== undefined) {
    const [tone, icon] = SIGNS[kind];
    return (
      <span
        className={`grid place-items-center flex-none w-8 h-8 rounded-2 text-ink-inv [&.fail]:bg-fail-solid [&.late]:bg-late-solid [&.deny]:bg-deny-solid [&:not(.plain)>.glyph]:text-inherit ${tone}`}
        aria-hidden="true"
      >
        <Icon of={icon} size={20} />
      </span>
    );
  }
  return (
    <span
      className={
        well === "proven"
          ? "grid place-items-center flex-none w-8 h-8 rounded-2 text-ink-inv plain ink-allow"
          : "grid place-items-center flex-none w-8 h-8 rounded-2 text-ink-inv plain ink-2"
      }
      aria-hidden="true"
    >
      <Glyph kind={well === "proven" ? "allowed" : "no_opinion"} size={24} />
    </span>
  );
}
