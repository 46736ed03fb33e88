interface SwitchProps {
  on: boolean;
  label: string;
  onChange: (on: boolean) => void;
  disabled?: boolean;
  tabIndex?: number;
}

/** 26 by 16, saves at once. */
export function Switch({ on, label, onChange, disabled, tabIndex }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      aria-label={label}
      className={on ? "sw on" : "sw"}
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
