import type { TrustReview } from "@/ipc";

/** Whether an approval asks for the hook's name: the change adds network words, or covers further files. */
export function asksName({ old, found, files }: TrustReview): boolean {
  if (old === null) return false;
  const known = new Set(old.files.map(({ path }) => path));
  return found.some((word) => word.new && word.kind === "network") || files.some(({ path }) => !known.has(path));
}
