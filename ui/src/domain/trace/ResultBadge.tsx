/** What an event came to, as a badge. */
import { Outcome } from "@/components";
import type { Outcome as OutcomeKind, Trace } from "@/ipc";
import { useResultBadge } from "./verdict";

interface ResultBadgeProps {
  verdict: Trace["verdict"];
  outcomes: readonly OutcomeKind[];
}

export function ResultBadge({ verdict, outcomes }: ResultBadgeProps) {
  const { kind, word, reason } = useResultBadge()(verdict, outcomes);
  return <Outcome kind={kind} word={word} reason={reason} />;
}
