/** What an event came to, as a badge. */
import { Outcome } from "@/components";
import type { Outcome as OutcomeKind, Trace } from "@/ipc";
import { useCame } from "./verdict";

interface CameProps {
  verdict: Trace["verdict"];
  outcomes: readonly OutcomeKind[];
}

export function Came({ verdict, outcomes }: CameProps) {
  const { kind, word, reason } = useCame()(verdict, outcomes);
  return <Outcome kind={kind} word={word} reason={reason} />;
}
