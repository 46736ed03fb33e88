/** What an event came to, as a badge. */
import { Outcome } from "@/components";
import { type Chain, useResultBadge } from "./verdict";

export function ResultBadge({ chain }: { chain: Chain }) {
  const { kind, word, reason } = useResultBadge()(chain);
  return <Outcome kind={kind} word={word} reason={reason} />;
}
