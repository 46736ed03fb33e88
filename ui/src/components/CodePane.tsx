/** The code pane. CodeMirror is loaded when the first one is shown. */
import { lazy, Suspense } from "react";
import { escapeInvisible } from "@/lib/escape";
import type { CodeEditorProps } from "./CodeEditor";

const Editor = lazy(() => import("./CodeEditor"));

export type { CodeEditorProps, CodeProblem } from "./CodeEditor";

/** JSON, YAML, shell or text; read-only, or editable with `onChange`. */
export function CodePane(props: CodeEditorProps) {
  return (
    <Suspense
      fallback={
        <pre className="code pad" aria-busy="true">
          {escapeInvisible(props.value.slice(0, 4000))}
        </pre>
      }
    >
      <Editor {...props} />
    </Suspense>
  );
}
