import type { Extension } from "@codemirror/state";
import { useEffect, useRef } from "react";
import type { EditorDocument } from "./document";

interface CodeHostProps {
  document: EditorDocument;
  /** Language, keys, decorations and whatever else this place needs; made anew only when it changes. */
  extensions: Extension;
  className?: string;
}

/** Shows a document as code. Its extensions may change while it is shown. */
export function CodeHost({ document, extensions, className }: CodeHostProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => document.configure(extensions), [document, extensions]);
  useEffect(() => (box.current === null ? undefined : document.show(box.current)), [document]);
  return <div ref={box} className={className} />;
}
