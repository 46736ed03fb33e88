/** The review of one hook: definition and every named file in full, what is not covered, and two ways to decide. */
import { ShieldCheck, ShieldQuestionMark } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import {
  Button,
  CodePane,
  Confirm,
  Diff,
  FaultNote,
  Icon,
  InlineCode,
  Note,
  Sheet,
  Skeleton,
  toast,
} from "@/components";
import { runsOf } from "@/components/chart";
import { useFormats } from "@/i18n/format";
import { useMessages } from "@/i18n/messages";
import { type TrustReview, useCall, useCommand } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { oneLine } from "@/lib/escape";
import { baseName, shortHash, shortPath } from "@/lib/names";
import { prettyText } from "@/lib/pretty";
import { scriptLanguage } from "./scriptLanguage";
import "./review.css";

interface ReviewProps {
  project: string;
  hook: string;
  /** Ids of all hooks that wait, in order. */
  waiting: readonly string[];
  onNext: (hook: string) => void;
  onClose: () => void;
}

/** As far back as the history goes. */
const EVER_MS = 100 * 365 * 86_400_000;
/** The engine's sentence for what this page says of every hook. */
const SAID_ALREADY = "starts_others";

export default function Review({ project, hook, waiting, onNext, onClose }: ReviewProps) {
  const { t } = useTranslation();
  const review = useCall("trust.review", { project, hook });
  const title = review.data ? t("trust.title", { hook: oneLine(review.data.label, 80) }) : t("hooks.drawer.review");
  return (
    <Sheet
      open
      wide
      title={title}
      head={review.data ? <Head review={review.data} project={project} /> : undefined}
      onClose={onClose}
    >
      {review.error !== null ? (
        <FaultNote fault={review.error} onRetry={() => void review.refetch()} />
      ) : review.data === undefined ? (
        <Skeleton what={t("hooks.drawer.review")} />
      ) : (
        <Body
          key={hook}
          review={review.data}
          project={project}
          next={waiting.find((other) => other !== hook)}
          onNext={onNext}
          onClose={onClose}
        />
      )}
    </Sheet>
  );
}

function Head({ review, project }: { review: TrustReview; project: string }) {
  const { t } = useTranslation();
  const changed = review.old !== null;
  const name = oneLine(review.label, 80);
  const stats = useCall("stats", { project, since_ms: EVER_MS });
  const own = stats.data?.hooks.filter((one) => one.hook === review.hook);
  const ran = own?.some((one) => runsOf(one.outcomes) > 0);
  return (
    <div
      className="row"
      style={{ alignItems: "flex-start", gap: 12, padding: "12px 16px", borderBottom: "1px solid var(--line-2)" }}
    >
      <span className="ink-late" style={{ marginTop: 2 }}>
        <Icon of={ShieldQuestionMark} size={20} />
      </span>
      <div className="grow">
        <p className="title-text wrap">{t(changed ? "trust.changedTitle" : "trust.title", { hook: name })}</p>
        <p className="text-small ink-2" style={{ marginTop: 2 }}>
          {changed
            ? t("trust.changedIntro", { event: review.event })
            : t("trust.intro", { project: baseName(project), event: review.event })}
          {changed || ran === undefined ? null : <> {t(ran ? "trust.ranBefore" : "trust.neverRan")}</>}
        </p>
      </div>
    </div>
  );
}

interface BodyProps {
  review: TrustReview;
  project: string;
  next: string | undefined;
  onNext: (hook: string) => void;
  onClose: () => void;
}

/** Notes when the hook changes under the reader, so that nobody approves what they did not read. */
function useChangedWhileReading(fingerprint: string): boolean {
  const first = useRef(fingerprint);
  const [changed, setChanged] = useState(false);
  useEffect(() => {
    if (fingerprint !== first.current) {
      first.current = fingerprint;
      setChanged(true);
    }
  }, [fingerprint]);
  return changed;
}

