import type { Trace } from "@/ipc";

/** The notices that nothing else on the screen says: the deciding hook's words stand in the verdict already. */
export function noticesToShow(trace: Trace): Trace["notices"] {
  return trace.notices.filter((notice) =>
    notice.kind === "warning" ? notice.code !== "untrusted_skipped" : notice.hook !== trace.verdict.by,
  );
}
