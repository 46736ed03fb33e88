import { CircleX, Info, LockOpen, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { sentenceGap } from "@/lib/sentences";
import { Icon } from "./Icon";

const KINDS: Record<"info" | "warning" | "failing_open" | "error" | "plain", [string, LucideIcon]> = {
  info: ["accent", Info],
  warning: ["warn", TriangleAlert],
  failing_open: ["fail", LockOpen],
  error: ["bad", CircleX],
  plain: ["", Info],
};

interface NoteProps {
  kind?: keyof typeof KINDS;
  icon?: LucideIcon;
  /** The bold beginning. */
  lead?: ReactNode;
  children?: ReactNode;
  className?: string;
}

/** Icon, bold lead, one sentence, at most one link. */
export function Note({ kind = "info", icon, lead, children, className }: NoteProps) {
  const [style, drawing] = KINDS[kind];
  return (
    <div className={["note", style, className].filter(Boolean).join(" ")} role={kind === "error" ? "alert" : "note"}>
      <Icon of={icon ?? drawing} size={14} />
      <span className="grow wrap">
        {lead ? <b>{lead}</b> : null}
        {lead && children ? (typeof lead === "string" ? sentenceGap(lead) : " ") : null}
        {children}
      </span>
    </div>
  );
}
