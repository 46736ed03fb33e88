import type { Trace } from "@/ipc";

/** The notices that say how far a verdict can be relied on. They stand before it. */
export const isAboutFiles = (notice: Trace["notices"][number]) =>
  notice.code === "last_good" || notice.code === "hooks_lost";

/** Whether hooks are lost, so that nobody knows whether one is defined. */
export const losesHooks = (notices: readonly Trace["notices"][number][]) =>
  notices.some((notice) => notice.code === "hooks_lost");

/** The notices that nothing else on the screen says: the deciding hook's words stand in the verdict already. */
export function noticesToShow(trace: Trace): Trace["notices"] {
  return trace.notices.filter((notice) =>
    notice.kind === "warning" ? notice.code !== "untrusted_skipped" : notice.hook !== trace.verdict.by,
  );
}
