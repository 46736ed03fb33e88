import { LoaderCircle, type LucideIcon } from "lucide-react";
import { type ButtonHTMLAttributes, type Ref, useEffect, useState } from "react";
import type { ActionId } from "@/commands";
import { Icon } from "./Icon";
import { KeyCap } from "./KeyCap";
import { Tooltip } from "./Tooltip";

const BUSY_MS = 400;

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "disabled" | "title"> {
  kind?: "default" | "primary" | "ghost" | "danger";
  size?: "default" | "small" | "large";
  icon?: LucideIcon;
  /** The visible words; without them the button shows only its icon and needs `label`. */
  children?: React.ReactNode;
  /** The accessible name and tooltip of an icon button. */
  label?: string;
  /** The action that does the same; its key is shown. */
  action?: ActionId;
  /** Why the button cannot be pressed now. A disabled button always says why. */
  disabledBecause?: string | null | false;
  /** The label stays, the icon turns into a spinner after 400 ms. */
  busy?: boolean;
  grow?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

const KINDS = { default: "", primary: "primary", ghost: "ghost", danger: "danger" } as const;
const SIZES = { default: "", small: "small", large: "fire" } as const;

function useSlow(busy: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!busy) {
      setSlow(false);
      return;
    }
    const timer = setTimeout(() => setSlow(true), BUSY_MS);
    return () => clearTimeout(timer);
  }, [busy]);
  return slow;
}

export function Button(props: ButtonProps) {
  const {
    kind = "default",
    size = "default",
    icon,
    children,
    label,
    action,
    disabledBecause,
    busy = false,
    grow,
  } = props;
  const {
    kind: _k,
    size: _s,
    icon: _i,
    label: _l,
    action: _a,
    disabledBecause: _d,
    busy: _b,
    grow: _g,
    ...rest
  } = props;
  const slow = useSlow(busy);
  const off = Boolean(disabledBecause);
  const drawing = slow ? LoaderCircle : icon;
  const bare = children === undefined || children === null;
  const classes = [
    "button",
    KINDS[kind],
    SIZES[size],
    bare && "icon-only",
    off && "off",
    grow && "grow",
    props.className,
  ];
  const button = (
    <button
      type="button"
      {...rest}
      className={classes.filter(Boolean).join(" ")}
      aria-label={bare ? label : rest["aria-label"]}
      aria-disabled={off || undefined}
      aria-busy={busy || undefined}
      onClick={off || busy ? (event) => event.preventDefault() : rest.onClick}
    >
      {drawing ? <Icon of={drawing} size={14} className={slow ? "spin" : undefined} /> : null}
      {bare ? null : <span className="trunc">{children}</span>}
      {action && !bare ? <KeyCap action={action} /> : null}
    </button>
  );
  if (off) return <Tooltip text={disabledBecause}>{button}</Tooltip>;
  if (bare) {
    return (
      <Tooltip text={label} action={action}>
        {button}
      </Tooltip>
    );
  }
  return button;
}
