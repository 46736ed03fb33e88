/**
 * What the engine notifies of, as toasts: a guard that failed open, a hook over its budget, a new hook that waits for
 * approval, a program that joined a session. The engine decides what is said and how often; here is only how it looks and where it leads.
 */
import { type ToastKind, toast } from "@/components";
import { t } from "@/i18n";
import { say } from "@/i18n/messages";
import type { NoticeReason, PushOf } from "@/ipc";
import { capitalizeFirst } from "@/lib/escape";
import { baseName } from "@/lib/names";
import { useView } from "@/lib/view";

const KINDS: Record<NoticeReason, ToastKind> = {
  failed_open: "error",
  over_budget: "warning",
  waits_for_approval: "info",
  session_joined: "warning",
};
/** Where a notice without a place of its own leads: it is about a file. */
const PROBLEMS = "/hooks?view=problems";

/** Opens a place of another process's choice, in its project. */
export function goTo(
  { to, project }: { to: string | null; project: string | null },
  open: (address: string) => void,
): void {
  if (project !== null) useView.getState().setProject(project);
  open(to ?? PROBLEMS);
}

/** Shows a notice of the engine as a toast that leads to its place. Names its project where another one is `shown`. */
export function showNotice(
  notice: PushOf<"notice">,
  open: (address: string) => void,
  shown: string | null | undefined,
): void {
  const { reason, text, project } = notice;
  const said = capitalizeFirst(say(notice, text));
  const sentence = reason === null ? said : t("shell.noticeSentence", { sentence: said });
  toast(
    project === null || project === shown ? sentence : t("shell.noticeIn", { project: baseName(project), sentence }),
    { label: t("open"), run: () => goTo(notice, open) },
    reason === null ? "warning" : KINDS[reason],
  );
}
