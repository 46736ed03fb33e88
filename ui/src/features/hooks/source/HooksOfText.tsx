import type { CodePlace } from "@/components";
import { t } from "@/i18n";
import type { Reply } from "@/ipc";
import { oneLine } from "@/lib/escape";

interface HooksOfTextProps {
  doc: Reply<"edit.check">;
  /** How many hooks the file defines now. */
  before: number;
  onPlace: (place: CodePlace) => void;
}

/** The hooks that the text would define, each with its line. */
export function HooksOfText({ doc, before, onPlace }: HooksOfTextProps) {
  if (!doc.parses)
    return (
      <p className="flex-none gap-3 min-h-9 py-1 px-3 border-t border-line-1 [p&]:py-2 [p&]:px-3 text-small ink-deny">
        {t("editor.doesNotParse")}
      </p>
    );
  const count = doc.lines.length;
  // A script defines none.
  if (count === 0 && before === 0) return null;
  const labels = new Map(doc.hooks.map((hook) => [hook.hook, hook.label]));
  return (
    <div className="flex-none gap-3 min-h-9 py-1 px-3 border-t border-line-1 [p&]:py-2 [p&]:px-3 row">
      <span className="text-small nowrap">
        {count === before ? t("editor.hooks", { count }) : t("editor.hooksWas", { count, before })}
      </span>
      <span className="row scroll gap-1 p-0.75 [&>.chip]:flex-none">
        {doc.lines.map(({ hook, line }) => (
          <button
            key={`${hook} ${line}`}
            type="button"
            className="chip line text-tiny nowrap"
            aria-label={t("editor.goToHook", { hook: oneLine(labels.get(hook) ?? hook, 40), line })}
            onClick={() => onPlace({ line, column: null })}
          >
            {oneLine(labels.get(hook) ?? hook, 24)} <span className="dim mono">{line}</span>
          </button>
        ))}
      </span>
    </div>
  );
}
