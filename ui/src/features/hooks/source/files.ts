/** The files that a hook consists of: the one with its definition, and those that the definition refers to. */
import { type HookRow, useCall } from "@/ipc";
import { draftKey, isDirty, useDrafts } from "./drafts";

/** The definition's file comes first; it is all that is known before the engine answers. */
export function useHookFiles(project: string, hook: HookRow | undefined): readonly string[] {
  const request = { project, hook: hook?.hook ?? "" };
  const files = useCall("hooks.files", request, { enabled: hook !== undefined });
  if (hook === undefined) return NONE;
  const others = (files.data?.files ?? NONE).filter((path) => path !== hook.path);
  return [hook.path, ...others];
}

const NONE: readonly string[] = [];

/** Those of a hook's files that are being edited, and whether one has unsaved changes. */
export function useEditedFiles(project: string, hook: HookRow | undefined): { edited: string[]; dirty: boolean } {
  const paths = useHookFiles(project, hook);
  const drafts = useDrafts((store) => store.drafts);
  const edited = paths.filter((path) => drafts[draftKey(project, path)] !== undefined);
  return { edited, dirty: edited.some((path) => isDirty(drafts[draftKey(project, path)])) };
}
