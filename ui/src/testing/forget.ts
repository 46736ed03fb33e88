/** What the interface keeps outside of its components, as it is in a window that was just opened. */
import type { StoreApi } from "zustand";
import { useKnownDiffs } from "@/domain/edits/diffs";
import { useNewHook } from "@/domain/newHook/newHook";
import { useFolderDialog } from "@/domain/openProject";
import { usePlaces } from "@/domain/places";
import { forgetRuns } from "@/domain/running/runs";
import { clearMarks } from "@/domain/trace/marks";
import { useListPlace } from "@/features/history/place";
import { useDrafts } from "@/features/hooks/source/drafts";
import { forgetReadTexts } from "@/features/trust/readTexts";
import { useUnsaved } from "@/lib/unsaved";
import { useView } from "@/lib/view";
import { useConnection } from "@/live/connection";
import { clearLiveRows } from "@/live/rows";

function begin<S>(store: Pick<StoreApi<S>, "getInitialState" | "setState">): void {
  store.setState(store.getInitialState(), true);
}

/** All test files share one page: what a test left must not be what the next one begins with. */
export function forgetAll(): void {
  begin(useConnection);
  begin(useDrafts);
  begin(useFolderDialog);
  begin(useKnownDiffs);
  begin(useListPlace);
  begin(useNewHook);
  begin(usePlaces);
  begin(useUnsaved);
  begin(useView);
  clearLiveRows();
  clearMarks();
  forgetReadTexts();
  forgetRuns();
}