function Body({ review, project, next, onNext, onClose }: BodyProps) {
  const { t } = useTranslation();
  const say = useMessages();
  const [asking, setAsking] = useState(false);
  const gone = useChangedWhileReading(review.fingerprint);
  const keep = useRef<HTMLButtonElement>(null);
  const revoke = useCommand("trust.revoke", { stale: ["trust", "hooks", "state"] });
  const approve = useCommand("trust.approve", {
    stale: ["trust", "hooks", "state"],
    onSuccess: () => {
      toast(t("trust.approved", { hook: oneLine(review.label, 60) }), {
        label: t("undo"),
        run: () => revoke.mutate({ project, hook: review.hook }),
      });
      if (next) onNext(next);
      else onClose();
    },
    onError: (fault) => {
      setAsking(false);
      toast(say.fault(fault).message, null, "error");
    },
  });
  useEffect(() => keep.current?.focus(), []);
  useScreenActions({ "review.approve": asking ? null : () => setAsking(true) });
  return (
    <>
      <div className="pane-body scroll">
        {gone ? (
          <div className="pad-16">
            <Note kind="warning">{t("trust.gone")}</Note>
          </div>
        ) : null}
        <First review={review} />
        <Definition review={review} />
        <Files review={review} project={project} />
        <NotCovered review={review} project={project} />
      </div>
      <div className="review-foot">
        <span className="grow text-tiny dim">
          {t("trust.fingerprint")} <span className="mono text-tiny">{shortHash(review.fingerprint)}</span>
        </span>
        <Button ref={keep} action="dialog.close" onClick={onClose}>
          {t("trust.keepBlocked")}
        </Button>
        <Button icon={ShieldCheck} action="review.approve" onClick={() => setAsking(true)}>
          {t(next ? "trust.approveAndNext" : "trust.approve")}
        </Button>
      </div>
      <Confirm
        open={asking}
        icon={ShieldQuestionMark}
        title={t("trust.confirm")}
        safeLabel={t("trust.keepBlocked")}
        doLabel={t("trust.confirmYes", { hook: oneLine(review.label, 32) })}
        busy={approve.isPending}
        onClose={() => setAsking(false)}
        onDo={() => approve.mutate({ project, hook: review.hook, fingerprint: review.fingerprint })}
      >
        <p>{t("trust.confirmText", { event: review.event })}</p>
      </Confirm>
    </>
  );
}

function First({ review }: { review: TrustReview }) {
  const { say } = useMessages();
  if (review.first.length === 0) return null;
  return (
    <div className="pad-16">
      <Note kind="warning">
        {review.first.map((one) => (
          <p key={one.why}>
            <InlineCode text={say(one, one.why)} />
          </p>
        ))}
      </Note>
    </div>
  );
}

