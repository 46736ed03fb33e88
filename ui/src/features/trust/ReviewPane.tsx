/** The review of one hook: a head that says why it waits, the texts, and beside them what to know before deciding. */
import {
  ArrowDown,
  PowerOff,
  RotateCcw,
  ShieldCheck,
  ShieldOff,
  ShieldQuestionMark,
  ShieldX,
  SkipForward,
} from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import {
  Button,
  FaultNote,
  Icon,
  InlineCode,
  Note,
  Pane,
  Segmented,
  SizedPane,
  Skeleton,
  StepButtons,
} from "@/components";
import { runsOf } from "@/components/chart";
import { isEditable } from "@/domain/hooks/facts";
import { AlwaysAllow } from "@/domain/trust/AlwaysAllow";
import { t } from "@/i18n";
import { dateTime } from "@/i18n/format";
import { say } from "@/i18n/messages";
import { type HookRow, type TrustReview, useCall } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { useScreenActions } from "@/lib/actions";
import { oneLine } from "@/lib/escape";
import { useMedia } from "@/lib/media";
import { baseName } from "@/lib/names";
import { joinSentences } from "@/lib/sentences";
import { asksName } from "./asksName";
import { BeforeYouDecide } from "./BeforeYouDecide";
import { useHeldBack } from "./heldBack";
import { NamedWords } from "./NamedWords";
import { type Layout, ReviewTexts, type Texts } from "./ReviewTexts";
import { markRead, type Reading, useReading } from "./readTexts";

/** As far back as the history goes. */
const EVER_MS = 100 * 365 * 86_400_000;
/** Below it the facts follow the texts instead of standing beside them. */
const NARROW = "(max-width: 1119px)";
/** Below it there is no room for two texts beside each other. */
const SLIM = "(max-width: 859px)";
/** Of the height, how far one press reads on. */
const READ_ON = 0.85;

export interface ReviewPaneProps {
  hook: string;
  rows: readonly HookRow[];
  /** `contentOf` its entry in the list. */
  content: string;
  project: string;
  /** `2 of 6`: where the hook is in the list on show. */
  place: { at: number; of: number };
  onStep: (by: -1 | 1) => void;
  /** Goes to the next without approving; absent where there is no other. */
  onSkip: (() => void) | undefined;
  onApprove: (review: TrustReview) => void;
  onDeny: (review: TrustReview) => void;
  onRevoke: (review: TrustReview) => void;
  onTurnOff: (hook: HookRow) => void;
  busy: boolean;
  /** What was decided last. */
  notice: ReactNode;
}

export function ReviewPane(props: ReviewPaneProps) {
  const { hook, project } = props;
  const review = useCall("trust.review", { project, hook });
  const texts = useCall("trust.texts", { project, hook });
  const fault = review.error ?? texts.error;
  // What was kept from an earlier visit is not shown before it is known to be up to date.
  const [asked, setAsked] = useState<string | null>(null);
  if (!review.isFetching && !texts.isFetching && asked !== hook) setAsked(hook);
  if (fault !== null) {
    return (
      <Pane label={t("review.pane")}>
        <FaultNote
          fault={fault}
          onRetry={() => {
            void review.refetch();
            void texts.refetch();
          }}
        />
      </Pane>
    );
  }
  if (review.data === undefined || texts.data === undefined || asked !== hook) {
    return (
      <Pane label={t("review.pane")}>
        <Skeleton what={t("review.pane")} height={20} rows={16} />
      </Pane>
    );
  }
  return <Loaded {...props} review={review.data} texts={texts.data} />;
}

interface LoadedProps extends ReviewPaneProps {
  review: TrustReview;
  texts: Texts;
}

/** Notes when the hook changes under the reader, so that nobody approves what they did not read. */
function useChangedWhileReading(hook: string, fingerprint: string): boolean {
  const first = useRef({ hook, fingerprint });
  const [changed, setChanged] = useState("");
  useEffect(() => {
    if (first.current.hook === hook && first.current.fingerprint !== fingerprint) setChanged(hook);
    first.current = { hook, fingerprint };
  }, [hook, fingerprint]);
  return changed === hook;
}

