/**
 * What the engine notifies of, as toasts: a guard that failed open, a hook over its budget, a new hook that waits for
 * approval, a program that joined a session. The engine decides what is said and how often; here is only how it looks and where it leads.
 */
import { type ToastKind, toast } from "@/components";
import { isProgram } from "@/domain/trust/agentPrograms";
import { t } from "@/i18n";
import { say } from "@/i18n/messages";
import { call, type NoticeReason, type PushOf } from "@/ipc";
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

/**
 * What a notice says; null where it no longer holds. The engine counts the hooks that began to wait since its last notice,
 * of which some may be decided and others may have waited before. What is said is how many wait now, as Trust lists them.
 */
async function textOf(notice: PushOf<"notice">): Promise<string | null> {
  const { reason, args, project, text } = notice;
  if (reason !== "waits_for_approval" || args.case !== "many" || project === null) return say(notice, text);
  const { pending } = await call("trust.list", { project });
  const waiting = new Set(pending.filter((item) => !isProgram(item)).map(({ hook }) => hook));
  return waiting.size === 0 ? null : t("overviewParts.needs.waiting", { count: waiting.size });
}

/** Shows a notice of the engine as a toast that leads to its place. Names its project where another one is `shown`. */
export async function showNotice(
  notice: PushOf<"notice">,
  open: (address: string) => void,
  shown: string | null | undefined,
): Promise<void> {
  const { reason, project } = notice;
  const text = await textOf(notice);
  if (text === null) return;
  const said = capitalizeFirst(text);
  const sentence = reason === null ? said : t("shell.noticeSentence", { sentence: said });
  toast(
    project === null || project === shown ? sentence : t("shell.noticeIn", { project: baseName(project), sentence }),
    { label: t("open"), run: () => goTo(notice, open) },
    reason === null ? "warning" : KINDS[reason],
  );
}
