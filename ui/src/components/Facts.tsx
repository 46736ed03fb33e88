/** Names and values in two columns: what is known of one thing. */
import type { ReactNode } from "react";
import { Tooltip } from "./Tooltip";

/** Without a name, the value belongs to the one above. `look` has classes, `title` what a cut value says in full. */
export type Fact = readonly [name: string | null, value: ReactNode, look?: string, title?: string];

interface FactsProps {
  /** Null for what does not apply. */
  rows: readonly (Fact | null)[];
  /** Of the list; and the look of values that have none of their own. */
  className?: string;
  look?: string;
}

export function Facts({ rows, className = "", look }: FactsProps) {
  return (
    <dl className={`facts ${className}`}>
      {rows.map((row, index) => {
        if (row === null) return null;
        const [name, value, own = look, title] = row;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
          <div key={index} className="contents">
            {name === null ? null : <dt>{name}</dt>}
            <Tooltip
              text={title ?? (typeof value === "string" ? value : null)}
              onlyCut={title === undefined || title === value}
            >
              <dd className={name === null ? `col-start-2 ${own ?? ""}` : own}>{value}</dd>
            </Tooltip>
          </div>
        );
      })}
    </dl>
  );
}
