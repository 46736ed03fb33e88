/** What undoing an edit would change. Nothing is written for it. */
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { call, type Fault, type Reply } from "@/ipc";
import type { StoredEdit } from "./editList";

export type UndoDiff = UseQueryResult<Reply<"edit.undo">, Fault>;

/**
 * Asked again whenever the list of edits is: its key begins like that of the list. It is never given up: one that was passed
 * by stays known for when it is chosen again, and React, which mounts twice in development, would ask twice.
 */
export function useUndoDiff(edit: StoredEdit, project: string | null, enabled: boolean): UndoDiff {
  const through = edit.in_project ? edit.project : (project ?? edit.project);
  return useQuery<Reply<"edit.undo">, Fault>({
    queryKey: ["edit.list", { project: through, undo: edit.edit }, "difference"],
    queryFn: () => call("edit.undo", { project: through, undo: edit.edit, dry_run: true }),
    enabled,
  });
}
