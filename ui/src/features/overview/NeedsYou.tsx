/** What needs the user, in the engine's order: each names cause and remedy. */
import { CircleX, FileX, type LucideIcon, ShieldMinus, ShieldQuestionMark, Wrench } from "lucide-react";
import { Fragment, useRef } from "react";
import { Cut, HEALTH_ICONS, healthSentence, Icon, InlineCode, Tooltip, toast } from "@/components";
import { STALE_BY_EDIT } from "@/domain/edits/undo";
import { useReportEdit } from "@/domain/hooks/afterEdit";
import { locationOf } from "@/domain/hooks/facts";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { time } from "@/i18n/format";
import { type HooksDocument, type Need, useCommand } from "@/ipc";
import { useAgentName } from "@/ipc/dialects";
import { capitalizeFirst, oneLine } from "@/lib/escape";
import { focusByArrows } from "@/lib/listKeys";
import { shortPath } from "@/lib/names";
import { Link, type Target } from "@/routes/router";
import { useLastFailure } from "./lastFailure";
import { faultOf, isGuard, reasonOf, targetOf, textArg } from "./needs";

/** The rest is named by its number: the screens behind the links have all of it. */
const MOST_ITEMS = 12;

interface NeedsYouProps {
  needs: readonly Need[];
  document: HooksDocument | undefined;
  project: string;
}

