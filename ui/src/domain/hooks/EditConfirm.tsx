/**
 * What every edit is confirmed with: the exact difference before anything is written, why the engine refused it, and the two
 * buttons. It is the content of a `Sheet`.
 */
import { type LucideIcon, Wrench } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { Button, FaultNote, InlineCode, Note, Sheet, Skeleton } from "@/components";
import { t } from "@/i18n";
import { say } from "@/i18n/messages";
import { type Fault, type HookRow, type Params, type Problem, useCommand } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { STALE_BY_EDIT } from "../edits/undo";
import type { EditDone } from "./afterEdit";
import { EditDiff } from "./EditDiff";
import { ProblemList } from "./ProblemList";
import { Refusal } from "./Refusal";

/** What the engine says an edit would do. */
export interface EditPreview {
  doc: EditDone | null;
  fault: Fault | null;
  retry?: () => void;
}

interface EditConfirmProps {
  project: string;
  preview: EditPreview;
  /** Those that the sentences of problems may name. */
  hooks: readonly HookRow[];
  /** The problems to show; all that the preview has, unless told. */
  problems?: readonly Problem[];
  /** What the difference is of, for a screen reader while it is awaited. */
  what: string;
  /** What is filled in beside the difference; the edit is made when it is complete. */
  form?: ReactNode;
  /** In place of the difference where nothing can be asked for. */
  nothing?: string | undefined;
  /** The difference is of an older form. */
  waiting?: boolean;
  /** Between the difference and the buttons. */
  children?: ReactNode;
  /** Why the engine refused the edit itself. */
  fault: Fault | null;
  busy: boolean;
  icon: LucideIcon;
  safeLabel: string;
  doLabel: string;
  onClose: () => void;
  onDo: () => void;
}

type Confirmed = "edit.change" | "edit.fix" | "edit.save";

/** Asks once what the edit would change, and makes it. */
export function useConfirmedEdit<M extends Confirmed>(method: M, request: Params<M>, onDone: (doc: EditDone) => void) {
  const dryRun = useCommand(method);
  const editing = useCommand(method, { stale: STALE_BY_EDIT, onSuccess: onDone });
  const ask = useRef(() => dryRun.mutate({ ...request, dry_run: true }));
  useEffect(() => ask.current(), []);
  const preview: EditPreview = {
    doc: dryRun.data ?? null,
    fault: dryRun.error,
    retry: () => ask.current(),
  };
  return { preview, fault: editing.error, busy: editing.isPending, onDo: () => editing.mutate(request) };
}

interface EditSheetProps<M extends Confirmed> {
  method: M;
  request: Params<M>;
  title: string;
  project: string;
  hooks: readonly HookRow[];
  onDone: (doc: EditDone) => void;
  onClose: () => void;
  /** Between the difference and the buttons. */
  children?: ReactNode;
}

/** A fix in a dialog of its own: its exact change first, then the edit. */
export function EditSheet<M extends Confirmed>(props: EditSheetProps<M>) {
  const { method, request, title, project, hooks, onDone, onClose, children } = props;
  const edit = useConfirmedEdit(method, request, (doc) => {
    onDone(doc);
    onClose();
  });
  return (
    <Sheet open wide title={title} onClose={onClose}>
      <EditConfirm
        {...edit}
        project={project}
        hooks={hooks}
        what={title}
        icon={Wrench}
        safeLabel={t("cancel")}
        doLabel={t("fix.apply")}
        onClose={onClose}
      >
        {children}
      </EditConfirm>
    </Sheet>
  );
}

export function EditConfirm(props: EditConfirmProps) {
  const { preview, form, waiting, fault, busy, onClose, onDo } = props;
  const all = preview.doc?.notices ?? [];
  // A notice of a hook says on the command line how to review it.
  const notices = all.filter(({ hook }) => hook === null);
  const waitingHooks = all.length - notices.length;
  const isReady = preview.doc !== null && !waiting;
  const edit = () => {
    if (isReady && !busy) onDo();
  };
  useScreenActions({ "text.confirmSave": edit });
  const hasForm = form !== undefined;
  return (
    <>
      {hasForm ? (
        <div className="flex-1 min-h-0 grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] max-paired:block max-paired:overflow-auto">
          {form}
          <section
            className="flex flex-col min-h-0 border-l border-line-2 bg-code max-paired:border-l-0 max-paired:border-t max-paired:border-t-line-2"
            aria-label={props.what}
            aria-busy={waiting}
          >
            <div className="pane-head">
              <h3>{props.what}</h3>
              <span className="spacer" />
              {waiting && !props.nothing ? <span className="text-tiny dim">{t("editor.checking")}</span> : null}
            </div>
            <Difference {...props} unified />
          </section>
        </div>
      ) : (
        <Difference {...props} />
      )}
      {props.children}
      {fault ? <Refusal fault={fault} /> : null}
      {notices.map((notice) => (
        <Note key={notice.text} kind="warning" className="flat">
          <InlineCode text={say(notice, notice.text)} />
        </Note>
      ))}
      {waitingHooks === 0 ? null : (
        <Note kind="warning" className="flat">
          {t("editor.runsAfterReview", { count: waitingHooks })}
        </Note>
      )}
      <div className="dialog-foot pt-3 border-t border-t-line-2">
        <Button onClick={onClose}>{props.safeLabel}</Button>
        <Button
          kind="primary"
          icon={props.icon}
          action="text.confirmSave"
          data-focus={hasForm ? undefined : true}
          busy={busy}
          disabledBecause={isReady ? null : t(hasForm ? "newHook.notReady" : "editor.noDifferenceYet")}
          onClick={edit}
        >
          {props.doLabel}
        </Button>
      </div>
    </>
  );
}

function Difference({ unified, ...props }: EditConfirmProps & { unified?: boolean }) {
  const { preview, nothing, what, project, hooks } = props;
  const { doc, fault, retry } = preview;
  const problems = props.problems ?? doc?.problems ?? [];
  return (
    <>
      <div className="pane-body scroll bg-code">
        {nothing ? (
          <p className="pad text-small dim">{nothing}</p>
        ) : fault !== null ? (
          // The same text meets the same change again.
          <FaultNote fault={fault} onRetry={fault.code === "edit_file_changed" ? undefined : retry} />
        ) : doc === null ? (
          <Skeleton what={what} height={20} />
        ) : (
          <EditDiff changes={doc.changes} project={project} unified={unified} />
        )}
      </div>
      {problems.length > 0 && !nothing && fault === null ? (
        <div className="flex-none max-h-[30%] border-t border-t-line-2 scroll">
          <ProblemList problems={problems} hooks={hooks} />
        </div>
      ) : null}
    </>
  );
}
