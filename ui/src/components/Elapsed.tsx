import { duration } from "@/i18n/format";
import { useNow } from "@/lib/useNow";

/** Time since `since`, in ms since 1970. It counts up. */
export function Elapsed({ since }: { since: number }) {
  const now = useNow(100);
  return <span className="mono">{duration(Math.max(0, now - since))}</span>;
}
