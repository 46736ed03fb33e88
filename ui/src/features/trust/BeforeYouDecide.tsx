/** What the hook can do, what an approval covers and what it does not. */

import { CircleHelp, Eye, Globe, type LucideIcon, MessageSquareText, ShieldAlert, Terminal } from "lucide-react";
import type { ReactNode } from "react";
import { Facts, handlerKind, Icon, InlineCode, Note, startsNothing } from "@/components";
import { filterText } from "@/domain/hooks/facts";
import { conditionFact, fileFact, mayFact } from "@/domain/hooks/hookFacts";
import { t } from "@/i18n";
import { dateTime } from "@/i18n/format";
import { say } from "@/i18n/messages";
import type { HookRow, TrustReview } from "@/ipc";
import { useEventInfo } from "@/ipc/dialects";
import { capitalizeFirst, escapeInvisible } from "@/lib/escape";
import { shortHash, shortPath } from "@/lib/names";
import { joinSentences } from "@/lib/sentences";

/** The engine's sentence for what this page says of every hook. */
const SAID_ALREADY = "starts_others";

interface BeforeYouDecideProps {
  review: TrustReview;
  /** Its rows of the hook list, one for each event. */
  rows: readonly HookRow[];
  /** When its content was approved, as it is now or as it was; null where nothing was. */
  approvedAt: string | null;
  project: string;
}

export function BeforeYouDecide(props: BeforeYouDecideProps) {
  const { review, rows, project } = props;
  return (
    <>
      <Points review={review} row={rows[0]} project={project} />
      <ReviewFacts {...props} />
      <Coverage review={review} project={project} />
    </>
  );
}

interface PointProps {
  icon: LucideIcon;
  tone: string;
  title: string;
  children?: ReactNode;
}

function Point({ icon, tone, title, children }: PointProps) {
  return (
    <li className="flex gap-2 [&_.icon]:mt-0.75">
      <span className={tone}>
        <Icon of={icon} size={14} />
      </span>
      <span className="grow wrap">
        <b className="medium">{title}</b>
        <span className="block text-small ink-2">{children}</span>
      </span>
    </li>
  );
}

/** The few facts that matter most, each as a sentence. */
function Points({ review, row, project }: { review: TrustReview; row: HookRow | undefined; project: string }) {
  const kind = row === undefined ? "shell" : handlerKind(row.handler);
  const runs = row?.runs?.trim() ?? "";
  // Settings of a file have no event, and no program registered them.
  const isSettings = review.event === "" && review.agent === null;
  const isProgram =
    !isSettings && (row === undefined || (!startsNothing(row.handler) && kind !== "prompt" && kind !== "http"));
  const what = isSettings
    ? "setsHooks"
    : kind === "prompt"
      ? "asksModel"
      : kind === "http"
        ? "sendsRequest"
        : "addsText";
  const sends = review.found.filter((one) => one.kind === "network");
  return (
    <ul className="section flex flex-col gap-2.5">
      {isProgram ? (
        <Point icon={Terminal} tone="ink-late" title={t("review.runsProgram")}>
          {t("review.runsProgramText")}
        </Point>
      ) : (
        <Point icon={MessageSquareText} tone="ink-accent" title={t(`review.${what}`)}>
          {t(`review.${what}Text`)}
        </Point>
      )}
      {runs === "" ? null : (
        <li className="py-1.5 px-2 rounded-2 bg-code text-ink-1 whitespace-pre-wrap wrap-anywhere max-h-30 overflow-auto select-text mono text-tiny">
          {escapeInvisible(kind === "script" ? shortPath(runs, project) : runs)}
        </li>
      )}
      {sends.length === 0 ? null : (
        <Point
          icon={Globe}
          tone="ink-late"
          title={t(sends.some((one) => one.new) ? "review.sendsNew" : "review.sends")}
        >
          <span className="mono text-ink-2">{sends.map(({ word }) => escapeInvisible(word)).join(t("list"))}</span>
        </Point>
      )}
      {row === undefined || filterText(row.filter) !== "" ? null : (
        <Point icon={Eye} tone="ink-late" title={t("review.everyEvent")}>
          {t("review.everyEventText", { event: review.event })}
        </Point>
      )}
      {review.data.length === 0 ? null : (
        <Point icon={CircleHelp} tone="ink-3" title={t("trust.dataTitle", { count: review.data.length })}>
          {review.data.map((path) => (
            <span key={path} className="block mono text-tiny wrap">
              {review.data_changed.includes(path)
                ? t("trust.dataChanged", { path: shortPath(path, project) })
                : shortPath(path, project)}
            </span>
          ))}
        </Point>
      )}
    </ul>
  );
}

function ReviewFacts({ review, rows, approvedAt, project }: BeforeYouDecideProps) {
  const [row] = rows;
  const event = useEventInfo(row?.dialect ?? "", review.event);
  const events = [...new Set(rows.flatMap((one) => one.serves ?? [one.event]))];
  return (
    <Facts
      className="section"
      rows={[
        [t("hooks.drawer.event"), (events.length > 0 ? events : [review.event]).join(t("list")), "mono wrap"],
        row === undefined ? null : conditionFact(row),
        row === undefined ? null : mayFact(event),
        review.agent === null
          ? null
          : [
              t("programs.registeredBy"),
              <>
                {escapeInvisible(review.agent.name)}
                <span className="block mono text-tiny dim wrap">{escapeInvisible(review.agent.program)}</span>
              </>,
              "wrap",
            ],
        review.path === "" ? null : fileFact(review, project),
        approvedAt === null ? null : [t("review.approvedAt"), dateTime(approvedAt)],
        [t("trust.fingerprint"), shortHash(review.fingerprint), "mono text-tiny"],
      ]}
    />
  );
}

function Coverage({ review, project }: { review: TrustReview; project: string }) {
  const further = review.not_covered.filter((one) => one.code !== SAID_ALREADY);
  return (
    <div className="section column gap-2 [&_ul]:mt-1">
      <Note lead={t("trust.coversTitle")}>{joinSentences(t("trust.covers"), t("trust.kept"))}</Note>
      <Note kind="warning" icon={ShieldAlert} lead={t("trust.notCoveredTitle")}>
        {t("trust.notCovered")}
        {further.length > 0 ? (
          <ul>
            {further.map((one) => (
              <li key={one.why}>
                <InlineCode text={capitalizeFirst(say(one, one.why).replaceAll(`${project}/`, ""))} />
              </li>
            ))}
          </ul>
        ) : null}
      </Note>
    </div>
  );
}
