/** What waits for the user, worst first: each names cause and remedy. */
import { CircleX, ShieldQuestionMark, TriangleAlert, Wrench } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { Glyph, Icon, InlineCode } from "@/components";
import { locationOf } from "@/domain/hooks/facts";
import { problemText } from "@/domain/hooks/problemText";
import { t } from "@/i18n";
import { count, duration, limitText } from "@/i18n/format";
import { say } from "@/i18n/messages";
import type { HookRow, State } from "@/ipc";
import { capitalizeFirst, oneLine } from "@/lib/escape";
import { focusByArrows } from "@/lib/listKeys";
import { shortPath } from "@/lib/names";
import { Link, type Target } from "@/routes/router";
import { useLastFailure } from "./lastFailure";
import type { ConfigNeed, Need } from "./needs";
import { targetOf } from "./targets";

/** The rest is named by its number: the screens behind the links have all of it. */
const MOST_ITEMS = 12;

interface NeedsYouProps {
  needs: readonly Need[];
  hooks: readonly HookRow[];
  project: string;
  state: State;
}

export function NeedsYou({ needs, hooks, project, state }: NeedsYouProps) {
  const list = useRef<HTMLUListElement>(null);
  const hidden = needs.length - MOST_ITEMS;
  return (
    <>
      <div className="pane-head px-4">
        <h2>{t("overviewParts.needs.title")}</h2>
        {needs.length > 0 ? <span className="text-small dim">{needs.length}</span> : null}
      </div>
      {needs.length === 0 ? (
        <p className="py-3 px-4 text-small ink-2">{t("overviewParts.needs.none")}</p>
      ) : (
        <ul ref={list} onKeyDown={(event) => focusByArrows(event, list.current, "a")}>
          {needs.slice(0, MOST_ITEMS).map((need) => (
            <NeedItem key={need.key} need={need} hooks={hooks} project={project} state={state} />
          ))}
        </ul>
      )}
      {hidden > 0 ? (
        <p className="py-3 px-4 text-tiny dim">{t("overviewParts.needs.more", { count: hidden })}</p>
      ) : null}
    </>
  );
}

interface ItemProps extends Omit<NeedsYouProps, "needs"> {
  need: Need;
}

function NeedItem({ need, hooks, project, state }: ItemProps) {
  switch (need.kind) {
    case "open":
      return <OpenItem need={need} project={project} />;
    case "waiting":
      return <WaitingItem need={need} />;
    case "file":
      return <FileItem need={need} hooks={hooks} project={project} />;
    case "failing":
    case "limit":
      return <SlowItem need={need} />;
    case "config":
      return <ConfigItem what={need.what} target={targetOf(need)} state={state} />;
  }
}

/** What the engine says stands alone here. */
function asSentence(text: string): string {
  return `${capitalizeFirst(text).replace(/[.。]$/, "")}${t("overview.partsEnd")}`;
}

interface ShownNeed {
  sign: ReactNode;
  title: string;
  text: string;
  /** What `text` tells only in part. */
  whole?: string | null;
  link: string;
  target: Target;
}

function Item({ sign, title, text, whole, link, target }: ShownNeed) {
  return (
    <li className="overview-need [&_.link]:whitespace-nowrap flex gap-2.5 py-2 px-4 items-start [&+.overview-need]:border-t [&+.overview-need]:border-line-1 [&_p]:mt-0.5">
      {sign}
      <div className="grow">
        <div className="medium text-small ink-1 trunc" title={title}>
          {title}
        </div>
        <p className="text-tiny dim wrap" title={whole ?? undefined}>
          <InlineCode text={text} />{" "}
          <Link {...target} className="link" aria-label={`${link}: ${title}`}>
            {link}
          </Link>
        </p>
      </div>
    </li>
  );
}

