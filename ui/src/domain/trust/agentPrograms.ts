/** The agent programs that are always allowed, as the list of approvals has them. */
import type { TrustItem } from "@/ipc";

/** The engine allows no longer name, so a name is always shown in full. */
export const NAME_CHARACTERS = 64;

const MARK = ":agent:";

/** The dialect and the name in the id of a program. The name can contain anything, the dialect no colon. */
export function programOf(id: string): { dialect: string; name: string } {
  const at = id.indexOf(MARK);
  return { dialect: id.slice(0, at), name: id.slice(at + MARK.length) };
}

export interface AllowedProgram {
  /** For `trust.revoke`. */
  id: string;
  dialect: string;
  name: string;
  /** Programs of one dialect and name, which are revoked together. */
  paths: readonly string[];
}

export function isProgram({ kind }: TrustItem): boolean {
  return kind === "agent_program";
}

/** By id, in the order of the list. */
export function allowedPrograms(items: readonly TrustItem[]): AllowedProgram[] {
  const byId = new Map<string, AllowedProgram>();
  for (const { hook: id, definition } of items.filter(isProgram)) {
    const known = byId.get(id);
    byId.set(id, { id, ...programOf(id), paths: [...(known?.paths ?? []), definition] });
  }
  return [...byId.values()];
}
