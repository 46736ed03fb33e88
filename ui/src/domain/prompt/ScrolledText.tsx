/** A text that is read, and scrolls by keys. */
import type { ReactNode } from "react";

export function ScrolledText(props: { label: string; className: string; children: ReactNode }) {
  return (
    <section
      className={`flex-1 min-w-0 min-h-0 [&>pre]:p-0 [&>pre]:text-inherit [&>pre]:whitespace-pre-wrap [&>pre]:wrap-anywhere scroll ${props.className}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and has nothing else to focus
      tabIndex={0}
      aria-label={props.label}
    >
      <pre className="code">{props.children}</pre>
    </section>
  );
}
