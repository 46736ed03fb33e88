/** The files that define a hook: the one it is in, and the one that its definition refers to. */
import type { HookRow } from "@/ipc";
import { type Draft, draftKey, isDirty, useDrafts } from "./drafts";

const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/])[^\n]+$/;

/** The text beside a definition: the script of a folder, or the file of an inserted text. */
function referredFile(hook: HookRow): string | null {
  if (hook.handler === "script" && hook.runs !== null && ABSOLUTE.test(hook.runs)) return hook.runs;
  const { definition } = hook;
  if (typeof definition !== "object" || definition === null || !("file" in definition)) return null;
  const { file } = definition;
  if (typeof file !== "string" || file === "") return null;
  return hook.path.replace(/[^\\/]*$/, "") + file;
}

export function filesOf(hook: HookRow): string[] {
  const referred = referredFile(hook);
  return referred === null || referred === hook.path ? [hook.path] : [hook.path, referred];
}

const NONE: readonly string[] = [];

/** Whether one of a hook's files is being edited, and whether that has unsaved changes. */
export function useEditedFiles(project: string, hook: HookRow | undefined): { editing: boolean; dirty: boolean } {
  const paths = hook === undefined ? NONE : filesOf(hook);
  const of = (drafts: Readonly<Record<string, Draft>>) =>
    paths.flatMap((path) => drafts[draftKey(project, path)] ?? []);
  const editing = useDrafts(({ drafts }) => of(drafts).length > 0);
  const dirty = useDrafts(({ drafts }) => of(drafts).some(isDirty));
  return { editing, dirty };
}
