/** The form of a hook and the text of its file side by side, or one of them where there is no room for both. */
import { type ReactNode, useMemo, useState } from "react";
import { Segmented } from "@/components";
import type { DefinitionHelp } from "@/components/editor/definition/help";
import { t } from "@/i18n";
import { textOf } from "@/i18n/text";
import type { Draft } from "../source/drafts";
import type { TextCheck } from "../source/useTextCheck";
import { HookForm, isDefinitionFile, useDefinition } from "./HookForm";

interface FormAndSourceProps {
  draft: Draft;
  check: TextCheck;
  /** Whether the file defines hooks; a script has no form. */
  hasForm: boolean;
  source: (help: DefinitionHelp | null, onCursor: (line: number) => void) => ReactNode;
}

type View = "form" | "source";

export function FormAndSource({ draft, check, hasForm, source }: FormAndSourceProps) {
  const definition = useDefinition(draft.dialect);
  const [line, setLine] = useState(1);
  const [view, setView] = useState<View>("source");
  const isDescribed = hasForm && isDefinitionFile(draft.path, definition);
  const help = useMemo(
    () => (isDescribed && definition !== undefined ? { definition, words: textOf } : null),
    [isDescribed, definition],
  );
  if (!hasForm) return source(null, setLine);
  return (
    <div className="flex-1 min-h-0 flex flex-col @container">
      {isDescribed ? (
        <div className="hidden @max-[720px]:flex pane-head">
          <Segmented<View>
            label={t("form.show")}
            items={[
              { value: "form", label: t("form.title") },
              { value: "source", label: t("form.source") },
            ]}
            value={view}
            onChange={setView}
          />
        </div>
      ) : null}
      <div className="flex-1 min-h-0 flex @max-[720px]:[&>.hidden-view]:hidden @max-[720px]:[&>.form-pane]:w-full @max-[720px]:[&>.form-pane]:max-w-none @max-[720px]:[&>.form-pane]:border-r-0">
        {isDescribed ? (
          <div
            className={
              view === "form"
                ? "form-pane flex-none w-[42%] min-w-80 max-w-140 border-r border-r-line-2 scroll"
                : "form-pane flex-none w-[42%] min-w-80 max-w-140 border-r border-r-line-2 scroll hidden-view"
            }
          >
            <HookForm draft={draft} check={check} line={line} />
          </div>
        ) : null}
        <div
          className={
            view === "source" || !isDescribed
              ? "flex-1 min-w-0 min-h-0 flex flex-col"
              : "flex-1 min-w-0 min-h-0 flex flex-col hidden-view"
          }
        >
          {source(help, setLine)}
        </div>
      </div>
    </div>
  );
}
