/** What was approved beside what is there now: the definition, what it inherits, and every covered file. */
import { ChevronRight, FileCode, FileText } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type CodeLanguage, CodePane, Diff, Icon, Note } from "@/components";
import { scriptLanguage } from "@/domain/trust/scriptLanguage";
import { t } from "@/i18n";
import { bytes } from "@/i18n/format";
import type { Reply, TrustReview } from "@/ipc";
import { prettyText } from "@/lib/jsonText";
import { baseName, shortHash, shortPath } from "@/lib/names";
import { RestoreText } from "./RestoreText";

export type Texts = Reply<"trust.texts">;
export type FilePair = Texts["files"][number];
export type Layout = "split" | "unified";

interface ReviewTextsProps {
  review: TrustReview;
  texts: Texts;
  project: string;
  layout: Layout;
}

export function ReviewTexts({ review, texts, project, layout }: ReviewTextsProps) {
  const { definition, inherited } = texts;
  return (
    <>
      <PairSection
        title={t("trust.definition")}
        before={definition.approved === null ? null : prettyText(definition.approved)}
        now={prettyText(review.definition)}
        layout={layout}
      />
      {review.inherited === "" && (inherited.approved ?? "") === "" ? null : (
        <PairSection
          title={t("trust.inherited")}
          before={inherited.approved === null ? null : prettyText(inherited.approved)}
          now={prettyText(review.inherited)}
          layout={layout}
        />
      )}
      <p className="py-3 px-4 border-t border-line-1 text-small ink-2">
        {review.files.length === 0 ? t("trust.noFiles") : t("trust.namedFiles", { count: review.files.length })}
      </p>
      {texts.files.map((pair) => (
        <FileSection
          key={pair.path}
          pair={pair}
          review={review}
          hasApproval={texts.at !== null}
          project={project}
          layout={layout}
        />
      ))}
    </>
  );
}

type State = "first" | "new" | "changed" | "same" | "gone";

const STATE_WORDS = {
  new: "trust.fileNew",
  changed: "trust.fileChanged",
  same: "trust.fileSame",
  gone: "trust.fileGone",
} as const;

function stateOf(hasApproval: boolean, approved: boolean, present: boolean, changed: boolean): State {
  if (!hasApproval) return "first";
  if (!present) return "gone";
  if (!approved) return "new";
  return changed ? "changed" : "same";
}

interface SectionProps {
  icon: typeof FileText;
  title: ReactNode;
  label: string;
  state: State;
  side?: ReactNode;
  /** What was approved as it is needs no reading again. */
  folded?: boolean;
  children: ReactNode;
}

function Section({ icon, title, label, state, side, folded = false, children }: SectionProps) {
  const [opened, setOpened] = useState(false);
  // What is not folded cannot be hidden, whatever it was before.
  const open = !folded || opened;
  const chip =
    state === "first" ? null : (
      <span className={state === "same" ? "chip line" : "chip line text-late inset-ring inset-ring-late"}>
        {t(STATE_WORDS[state])}
      </span>
    );
  return (
    <section aria-label={label}>
      <div className="pane-head px-4 bg-2 border-t border-t-line-2 sticky top-0 z-2 [section:first-child>&]:border-t-0 [&_h3]:font-medium [&_h3]:text-sm [&_h3]:text-ink-1">
        <Icon of={icon} size={14} className="dim" />
        <h3 className="trunc">{title}</h3>
        {chip}
        <span className="spacer" />
        {side}
        {folded ? (
          <button type="button" className="button ghost small" aria-expanded={open} onClick={() => setOpened(!opened)}>
            <Icon of={ChevronRight} size={12} className={open ? "rotate-90" : undefined} />
            {t(open ? "review.hideText" : "review.showText")}
          </button>
        ) : null}
      </div>
      {open ? children : null}
    </section>
  );
}

interface PairSectionProps {
  title: string;
  /** Null where nothing was approved. */
  before: string | null;
  now: string;
  layout: Layout;
}

