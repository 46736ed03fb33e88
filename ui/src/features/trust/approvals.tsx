/** Approving, denying and revoking, each with a way back that stays on the screen until the next decision. */
import { ShieldCheck, ShieldX } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Icon } from "@/components";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { useCommand } from "@/ipc";
import { markUnread } from "./readTexts";

export interface Decided {
  hook: string;
  label: string;
}

export interface ApprovedContent extends Decided {
  /** The content that was read. */
  fingerprint: string;
}

const STALE = ["trust", "hooks", "state"] as const;

export interface Approvals {
  /** In turn; what was refused ends it. Resolves to how many were approved. */
  approve: (contents: readonly ApprovedContent[]) => Promise<number>;
  /** Resolves to whether it was denied. */
  deny: (content: ApprovedContent) => Promise<boolean>;
  revoke: (hooks: readonly Decided[]) => Promise<void>;
  busy: boolean;
  /** What was decided last, with Undo. */
  notice: ReactNode;
}

export function useApprovals(project: string, onRevoked: (hook: string) => void): Approvals {
  const [done, setDone] = useState<readonly Decided[]>([]);
  const [isDenied, setDenied] = useState(false);
  const approving = useCommand("trust.approve", { stale: STALE });
  const denying = useCommand("trust.deny", { stale: STALE });
  const revoking = useCommand("trust.revoke", { stale: STALE });
  const approve: Approvals["approve"] = async (contents) => {
    const approved: Decided[] = [];
    for (const { hook, fingerprint, label } of contents) {
      try {
        await approving.mutateAsync({ project, hook, fingerprint });
        approved.push({ hook, label });
      } catch (thrown) {
        markUnread(project, hook);
        toastFault(thrown);
        break;
      }
    }
    setDenied(false);
    setDone(approved);
    return approved.length;
  };
  const deny: Approvals["deny"] = async ({ hook, fingerprint, label }) => {
    try {
      await denying.mutateAsync({ project, hook, fingerprint });
    } catch (thrown) {
      markUnread(project, hook);
      toastFault(thrown);
      return false;
    }
    setDenied(true);
    setDone([{ hook, label }]);
    return true;
  };
  const revoke: Approvals["revoke"] = async (hooks) => {
    setDone([]);
    try {
      for (const { hook } of hooks) await revoking.mutateAsync({ project, hook });
      const [first] = hooks;
      if (first !== undefined) onRevoked(first.hook);
    } catch (thrown) {
      toastFault(thrown);
    }
  };
  const [first] = done;
  const notice =
    first === undefined ? null : (
      <p className="flex items-center gap-1.5 [.empty>&]:mt-3 text-small" role="status">
        <span className={isDenied ? "ink-deny" : "ink-allow"}>
          <Icon of={isDenied ? ShieldX : ShieldCheck} size={14} />
        </span>
        <span className="grow trunc">
          {done.length === 1
            ? t(isDenied ? "review.denied" : "trust.approved", { hook: first.label })
            : t("review.approvedAll", { count: done.length })}
        </span>
        <button type="button" className="link" onClick={() => void revoke(done)}>
          {t("undo")}
        </button>
      </p>
    );
  return { approve, deny, revoke, busy: approving.isPending || denying.isPending || revoking.isPending, notice };
}
