/** The code pane. CodeMirror is loaded when the first one is shown. */
import { lazy, Suspense } from "react";
import { escapeInvisible } from "@/lib/escape";
import type { CodeViewProps } from "./CodeView";

const View = lazy(() => import("./CodeView"));

export type { CodeLanguage, CodeProblem } from "./CodeView";

/** JSON, YAML, shell or text; read-only, or editable with `onChange`. */
export function CodePane(props: CodeViewProps) {
  return (
    <Suspense
      fallback={
        <pre className="code code-loading" aria-busy="true">
          {escapeInvisible(props.value.slice(0, 4000))}
        </pre>
      }
    >
      <View {...props} />
    </Suspense>
  );
}
