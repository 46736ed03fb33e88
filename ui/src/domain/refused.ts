/** Why the engine refused something, and what to do next, in a toast. */
import { useCallback } from "react";
import { toast } from "@/components";
import { useMessages } from "@/i18n/messages";
import { asFault } from "@/ipc";

/** Says it of a `Fault`, or of anything else that was thrown. */
export function useRefused(): (thrown: unknown) => void {
  const { fault } = useMessages();
  return useCallback(
    (thrown) => {
      const { message, hint } = fault(asFault(thrown));
      toast([message, hint].filter(Boolean).join(" · "), null, "error");
    },
    [fault],
  );
}
