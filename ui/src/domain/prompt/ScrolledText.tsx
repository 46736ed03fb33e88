/** A text that is read, and scrolls by keys. */
import type { ReactNode } from "react";

export function ScrolledText(props: { label: string; className: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and has nothing else to focus
    <section className={`prompt-scrolled scroll ${props.className}`} tabIndex={0} aria-label={props.label}>
      <pre className="code">{props.children}</pre>
    </section>
  );
}
