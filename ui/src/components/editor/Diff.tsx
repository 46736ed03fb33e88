/** A difference by line, with what differs within a line marked. CodeMirror is loaded when the first one is shown. */
import { lazy, Suspense } from "react";
import { t } from "@/i18n";
import { escapeInvisible } from "@/lib/escape";
import type { DiffViewProps } from "./DiffView";

const View = lazy(() => import("./DiffView"));

export function Diff(props: DiffViewProps) {
  if (props.before === props.after) return <p className="text-tiny dim pad">{t("diff.same")}</p>;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a difference is no form
    <div className="diff" role="group" aria-label={props.label}>
      <Suspense
        fallback={
          <pre className="code code-loading" aria-busy="true">
            {escapeInvisible(props.after.slice(0, 4000))}
          </pre>
        }
      >
        <View {...props} />
      </Suspense>
    </div>
  );
}
