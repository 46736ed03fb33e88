import { stringifySearch, type Target } from "@/routes/router";

/** The address of a screen with its parameters, `#/hooks?view=problems`. */
export function addressOf({ to, search = {} }: Target): string {
  return `#${to}${stringifySearch(search)}`;
}
