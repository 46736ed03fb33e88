import { X } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "@/i18n";
import { useScreenActions } from "@/lib/actions";
import { useMedia } from "@/lib/media";
import { Button } from "./Button";
import { SizedPane } from "./Panes";
import { StepButtons } from "./StepButtons";

/** Windows in which a drawer that nobody sized takes more of the room. */
const WIDE = "(min-width: 1600px)";
const WIDEST = "(min-width: 2200px)";

interface DrawerProps {
  /** `screen.drawer`. */
  id: string;
  label: string;
  /** Icon, title and badge of the 44 px header. */
  head: ReactNode;
  /** More buttons in the header, left of Close. */
  actions?: ReactNode;
  width?: number;
  /** The narrowest and the widest it can be dragged to, in px. */
  limits?: readonly [min: number, max: number];
  /** Lies over the list below 1120 px instead of beside it. */
  over?: boolean;
  /** Takes the room of the list below 1600 px. */
  fills?: boolean;
  onClose: () => void;
  /** `[` and `]`, and the arrows in the header where `arrows` is set. */
  onStep?: (by: -1 | 1) => void;
  arrows?: boolean;
  children: ReactNode;
}

/** The pane at the right: 44 px header, `Esc` closes, `[` `]` step through. */
export function Drawer({
  id,
  label,
  head,
  actions,
  width = 320,
  limits: [min, max] = [272, 640],
  over,
  fills = false,
  onClose,
  onStep,
  arrows,
  children,
}: DrawerProps) {
  const isWide = useMedia(WIDE);
  const isWidest = useMedia(WIDEST);
  const grown = width + (isWidest ? 240 : isWide ? 120 : 0);
  useScreenActions({
    "drawer.close": () => onClose(),
    "drawer.previous": onStep && (() => onStep(-1)),
    "drawer.next": onStep && (() => onStep(1)),
  });
  return (
    <SizedPane
      id={id}
      label={label}
      width={Math.min(max, grown)}
      min={min}
      max={max}
      split="left"
      className={["drawer", over && "over", fills && "fills"].filter(Boolean).join(" ")}
      style={fills && !isWide ? { width: "auto", flex: "1 1 0" } : undefined}
    >
      <div className="pane-head strong-line" style={{ height: "var(--h-bar)" }}>
        {head}
        <span className="spacer" />
        {actions}
        {arrows && onStep ? <StepButtons of="drawer" onStep={onStep} /> : null}
        <Button kind="ghost" size="small" icon={X} label={t("close")} action="drawer.close" onClick={onClose} />
      </div>
      {children}
    </SizedPane>
  );
}
