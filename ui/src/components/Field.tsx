/** Input, text area and the field around them. */
import { CircleX, type LucideIcon } from "lucide-react";
import { type InputHTMLAttributes, type ReactNode, type Ref, type TextareaHTMLAttributes, useId } from "react";
import { Icon } from "./Icon";
import { InlineCode } from "./InlineCode";

interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** Shown below, with the input in the error look. */
  error?: string | null;
  warning?: string | null;
  /** Gets the ids that join label, input and notes. */
  children: (ids: { id: string; describedBy: string | undefined }) => ReactNode;
}

/** A labelled control with its hint, warning or error below. */
export function Field({ label, hint, error, warning, children }: FieldProps) {
  const id = useId();
  const note = error ?? warning ?? hint;
  const noteClass = error ? "field-note bad" : warning ? "field-note warn" : "field-note";
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {children({ id, describedBy: note ? `${id}-note` : undefined })}
      {note ? (
        <span className={noteClass} id={`${id}-note`} role={error ? "alert" : undefined}>
          {typeof note === "string" ? <InlineCode text={note} /> : note}
        </span>
      ) : null}
    </div>
  );
}

interface InputProps extends InputHTMLAttributes<HTMLInputElement> {
  icon?: LucideIcon;
  unit?: string;
  mono?: boolean;
  invalid?: boolean;
  warned?: boolean;
  ref?: Ref<HTMLInputElement>;
}

export function Input({ icon, unit, mono, invalid, warned, className, ref, ...rest }: InputProps) {
  const classes = [
    "input",
    mono && "mono",
    invalid && "invalid",
    warned && "warn",
    rest.readOnly && "read-only",
    className,
  ];
  return (
    <div className={classes.filter(Boolean).join(" ")}>
      {icon ? (
        <span className="dim">
          <Icon of={icon} size={14} />
        </span>
      ) : null}
      <input ref={ref} autoComplete="off" spellCheck={false} aria-invalid={invalid || undefined} {...rest} />
      {unit ? <span className="unit">{unit}</span> : null}
      {invalid ? (
        <span className="ink-deny error-icon">
          <Icon of={CircleX} size={14} />
        </span>
      ) : null}
    </div>
  );
}

interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  mono?: boolean;
  invalid?: boolean;
}

export function TextArea({ mono, invalid, className, ...rest }: TextAreaProps) {
  const classes = ["input area", mono && "mono", invalid && "invalid", className];
  return (
    <div className={classes.filter(Boolean).join(" ")}>
      <textarea autoComplete="off" spellCheck={false} aria-invalid={invalid || undefined} {...rest} />
    </div>
  );
}
