/** Why the engine refused something, and what to do next, in a toast. */
import { toast } from "@/components";
import { faultText } from "@/i18n/messages";
import { asFault } from "@/ipc";

/** Says it of a `Fault`, or of anything else that was thrown. */
export function toastFault(thrown: unknown): void {
  const { message, hint } = faultText(asFault(thrown));
  toast([message, hint].filter(Boolean).join(" · "), null, "error");
}
