import { Fragment } from "react";
import { escapeInvisible } from "@/lib/escape";

/** A code span of so many characters is not broken: a line that ends after the first hyphen of `--dry-run` reads as another word. */
const UNBROKEN = 24;

/** A sentence of ours or of a hook: text between backticks stands in the mono face, nothing else is markup. */
export function InlineCode({ text }: { text: string }) {
  const parts = escapeInvisible(text).split(/`([^`\n]+)`/);
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a part of a fixed text is its place
      <span key={index} className={part.length <= UNBROKEN ? "mono nowrap" : "mono"}>
        {part}
      </span>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: a part of a fixed text is its place
      <Fragment key={index}>{part}</Fragment>
    ),
  );
}
