interface SwitchProps {
  on: boolean;
  label: string;
  onChange: (on: boolean) => void;
  disabled?: boolean;
  tabIndex?: number;
  /** It is on, and yet something else keeps it from acting: what. */
  held?: string | null;
}

/** 26 by 16, saves at once. */
export function Switch({ on, label, onChange, disabled, tabIndex, held = null }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      aria-label={on && held ? `${label} (${held})` : label}
      title={on && held ? held : undefined}
      className={on ? (held ? "switch on held" : "switch on") : "switch"}
      disabled={disabled}
      tabIndex={tabIndex}
      onClick={(event) => {
        event.stopPropagation();
        onChange(!on);
      }}
    >
      <i />
    </button>
  );
}
