/** The stored edits, page after page, and which of them Undo and Redo act on. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { call, type Fault, type Reply } from "@/ipc";

type Page = Reply<"edit.list">;
export type StoredEdit = Page["edits"][number];

const PAGE_EDITS = 50;

export interface EditList {
  edits: readonly StoredEdit[];
  problems: Page["problems"];
  loading: boolean;
  fault: Fault | null;
  retry: () => void;
  more: () => void;
}

/** The edits of this project's files and of the user's own; of all files without a project. */
export function useEditList(project: string | null): EditList {
  const key = ["edit.list", { project }, "pages"] as const;
  const query = useInfiniteQuery<Page, Fault, { pages: Page[] }, typeof key, string | null>({
    queryKey: key,
    queryFn: ({ pageParam }) => call("edit.list", { project, after: pageParam, limit: PAGE_EDITS }),
    initialPageParam: null,
    getNextPageParam: (last) => last.next,
  });
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const pages = query.data?.pages;
  const edits = (pages ?? []).flatMap((page) => page.edits);
  return {
    edits,
    problems: pages?.[0]?.problems ?? [],
    loading: query.isPending,
    fault: query.error,
    retry: () => void query.refetch(),
    more: () => {
      if (hasNextPage && !isFetching) void fetchNextPage();
    },
  };
}

/** The newest edit that is not undone and can be. */
export function editToUndo(edits: readonly StoredEdit[]): StoredEdit | undefined {
  return edits.find((edit) => edit.what !== "undo" && !edit.undone && edit.can_undo);
}

/** The newest undo, unless something else was edited since. */
export function undoToRedo(edits: readonly StoredEdit[]): StoredEdit | undefined {
  const newest = edits.find((edit) => edit.what !== "undo" || !edit.undone);
  return newest?.what === "undo" && newest.can_undo ? newest : undefined;
}

/** The newest edits, asked for now. */
export async function newestEdits(project: string | null): Promise<readonly StoredEdit[]> {
  return (await call("edit.list", { project, limit: PAGE_EDITS })).edits;
}
