import { InlineCode, Note } from "@/components";
import { faultText } from "@/i18n/messages";
import type { Fault } from "@/ipc";
import { capitalizeFirst } from "@/lib/escape";

/** Why the engine refused an edit, and what to do next. */
export function Refusal({ fault }: { fault: Fault }) {
  const { message, hint } = faultText(fault);
  return (
    <Note kind="error" className="flat">
      <InlineCode text={capitalizeFirst(message)} />
      {hint ? (
        <span className="block">
          <InlineCode text={capitalizeFirst(hint)} />
        </span>
      ) : null}
    </Note>
  );
}