function Definition({ review }: { review: TrustReview }) {
  const { t } = useTranslation();
  const now = prettyText(review.definition);
  const old = review.old ? prettyText(review.old.definition) : undefined;
  return (
    <section aria-label={t("trust.definition")}>
      <div className="pane-head review-head">
        <h2>{t("trust.definition")}</h2>
        {old !== undefined && old !== now ? (
          <span className="text-tiny dim">
            {t("trust.before")} → {t("trust.now")}
          </span>
        ) : null}
      </div>
      {old !== undefined && old !== now ? (
        <Diff label={t("trust.definition")} before={old} after={now} context={200} />
      ) : (
        <CodePane grow label={t("trust.definition")} value={now} language={/^[[{]/.test(now) ? "json" : "yaml"} />
      )}
      <Inherited review={review} />
    </section>
  );
}

/** What holds for the definition because of where it stands. */
function Inherited({ review }: { review: TrustReview }) {
  const { t } = useTranslation();
  const old = review.old?.inherited ?? review.inherited;
  if (review.inherited === "" && old === "") return null;
  const label = t("trust.inherited");
  return (
    <>
      <p className="pad-16 text-tiny dim">{label}</p>
      {old === review.inherited ? (
        <CodePane grow label={label} value={prettyText(review.inherited)} language="json" />
      ) : (
        <Diff label={label} before={prettyText(old)} after={prettyText(review.inherited)} context={200} />
      )}
    </>
  );
}

type FileState = "new" | "changed" | "same" | "first";

function fileState(review: TrustReview, path: string, hash: string): FileState {
  if (review.old === null) return "first";
  const before = review.old.files.find((file) => file.path === path);
  if (before === undefined) return "new";
  return before.hash === hash ? "same" : "changed";
}

/** The text as it was approved, where it was kept. */
function textBefore(review: TrustReview, path: string): string | null {
  return review.old?.files.find((file) => file.path === path)?.text ?? null;
}

function FileText({ file, before }: { file: TrustReview["files"][number]; before: string | null }) {
  const label = baseName(file.path);
  const now = file.text ?? "";
  return before === null ? (
    <CodePane grow label={label} value={now} language={scriptLanguage(file.path, now)} />
  ) : (
    <Diff label={label} before={before} after={now} context={200} />
  );
}

function Files({ review, project }: { review: TrustReview; project: string }) {
  const { t } = useTranslation();
  const { bytes } = useFormats();
  const gone = review.old?.files.filter((old) => !review.files.some((file) => file.path === old.path)) ?? [];
  return (
    <>
      <div className="pad-16 text-small ink-2">
        {review.files.length === 0 ? t("trust.noFiles") : t("trust.namedFiles", { count: review.files.length })}
      </div>
      {review.files.map((file) => {
        const state = fileState(review, file.path, file.hash);
        return (
          <section key={file.path} aria-label={baseName(file.path)}>
            <div className="pane-head review-head">
              <span className="mono trunc" title={file.path}>
                {shortPath(file.path, project)}
              </span>
              {state === "first" ? null : (
                <span className={state === "same" ? "chip line" : "chip line review-changed"}>
                  {t(state === "new" ? "trust.fileNew" : state === "changed" ? "trust.fileChanged" : "trust.fileSame")}
                </span>
              )}
              <span className="spacer" />
              <span className="mono text-tiny dim" title={file.hash}>
                {bytes(file.size)} · {shortHash(file.hash)}
              </span>
            </div>
            {file.text === null ? (
              <p className="pad-16 text-small dim">{t("trust.binary", { size: bytes(file.size) })}</p>
            ) : file.text === "" ? (
              <p className="pad-16 text-small dim">{t("trust.empty")}</p>
            ) : (
              <FileText file={file} before={state === "changed" ? textBefore(review, file.path) : null} />
            )}
          </section>
        );
      })}
      {gone.map((file) => (
        <p key={file.path} className="pad-16 text-small dim">
          <span className="mono">{shortPath(file.path, project)}</span> {t("trust.fileGone")}
        </p>
      ))}
    </>
  );
}

function NotCovered({ review, project }: { review: TrustReview; project: string }) {
  const { t } = useTranslation();
  const { say } = useMessages();
  const named = (file: string) => {
    const path = shortPath(file, project);
    return review.data_changed.includes(file) ? t("trust.dataChanged", { path }) : path;
  };
  const further = review.not_covered.filter((one) => one.code !== SAID_ALREADY);
  return (
    <div className="pad-16 column" style={{ gap: 8 }}>
      <Note lead={t("trust.coversTitle")}>
        {t("trust.covers")} {t("trust.kept")}
      </Note>
      {review.data.length > 0 ? (
        <Note lead={t("trust.dataTitle", { count: review.data.length })}>
          <span className="mono">{review.data.map(named).join(", ")}</span>
        </Note>
      ) : null}
      <Note kind="warning" lead={t("trust.notCoveredTitle")}>
        {t("trust.notCovered")}
        {further.length > 0 ? (
          <ul style={{ marginTop: 4 }}>
            {further.map((one) => (
              <li key={one.why}>
                <InlineCode text={say(one, one.why)} />
              </li>
            ))}
          </ul>
        ) : null}
      </Note>
    </div>
  );
}