function OpenItem({ need, project }: { need: Need & { kind: "open" }; project: string }) {
  const { why, whole, explain } = useLastFailure(need.hook, project);
  const failed = need.failed + need.timedOut;
  const runs = t(need.hook.layer === "user" ? "overviewParts.needs.openRunsUser" : "overviewParts.needs.openRuns", {
    failed: count(failed),
    count: need.runs,
  });
  return (
    <Item
      sign={<Glyph kind={need.failed > 0 ? "failed_open" : "timed_out_open"} />}
      title={t("overviewParts.needs.open", { hook: oneLine(need.hook.label, 80) })}
      text={why === null ? runs : t("overviewParts.twoSentences", { first: asSentence(why), second: runs })}
      whole={whole}
      link={t(explain === null ? "overviewParts.needs.show" : "overviewParts.needs.explain")}
      target={explain ?? targetOf(need)}
    />
  );
}

function WaitingItem({ need }: { need: Need & { kind: "waiting" } }) {
  const isChange = need.changed === need.count;
  return (
    <Item
      sign={
        <span className="ink-late">
          <Icon of={ShieldQuestionMark} size={16} />
        </span>
      }
      title={t(isChange ? "overviewParts.needs.changed" : "overviewParts.needs.waiting", { count: need.count })}
      text={
        isChange ? t("overviewParts.needs.changedText") : t("overviewParts.needs.waitingText", { count: need.count })
      }
      link={t("overviewParts.needs.review")}
      target={targetOf(need)}
    />
  );
}

interface FileItemProps extends Pick<NeedsYouProps, "hooks" | "project"> {
  need: Need & { kind: "file" };
}

function FileItem({ need, hooks, project }: FileItemProps) {
  const { title } = problemText(hooks);
  const { problem, more } = need;
  const first = asSentence(oneLine(title(problem), 160));
  return (
    <Item
      sign={
        <span className="ink-deny">
          <Icon of={CircleX} size={16} />
        </span>
      }
      title={locationOf(problem, shortPath(problem.path, project))}
      text={
        more > 0
          ? t("overviewParts.twoSentences", { first, second: t("overviewParts.needs.moreErrors", { count: more }) })
          : first
      }
      link={t("overviewParts.needs.show")}
      target={targetOf(need)}
    />
  );
}

function SlowItem({ need }: { need: Need & { kind: "failing" | "limit" } }) {
  const hook = oneLine(need.hook.label, 80);
  if (need.kind === "failing") {
    return (
      <Item
        sign={
          <span className="ink-deny">
            <Icon of={TriangleAlert} size={16} />
          </span>
        }
        title={t("overviewParts.needs.failing", { hook })}
        text={t("overviewParts.needs.failingText")}
        link={t("overviewParts.needs.show")}
        target={targetOf(need)}
      />
    );
  }
  const limit = limitText(need.hook.timeout_ms);
  const p95 = t("overviewParts.needs.p95", { p95: duration(need.p95) });
  const cut = t("overviewParts.needs.cut", { cut: count(need.timedOut), count: need.runs });
  return (
    <Item
      sign={<Glyph kind="timed_out_open" />}
      title={t(need.timedOut > 0 ? "overviewParts.needs.hitLimit" : "overviewParts.needs.limit", { hook, limit })}
      text={need.timedOut > 0 ? t("overviewParts.twoSentences", { first: p95, second: cut }) : p95}
      link={t("overviewParts.needs.budget")}
      target={targetOf(need)}
    />
  );
}

function ConfigItem({ what, target, state }: { what: ConfigNeed; target: Target; state: State }) {
  const told =
    what === "store" ? state.store : what === "watching" ? state.watching : what === "model" ? state.model : null;
  const why = told?.why ? asSentence(say(told, told.why)) : null;
  return (
    <Item
      sign={
        <span className="ink-late">
          <Icon of={Wrench} size={16} />
        </span>
      }
      title={t(`overviewParts.config.${what}`)}
      text={why ?? t(`overviewParts.configText.${what}`)}
      link={t("overviewParts.needs.settings")}
      target={target}
    />
  );
}
