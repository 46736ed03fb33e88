/** What nothing in the window caught: said in a toast, because it would be lost otherwise. The console has it, too. */
import { isCancelledError } from "@tanstack/react-query";
import { useEffect } from "react";
import { toast } from "@/components";
import { faultText } from "@/i18n/messages";
import { asFault } from "@/ipc";

/** The same message is said once in so long. */
const ONCE_IN_MS = 10_000;

function isCancellation(thrown: unknown): boolean {
  return isCancelledError(thrown) || (thrown instanceof DOMException && thrown.name === "AbortError");
}

export function useUnhandledErrors(): void {
  useEffect(() => {
    const saidAt = new Map<string, number>();
    const report = (thrown: unknown) => {
      // A browser tells of some errors without one, such as a layout that was observed too often.
      if (thrown === undefined || thrown === null || isCancellation(thrown)) return;
      const { message } = faultText(asFault(thrown));
      if (Date.now() - (saidAt.get(message) ?? 0) < ONCE_IN_MS) return;
      saidAt.set(message, Date.now());
      toast(message, null, "error");
    };
    const onRejection = (event: PromiseRejectionEvent) => report(event.reason);
    const onError = (event: ErrorEvent) => report(event.error);
    window.addEventListener("unhandledrejection", onRejection);
    window.addEventListener("error", onError);
    return () => {
      window.removeEventListener("unhandledrejection", onRejection);
      window.removeEventListener("error", onError);
    };
  }, []);
}
