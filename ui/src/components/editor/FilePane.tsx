/** A file that is edited as code. CodeMirror is loaded when the first one is shown. */
import { lazy, Suspense } from "react";
import { escapeInvisible } from "@/lib/escape";
import type { FileEditorProps } from "./FileEditor";

const Editor = lazy(() => import("./FileEditor"));

export type { CodePlace, KeptDocument } from "./FileEditor";
export type { LineRange } from "./markedLines";

export function FilePane(props: FileEditorProps) {
  return (
    <Suspense
      fallback={
        <pre className="code code-loading fill scroll" aria-busy="true">
          {escapeInvisible(props.text.slice(0, 4000))}
        </pre>
      }
    >
      <Editor {...props} />
    </Suspense>
  );
}
