import { Switch as Radix } from "radix-ui";
import { Tooltip } from "./Tooltip";

interface SwitchProps {
  on: boolean;
  label: string;
  onChange: (on: boolean) => void;
  disabled?: boolean;
  tabIndex?: number;
  /** It is on, and yet something else keeps it from acting: what. */
  held?: string | null;
  /** What the switch does, where its label is not enough. */
  about?: string;
}

/** 26 by 16, saves at once. */
export function Switch({ on, label, onChange, disabled, tabIndex, held = null, about }: SwitchProps) {
  return (
    <Tooltip text={(on ? held : null) ?? about ?? null}>
      <Radix.Root
        checked={on}
        onCheckedChange={onChange}
        aria-label={on && held ? `${label} (${held})` : label}
        className={on ? (held ? "switch on held" : "switch on") : "switch"}
        disabled={disabled}
        tabIndex={tabIndex}
        onClick={(event) => event.stopPropagation()}
      >
        <Radix.Thumb asChild>
          <i />
        </Radix.Thumb>
      </Radix.Root>
    </Tooltip>
  );
}