export function NeedsYou({ needs, document, project }: NeedsYouProps) {
  const list = useRef<HTMLUListElement>(null);
  // All reviews are one thing to do, at the place of the first.
  const reviews = needs.filter(({ kind }) => kind === "review");
  const items = needs.filter((need) => need.kind !== "review" || need === reviews[0]);
  const hidden = items.length - MOST_ITEMS;
  return (
    <>
      <div className="pane-head px-4">
        <h2>{t("overviewParts.needs.title")}</h2>
        {items.length > 0 ? <span className="text-small dim">{items.length}</span> : null}
      </div>
      {items.length === 0 ? (
        <p className="py-3 px-4 text-small ink-2">{t("overviewParts.needs.none")}</p>
      ) : (
        <ul ref={list} onKeyDown={(event) => focusByArrows(event, list.current, "a, button")}>
          {items.slice(0, MOST_ITEMS).map((need) => (
            <NeedItem
              key={`${need.kind} ${need.code} ${need.hook} ${need.path}`}
              need={need}
              reviews={reviews.length}
              document={document}
              project={project}
            />
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
  reviews: number;
}

function NeedItem({ need, reviews, document, project }: ItemProps) {
  const agent = useNeedAgent(document, need);
  const target = targetOf(need, document);
  const fault = faultOf(need);
  const reason = reasonOf(need);
  const path = need.path ?? "";
  const why = reason === null ? null : healthSentence({ path, health: reason }, agent);
  const text = why === null ? "" : asSentence(why);
  const show = t("overviewParts.needs.show");
  if (need.kind === "review") {
    return (
      <Item
        icon={ShieldQuestionMark}
        tone="ink-late"
        title={t("overviewParts.needs.waiting", { count: reviews })}
        text={t("overviewParts.needs.waitingText", { count: reviews })}
        link={t("overviewParts.needs.review")}
        target={target}
      />
    );
  }
  if (need.kind === "source") {
    const since = need.since === null ? "" : t("overviewParts.needs.since", { time: time(need.since) });
    const isOlder = need.code === "last_good";
    return (
      <Item
        icon={FileX}
        tone="ink-fail"
        title={locationOf({ line: need.line, column: null }, shortPath(path, project))}
        text={isOlder || since === "" ? text : t("overviewParts.twoSentences", { first: text, second: since })}
        link={show}
        target={target}
      />
    );
  }
  if (need.kind === "settings") {
    return (
      <Item
        icon={Wrench}
        tone="ink-late"
        title={t("overviewParts.config.settings")}
        text={text}
        link={t("overviewParts.needs.settings")}
        target={target}
      />
    );
  }
  if (need.kind === "engine") {
    return (
      <Item
        icon={CircleX}
        tone="ink-late"
        title={t("overviewParts.engine")}
        text={text}
        link={t("overviewParts.needs.settings")}
        target={target}
      />
    );
  }
  const hook = oneLine(textArg(need, "label"), 80);
  if (need.kind === "gone") return <GoneItem need={need} hook={hook} project={project} target={target} />;
  if (need.kind === "unguarded") {
    return (
      <Item
        icon={HEALTH_ICONS.failing}
        tone="ink-fail"
        title={t("overviewParts.unguarded", { hook })}
        text={t("overviewParts.unguardedText", { count: Number(need.args.count) })}
        link={show}
        target={target}
      />
    );
  }
  const icon = fault === undefined ? CircleX : HEALTH_ICONS[fault];
  const title = fault === undefined ? hook : t(`overviewParts.fault.${fault}`, { hook });
  if (fault === "failing") return <FailingItem {...{ need, document, project, title, text, target }} />;
  return (
    <Item
      icon={icon}
      tone={isGuard(need) ? "ink-fail" : "ink-2"}
      title={title}
      text={text}
      link={show}
      target={target}
    />
  );
}

/** The name of the agent that a need is about. */
function useNeedAgent(document: HooksDocument | undefined, need: Need): string {
  const hook = document?.hooks.find((one) => one.hook === need.hook);
  const dialect = textArg(need, "dialect") || (hook?.dialect ?? "");
  return useAgentName(dialect);
}

/** What the engine says stands alone here. */
function asSentence(text: string): string {
  return `${capitalizeFirst(text).replace(/[.。]$/, "")}${t("overview.partsEnd")}`;
}

interface GoneProps {
  need: Need;
  hook: string;
  project: string;
  target: Target;
}

/** A guard that another program took out of its file: it comes back, or its absence is accepted. */
function GoneItem({ need, hook, project, target }: GoneProps) {
  const report = useReportEdit(project);
  const restore = useCommand("gone.restore", {
    stale: STALE_BY_EDIT,
    onError: toastFault,
    onSuccess: (doc) =>
      report(doc, t("overviewParts.restored", { hook }), { what: t("overviewParts.didRestore", { hook }) }),
  });
  const accept = useCommand("gone.accept", {
    stale: ["hooks", "state"],
    onError: toastFault,
    onSuccess: () => toast(t("overviewParts.accepted", { hook }), null),
  });
  const guard = { project, uid: textArg(need, "uid") };
  const actions = [{ label: t("overviewParts.accept"), run: () => accept.mutate(guard) }];
  if (need.args.restorable === true) {
    actions.unshift({ label: t("overviewParts.restore"), run: () => restore.mutate(guard) });
  }
  return (
    <Item
      icon={ShieldMinus}
      tone="ink-fail"
      title={t("overviewParts.gone", { hook })}
      text={t("overviewParts.goneText", {
        time: need.since === null ? "" : time(need.since),
        file: shortPath(need.path ?? "", project),
      })}
      actions={actions}
      link={t("overviewParts.needs.show")}
      target={target}
    />
  );
}

interface FailingProps extends Omit<ItemProps, "reviews"> {
  title: string;
  text: string;
  target: Target;
}

/** With the reason of the latest failure. */
function FailingItem({ need, document, project, title, text, target }: FailingProps) {
  const hook = document?.hooks.find((one) => one.hook === need.hook);
  const { why, whole, explain } = useLastFailure(hook, project);
  return (
    <Item
      icon={HEALTH_ICONS.failing}
      tone={isGuard(need) ? "ink-fail" : "ink-2"}
      title={title}
      text={why === null ? text : t("overviewParts.twoSentences", { first: asSentence(why), second: text })}
      whole={whole}
      link={t(explain === null ? "overviewParts.needs.show" : "overviewParts.needs.explain")}
      target={explain ?? target}
    />
  );
}

interface ShownNeed {
  icon: LucideIcon;
  tone: "ink-fail" | "ink-late" | "ink-2";
  title: string;
  text: string;
  /** What `text` tells only in part. */
  whole?: string | null;
  /** Before the link. */
  actions?: readonly { label: string; run: () => void }[];
  link: string;
  target: Target;
}

function Item({ icon, tone, title, text, whole, actions = [], link, target }: ShownNeed) {
  return (
    <li className="overview-need [&_.link]:whitespace-nowrap flex gap-2.5 py-2 px-4 items-start [&+.overview-need]:border-t [&+.overview-need]:border-line-1 [&_p]:mt-0.5">
      <span className={tone}>
        <Icon of={icon} size={16} />
      </span>
      <div className="grow">
        <Cut className="block medium text-small ink-1" text={title} />
        <p className="text-small dim wrap">
          <Tooltip text={whole}>
            <span>
              <InlineCode text={text} />
            </span>
          </Tooltip>{" "}
          {actions.map(({ label, run }) => (
            <Fragment key={label}>
              <button type="button" className="link" aria-label={`${label}: ${title}`} onClick={run}>
                {label}
              </button>{" "}
            </Fragment>
          ))}
          <Link {...target} className="link" aria-label={`${link}: ${title}`}>
            {link}
          </Link>
        </p>
      </div>
    </li>
  );
}