function Loaded(props: LoadedProps) {
  const { review, texts, rows, content, project } = props;
  const isNarrow = useMedia(NARROW);
  const isSlim = useMedia(SLIM);
  const [chosen, setChosen] = useState<Layout | null>(null);
  const layout = isSlim ? "unified" : (chosen ?? (isNarrow ? "unified" : "split"));
  const scroller = useRef<HTMLElement>(null);
  const reading = useReading(scroller, `${review.hook} ${review.fingerprint}`);
  const needsName = asksName(review);
  const isChanged = useChangedWhileReading(review.hook, review.fingerprint);
  useEffect(() => {
    if (reading !== "read") return;
    markRead(project, review.hook, { fingerprint: review.fingerprint, content, asksName: needsName });
  }, [reading, project, review.hook, review.fingerprint, content, needsName]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another hook is read from its begin
  useEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
  }, [review.hook]);
  const before = <BeforeYouDecide review={review} rows={rows} approvedAt={texts.at} project={project} />;
  const decide = <Decide {...props} reading={reading} scroller={scroller} />;
  return (
    <>
      <Pane label={t("review.pane")}>
        <Head {...props} layout={layout} onLayout={isSlim ? undefined : setChosen} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys */}
        <section ref={scroller} className="pane-body scroll" aria-label={t("review.texts")} data-focus tabIndex={0}>
          <div key={review.hook}>
            {isChanged ? (
              <Note kind="warning" className="flat">
                {t("trust.gone")}
              </Note>
            ) : null}
            <First review={review} />
            <ReviewTexts review={review} texts={texts} project={project} layout={layout} />
            <NamedWords review={review} />
            {isNarrow ? before : <p className="p-4 text-center text-tiny dim">{t("review.end")}</p>}
          </div>
        </section>
        {isNarrow ? <div className="flex flex-col gap-2 flex-none p-3 border-t border-line-2">{decide}</div> : null}
      </Pane>
      {isNarrow ? null : (
        <SizedPane id="trust.side" label={t("review.before")} width={272} min={240} max={420} split="left">
          <div className="pane-head strong-line h-bar">
            <h2>{t(review.trusted ? "review.about" : "review.before")}</h2>
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys */}
          <div className="pane-body scroll" tabIndex={0}>
            {before}
          </div>
          <div className="flex flex-col gap-2 flex-none p-3 border-t border-line-2">{decide}</div>
        </SizedPane>
      )}
    </>
  );
}

interface HeadProps extends LoadedProps {
  layout: Layout;
  onLayout: ((layout: Layout) => void) | undefined;
}

function Head({ review, texts, rows, project, place, onStep, layout, onLayout }: HeadProps) {
  const name = oneLine(review.label, 80);
  const waits = !review.trusted && !review.denied;
  const held = useHeldBack(project, waits ? rows[0] : undefined, review.event);
  const changed = review.old !== null && !review.trusted;
  const stats = useCall("stats", { project, since_ms: EVER_MS }, { enabled: !changed && !review.trusted });
  const own = stats.data?.hooks.filter((one) => one.hook === review.hook);
  const ran = own?.some((one) => runsOf(one.outcomes) > 0);
  return (
    <div className="flex items-start gap-3 flex-none py-3 px-4 border-b border-line-2 [&_h2+p]:mt-0.5 max-paired:flex-wrap max-paired:py-2 max-paired:px-3 max-paired:[&>.grow]:basis-[60%]">
      <span className={review.trusted ? "ink-allow" : review.denied ? "ink-deny" : "ink-late"}>
        <Icon of={review.trusted ? ShieldCheck : review.denied ? ShieldX : ShieldQuestionMark} size={20} />
      </span>
      <div className="grow">
        <h2 className="title-text wrap">
          {review.trusted ? name : t(changed ? "trust.changedTitle" : "trust.title", { hook: name })}
        </h2>
        <p className="text-small ink-2">
          {joinSentences(
            review.denied
              ? t("review.deniedSince")
              : review.trusted
                ? t("review.approvedSince", { at: texts.at === null ? t("none") : dateTime(texts.at) })
                : changed
                  ? t("trust.changedIntro", { event: review.event })
                  : t("trust.intro", { project: baseName(project), event: review.event }),
            review.old?.reason === "rules_changed" && t("review.rulesChanged"),
            !changed && !review.trusted && ran !== undefined && t(ran ? "trust.ranBefore" : "trust.neverRan"),
            held,
          )}
        </p>
      </div>
      <div className="flex items-center gap-1 flex-none [&>.segmented]:mr-2">
        {onLayout && texts.at !== null ? (
          <Segmented<Layout>
            label={t("review.layout.label")}
            value={layout}
            onChange={onLayout}
            items={[
              { value: "split", label: t("review.layout.split") },
              { value: "unified", label: t("review.layout.unified") },
            ]}
          />
        ) : null}
        <span className="text-tiny dim nowrap">{t("review.place", place)}</span>
        <StepButtons of="row" onStep={onStep} />
      </div>
    </div>
  );
}

