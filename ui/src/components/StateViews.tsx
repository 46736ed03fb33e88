/** Loading, error and empty: what a pane shows while it has nothing of its own. */
import type { LucideIcon } from "lucide-react";
import { RotateCw } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { t } from "@/i18n";
import { faultText } from "@/i18n/messages";
import type { Fault } from "@/ipc";
import { capitalizeFirst } from "@/lib/escape";
import { Button } from "./Button";
import { Icon } from "./Icon";
import { InlineCode } from "./InlineCode";
import { Note } from "./Note";

/** True once `ms` have passed since mounting. */
export function useAfter(ms: number): boolean {
  const [passed, setPassed] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setPassed(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return passed;
}

const WIDTHS = [
  [58, 20, 120, 40],
  [58, 20, 96, 52],
  [58, 20, 132, 34],
] as const;

interface SkeletonProps {
  rows?: number;
  /** The real row height in px. */
  height?: number;
  /** What is waited for, said after 4 s. */
  what: string;
}

/** Bars in the real row height, shown from 150 ms, without shimmer. */
export function Skeleton({ rows = 8, height = 32, what }: SkeletonProps) {
  const due = useAfter(150);
  const long = useAfter(4000);
  if (!due) return <div aria-busy="true" className="fill" />;
  return (
    <div aria-busy="true" className="fill" role="status" aria-label={t("loading")}>
      {Array.from({ length: rows }, (_, row) => {
        const widths = WIDTHS[row % WIDTHS.length] ?? WIDTHS[0];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no identity
          <div key={row} className="skeleton-row" style={{ height }}>
            <i className="skeleton" style={{ width: widths[0] }} />
            <i className="skeleton" style={{ width: widths[1] }} />
            <i className="skeleton" style={{ width: widths[2] }} />
            <i className="skeleton" style={{ width: `${widths[3]}%` }} />
          </div>
        );
      })}
      {long ? <p className="text-tiny dim pad-16">{t("waitingFor", { what })}</p> : null}
    </div>
  );
}

/** A refused call: what happened, and what to do. */
export function FaultNote({ fault, onRetry }: { fault: Fault; onRetry?: (() => void) | undefined }) {
  const { message, hint } = faultText(fault);
  return (
    <div className="empty column" role="alert">
      <Note kind="error" lead={<InlineCode text={capitalizeFirst(message)} />}>
        {hint ? (
          <span className="block">
            <InlineCode text={capitalizeFirst(hint)} />
          </span>
        ) : null}
      </Note>
      {onRetry ? (
        <div className="row" style={{ marginTop: "var(--s-3)" }}>
          <Button icon={RotateCw} onClick={onRetry}>
            {t("retry")}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

interface EmptyProps {
  title: string;
  text?: ReactNode;
  children?: ReactNode;
}

export function Empty({ title, text, children }: EmptyProps) {
  return (
    <div className="empty">
      <h2 className="empty-head">{title}</h2>
      {text ? <p className="text-small ink-2">{text}</p> : null}
      {children}
    </div>
  );
}

interface ActionCardProps {
  icon: LucideIcon;
  title: string;
  about: string;
  onOpen: () => void;
}

/** One way on from an empty screen. */
export function ActionCard({ icon, title, about, onOpen }: ActionCardProps) {
  return (
    <button type="button" className="action-card" onClick={onOpen}>
      <Icon of={icon} size={16} />
      <span className="grow">
        <b className="medium">{title}</b>
        <span className="text-tiny dim trunc" style={{ display: "block" }}>
          {about}
        </span>
      </span>
    </button>
  );
}
