/** How many of the last events a hook would match, with the way to them; before and after a change that is proposed. */

import { Check, CircleDashed, Minus } from "lucide-react";
import { Icon, MiniChain, Skeleton } from "@/components";
import { useTrace } from "@/domain/trace/runOrder";
import { useTool } from "@/domain/trace/verdictWords";
import { t } from "@/i18n";
import { exactTime } from "@/i18n/format";
import { faultText } from "@/i18n/messages";
import { type HookRow, type NearMiss, type Params, type Reply, useCall } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { capitalizeFirst, oneLine } from "@/lib/escape";
import { pretty } from "@/lib/pretty";
import { Link } from "@/routes/router";

interface HistoryMatchProps {
  project: string;
  hook: HookRow;
  event: string;
  /** A change of the hook that is not made yet. */
  steps?: Params<"history.match">["steps"];
}

function useMatches(project: string, hook: HookRow, event: string, steps: Params<"history.match">["steps"] = []) {
  const request = { project, dialect: hook.dialect, event, hook: hook.hook, ...(steps.length > 0 ? { steps } : {}) };
  return useCall("history.match", request, { refetchOnMount: true });
}

/** How many of the last events match, of which there is one at least. */
export function matchText({
  matches,
  looked_at: count,
}: Pick<Reply<"history.match">, "matches" | "looked_at">): string {
  if (count === 1) return t(matches === 1 ? "matches.last.match" : "matches.last.noMatch");
  return t("matches.of", { matched: matches, count });
}

/** ", 14 after this change" */
export function MatchesAfter({ project, hook, event, steps }: HistoryMatchProps) {
  const before = useMatches(project, hook, event);
  const after = useMatches(project, hook, event, steps);
  if (before.data === undefined || after.data === undefined || before.data.looked_at === 0) return null;
  return (
    <p className="pad text-small">
      {matchText(before.data)}
      {t("list")}
      <b className="medium">{t("matches.after", { count: after.data.matches })}</b>
    </p>
  );
}

export function HistoryMatch({ project, hook, event }: HistoryMatchProps) {
  const { data, error } = useMatches(project, hook, event);
  return (
    <section className="section [&>p]:mt-1.5" aria-label={t("matches.title")}>
      <h3>{t("matches.title")}</h3>
      {error !== null ? (
        <p className="text-small ink-2">{capitalizeFirst(faultText(error).message)}</p>
      ) : data === undefined ? (
        <Skeleton rows={2} height={24} what={t("matches.title")} />
      ) : data.looked_at === 0 ? (
        <p className="text-small ink-2">{t("matches.none", { event })}</p>
      ) : (
        <>
          <p className="text-small">
            <b className="medium">{matchText(data)}</b>{" "}
            {data.without_payload > 0 ? (
              <span className="dim">{t("matches.withoutPayload", { count: data.without_payload })} </span>
            ) : null}
            {data.incomplete ? <span className="dim">{t("matches.incomplete")}</span> : null}
          </p>
          <ul className="mt-2">
            {data.matched.map((trace) => (
              <MatchedTrace key={trace} trace={trace} near={null} />
            ))}
            {data.near.map(({ trace, near_miss }) => (
              <MatchedTrace key={trace} trace={trace} near={near_miss} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** One recorded event, with the way to it. */
function MatchedTrace({ trace, near }: { trace: string; near: NearMiss | null }) {
  return (
    <li>
      <Link
        className="flex items-center gap-2 min-h-6.5 px-2 rounded-2 text-sm/[inherit] text-inherit hover:bg-2"
        to="/history"
        search={{ trace }}
      >
        <EventParts trace={trace} near={near} matches={near === null} />
      </Link>
    </li>
  );
}

interface EventLineProps {
  trace: string;
  near: NearMiss | null;
  matches: boolean;
}

/** One recorded event, where following it would leave what is being edited. */
export function EventLine(props: EventLineProps) {
  return (
    <div className="flex items-center gap-2 min-h-6.5 px-2 rounded-2 text-sm/[inherit] text-inherit hover:bg-2">
      <EventParts {...props} />
    </div>
  );
}

/** Whether it matched, or nearly, what it was about, and its chain. */
function EventParts({ trace, near, matches }: EventLineProps) {
  const { data } = useTrace(trace);
  const toolOf = useTool();
  const dialects = useDialects();
  const dialect = dialects.find((one) => one.id === data?.dialect);
  const tool = data === undefined ? null : toolOf(data);
  const field = dialect?.events
    .find((one) => one.name === data?.event)
    ?.fields.find(({ name }) => name !== dialect.tool_field && !dialect.common.includes(name));
  const about = field === undefined ? "" : oneLine(pretty(data?.payload_before[field.name] ?? ""), 80);
  const isNear = !matches && near !== null;
  return (
    <>
      <span className={matches ? "ink-accent" : isNear ? "ink-late" : "dim"}>
        <Icon of={matches ? Check : isNear ? CircleDashed : Minus} size={14} />
        <span className="visually-hidden">
          {matches ? t("matches.matched") : isNear ? t("words.nearMiss.lead") : t("matches.notMatched")}
        </span>
      </span>
      <span className="mono trunc grow">
        {tool === null ? null : <b className="medium">{tool} </b>}
        <span className="dim">{about}</span>
      </span>
      {isNear ? <span className="ink-late nowrap">{t(`matches.near.${near}`)}</span> : null}
      {data === undefined ? null : (
        <>
          <MiniChain steps={data.steps} />
          <span className="mono dim nowrap">{exactTime(data.at)}</span>
        </>
      )}
    </>
  );
}