/** What the engine says before anything else, such as which hook an approval replaces. */
function First({ review }: { review: TrustReview }) {
  if (review.first.length === 0) return null;
  return (
    <Note kind="warning" className="flat">
      {review.first.map((one) => (
        <span key={one.why} className="block">
          <InlineCode text={say(one, one.why)} />
        </span>
      ))}
    </Note>
  );
}

interface DecideProps extends LoadedProps {
  reading: Reading;
  scroller: RefObject<HTMLElement | null>;
}

function Decide(props: DecideProps) {
  const { review, project, reading, scroller, busy, notice, onSkip, onApprove, onDeny, onRevoke } = props;
  const read = reading === "read";
  // A button that is pressed to read on must not become the one that approves before the texts are there.
  const waits = busy || reading === "drawn";
  const readOn = () => {
    const element = scroller.current;
    element?.scrollBy({ top: element.clientHeight * READ_ON, behavior: "instant" });
  };
  const decided = review.trusted || review.denied;
  const approve = read ? () => onApprove(review) : readOn;
  useScreenActions({
    "review.approve": decided || waits ? null : approve,
    "review.deny": decided || busy ? null : () => onDeny(review),
    "review.skip": onSkip ?? null,
  });
  if (decided) {
    return (
      <>
        {notice}
        <Button icon={review.denied ? RotateCcw : ShieldOff} busy={busy} onClick={() => onRevoke(review)}>
          {t(review.denied ? "review.reviewAgain" : "hooks.drawer.revoke")}
        </Button>
        {review.denied ? <TurnOff {...props} /> : null}
      </>
    );
  }
  return (
    <>
      {notice}
      <Button kind="danger" icon={ShieldX} action="review.deny" busy={busy} onClick={() => onDeny(review)}>
        {t("review.deny")}
      </Button>
      <div className="flex gap-2">
        <Button
          kind={read ? "primary" : "default"}
          grow
          icon={read ? ShieldCheck : ArrowDown}
          action="review.approve"
          busy={waits}
          onClick={approve}
        >
          {t(read ? "trust.approve" : "review.readOn")}
        </Button>
        {onSkip ? (
          <Button icon={SkipForward} action="review.skip" onClick={onSkip}>
            {t("review.skip")}
          </Button>
        ) : null}
      </div>
      {review.agent === null ? null : <AlwaysAllow program={review.agent} project={project} />}
      <TurnOff {...props} />
      <p className="text-tiny dim">
        {t(read ? (asksName(review) ? "review.asksName" : "review.asksOnce") : "review.readAll")}
      </p>
    </>
  );
}

/** Denying blocks the hook here. An agent that reads the file itself could still run it, so it can be turned off too. */
function TurnOff({ rows, busy, onTurnOff }: DecideProps) {
  const dialects = useDialects();
  const [row] = rows;
  const dialect = dialects.find((one) => one.id === row?.dialect);
  if (row === undefined || !isEditable(row, dialect)) return null;
  const agent = dialect?.name ?? row.dialect;
  return (
    <>
      <Button kind="ghost" icon={PowerOff} busy={busy} onClick={() => onTurnOff(row)}>
        {t("hooks.edit.turnOff", { agent })}
      </Button>
      <p className="text-tiny dim">{t("review.turnOffWhy", { agent })}</p>
    </>
  );
}
