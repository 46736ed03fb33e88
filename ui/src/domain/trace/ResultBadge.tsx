/** What an event came to, as a badge. */
import { Outcome } from "@/components";
import { type Chain, resultBadge } from "./verdict";

export function ResultBadge({ chain }: { chain: Chain }) {
  const { kind, word, reason } = resultBadge(chain);
  return <Outcome kind={kind} word={word} reason={reason} />;
}