function PairSection({ title, before, now, layout }: PairSectionProps) {
  const changed = before !== null && before !== now;
  return (
    <Section
      icon={FileText}
      title={title}
      label={title}
      state={before === null ? "first" : changed ? "changed" : "same"}
    >
      {changed ? (
        <SideBySide label={title} before={before} now={now} layout={layout} />
      ) : (
        <CodePane grow label={title} value={withoutLastBreak(now)} language={/^[[{]/.test(now) ? "json" : "yaml"} />
      )}
    </Section>
  );
}

/** The end of the last line begins no further one, as in a difference. */
function withoutLastBreak(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

/** Both texts. Where they stand beside each other, the columns have heads. */
function SideBySide({ label, before, now, layout }: { label: string; before: string; now: string; layout: Layout }) {
  return (
    <>
      {layout === "split" ? (
        <div
          className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] bg-code pt-1 [&>span]:px-3 text-tiny dim"
          aria-hidden="true"
        >
          <span>{t("review.approvedText")}</span>
          <span>{t("review.presentText")}</span>
        </div>
      ) : null}
      <Diff label={label} before={before} after={now} mode={layout} />
    </>
  );
}

interface FileSectionProps {
  pair: FilePair;
  review: TrustReview;
  hasApproval: boolean;
  project: string;
  layout: Layout;
}

function FileSection({ pair, review, hasApproval, project, layout }: FileSectionProps) {
  // What is approved is what the fingerprint was made of.
  const present = review.files.find((file) => file.path === pair.path);
  const hash = present?.hash ?? pair.approved?.hash ?? "";
  const state = stateOf(
    hasApproval,
    pair.approved !== null,
    present !== undefined,
    pair.approved?.hash !== present?.hash,
  );
  return (
    <Section
      icon={FileCode}
      title={<span className="mono">{shortPath(pair.path, project)}</span>}
      label={baseName(pair.path)}
      state={state}
      folded={state === "same" || state === "gone"}
      side={
        <>
          <span className="mono text-tiny dim nowrap">
            {present === undefined ? shortHash(hash) : `${bytes(present.size)} · ${shortHash(hash)}`}
          </span>
          {state === "changed" ? <RestoreText pair={pair} hook={review.hook} project={project} /> : null}
        </>
      }
    >
      <FileBody pair={pair} present={present} state={state} layout={layout} />
    </Section>
  );
}

interface FileBodyProps {
  pair: FilePair;
  present: TrustReview["files"][number] | undefined;
  state: State;
  layout: Layout;
}

function FileBody({ pair, present, state, layout }: FileBodyProps) {
  const label = baseName(pair.path);
  const approved = pair.approved?.text ?? null;
  const code = (text: string) =>
    text === "" ? (
      <p className="pad-16 text-small dim">{t("trust.empty")}</p>
    ) : (
      <CodePane grow label={label} value={withoutLastBreak(text)} language={languageOf(pair.path, text)} />
    );
  if (state === "gone") {
    return approved === null ? <Missing side="approved" why={pair.approved?.missing ?? "not_kept"} /> : code(approved);
  }
  if (present === undefined || present.text === null) {
    return <Missing side="present" why={pair.present?.missing ?? "not_text"} />;
  }
  if (state !== "changed") return code(present.text);
  if (approved !== null) return <SideBySide label={label} before={approved} now={present.text} layout={layout} />;
  return (
    <>
      <Missing side="approved" why={pair.approved?.missing ?? "not_kept"} />
      {code(present.text)}
    </>
  );
}

type Why = NonNullable<NonNullable<FilePair["present"]>["missing"]>;

/** Why a text cannot be shown. */
function Missing({ side, why }: { side: "approved" | "present"; why: Why }) {
  return (
    <Note kind={side === "present" ? "warning" : "plain"} className="flat">
      {t(`review.missing.${side}.${why}`)}
    </Note>
  );
}

function languageOf(path: string, text: string): CodeLanguage {
  return scriptLanguage(path.replace(/#scripts$/, ""), text);
}
