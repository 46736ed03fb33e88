/** The sentence at the top: what is worst, with links, how many hooks are in which state, and one action. */

import { CircleX, FileX, ShieldMinus, ShieldQuestionMark, Wrench } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { Glyph, HEALTH_ICONS, Icon, type ShownState, shownState } from "@/components";
import { t } from "@/i18n";
import type { HealthState, HooksDocument, StatusDoc } from "@/ipc";
import { Link, type Target } from "@/routes/router";
import { type FaultState, type PartKind, partsOf, targetOf, type VerdictPart } from "./needs";
import VerdictActions from "./VerdictActions";

interface VerdictProps {
  status: StatusDoc;
  document: HooksDocument | undefined;
  project: string;
}

export function Verdict({ status, document, project }: VerdictProps) {
  const parts = partsOf(status.needs);
  return (
    <section
      className="flex items-start gap-3 py-3.5 px-4 min-w-0"
      aria-label={t("overview.verdict.label")}
      data-region
      tabIndex={-1}
    >
      <Sign kind={parts[0]?.kind} proven={status.verdict.code === "all_proven"} />
      <div className="grow">
        <p className="verdict-text" role="status">
          {parts.length === 0
            ? t(`overview.well.${wellOf(status.verdict.code)}`)
            : joined(
                parts.map((part) => (
                  <Link
                    key={part.kind}
                    {...linkOf(part, document)}
                    className={`text-inherit [text-decoration:underline_2px] [text-underline-offset:3px] hover:[text-decoration-thickness:3px] ${UNDERLINES[toneOf(part.kind)]}`}
                  >
                    {t(`overview.part.${part.kind}`, { count: part.needs.length })}
                  </Link>
                )),
              )}
        </p>
        <Counts counts={status.counts} />
      </div>
      <VerdictActions status={status} document={document} project={project} />
    </section>
  );
}

/** What can be said where nothing needs the user. */
function wellOf(code: StatusDoc["verdict"]["code"]): "noHooks" | "proven" | "calm" {
  if (code === "no_hooks") return "noHooks";
  return code === "all_proven" ? "proven" : "calm";
}

/** How many hooks are in which state; each leads to these hooks. */
function Counts({ counts }: { counts: StatusDoc["counts"] }) {
  const shown = new Map<ShownState, number>();
  for (const [state, n] of Object.entries(counts)) {
    const at = shownState({ state: state as HealthState });
    shown.set(at, (shown.get(at) ?? 0) + n);
  }
  const total = [...shown.values()].reduce((sum, n) => sum + n, 0);
  if (total === 0) return <p className="ink-2">{t("overview.noHooksText")}</p>;
  const states = (Object.keys(HEALTH_ICONS) as ShownState[]).filter((state) => shown.has(state));
  return (
    <ul className="flex flex-wrap gap-x-4 text-small ink-2" aria-label={t("overview.counts.label")}>
      {states.map((state) => (
        <li key={state}>
          <Link
            to="/hooks"
            search={{ q: t(`words.health.${state}`).toLowerCase() }}
            className="flex min-h-6 items-center gap-1.5 text-inherit no-underline hover:underline"
          >
            <Icon of={HEALTH_ICONS[state]} size={14} />
            <b className="ink-1">{shown.get(state)}</b> {t(`words.health.${state}`).toLowerCase()}
          </Link>
        </li>
      ))}
      <li className="flex min-h-6 items-center">{t("overview.counts.of", { count: total })}</li>
    </ul>
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
function linkOf({ kind, needs }: VerdictPart, document: HooksDocument | undefined): Target {
  const [need] = needs;
  const fault = faultOfPart(kind);
  if (need !== undefined && (needs.length === 1 || fault === undefined)) return targetOf(need, document);
  return { to: "/hooks", search: fault === undefined ? {} : { q: t(`words.health.${fault}`).toLowerCase() } };
}

function faultOfPart(kind: PartKind): FaultState | undefined {
  const [, fault] = kind.split(".");
  return fault as FaultState | undefined;
}

type Tone = "fault" | "waits" | "wrong";
const FAULTS: ReadonlySet<PartKind> = new Set(["file", "gone", "unguarded"]);

function toneOf(kind: PartKind): Tone {
  if (FAULTS.has(kind) || faultOfPart(kind) !== undefined) return "fault";
  return kind === "review" ? "waits" : "wrong";
}

const UNDERLINES: Record<Tone, string> = {
  fault: "[text-decoration-color:var(--fail)]",
  waits: "[text-decoration-color:var(--late)]",
  wrong: "[text-decoration-color:var(--deny)]",
};

const GROUNDS: Record<Tone, string> = { fault: "bg-fail-solid", waits: "bg-late-solid", wrong: "bg-deny-solid" };

export function iconOf(kind: PartKind) {
  const fault = faultOfPart(kind);
  if (fault !== undefined) return HEALTH_ICONS[fault];
  if (kind === "file") return FileX;
  if (kind === "gone") return ShieldMinus;
  if (kind === "unguarded") return HEALTH_ICONS.failing;
  if (kind === "review") return ShieldQuestionMark;
  return kind === "settings" ? Wrench : CircleX;
}

function Sign({ kind, proven }: { kind: PartKind | undefined; proven: boolean }) {
  const square = "grid place-items-center flex-none w-8 h-8 rounded-2";
  if (kind === undefined) {
    return (
      <span className={proven ? `${square} ink-allow` : `${square} ink-2`} aria-hidden="true">
        <Glyph kind={proven ? "allowed" : "no_opinion"} size={24} />
      </span>
    );
  }
  return (
    <span className={`${square} text-ink-inv ${GROUNDS[toneOf(kind)]}`} aria-hidden="true">
      <Icon of={iconOf(kind)} size={20} />
    </span>
  );
}
