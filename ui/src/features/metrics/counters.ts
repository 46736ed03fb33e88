/** The names of what agents count themselves. */
import { t } from "@/i18n";

/** Those that the agents of this build have, in the order in which they are read. */
const KNOWN = [
  "total_calls",
  "modified_calls",
  "blocked_calls",
  "total_duration_ms",
  "starts",
  "restarts",
  "handshake_ms",
  "dropped_lines",
  "dropped_notifications",
] as const;
type Known = (typeof KNOWN)[number];

const isKnown = (name: string): name is Known => KNOWN.some((known) => known === name);

/** A counter as it is headed; one of a later agent by its own name. */
export function counterName(name: string): string {
  return isKnown(name) ? t(`metrics.counter.${name}`) : name.replaceAll("_", " ");
}

/** Known counters first. */
export function inCounterOrder(names: Iterable<string>): string[] {
  const place = (name: string) => (isKnown(name) ? KNOWN.indexOf(name) : KNOWN.length);
  return [...new Set(names)].sort((one, other) => place(one) - place(other) || one.localeCompare(other));
}
