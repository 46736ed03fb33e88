/** How long each inserted text lives: a bar over the calls that see it. */
import { Pin } from "lucide-react";
import type { CSSProperties } from "react";
import { Icon } from "@/components";
import { t } from "@/i18n";
import { escapeInvisible } from "@/lib/escape";
import { LIFE_CLASS } from "./lifetimes";
import type { Bar } from "./timeline";

interface BarsProps {
  rows: readonly (readonly Bar[])[];
  columns: number;
  /** Index of the chosen column. */
  chosen: number;
}

export function Bars({ rows, columns, chosen }: BarsProps) {
  if (rows.length === 0) return null;
  return (
    <div className="simulator-bars">
      <div className="simulator-lines" aria-hidden="true">
        {Array.from({ length: columns }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
          <i key={index} className={index === chosen ? "on" : undefined} />
        ))}
      </div>
      <ul aria-label={t("simulator.lifetimes")}>
        {rows.flatMap((row, index) =>
          row.map((bar) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
              key={`${index} ${bar.from}`}
              className={`simulator-bar ${LIFE_CLASS[bar.lifetime]}`}
              style={{ gridRow: index + 1, gridColumn: `${bar.from + 1} / ${bar.to + 2}` } as CSSProperties}
            >
              <b>{bar.lifetime}</b>
              <span className="trunc">{escapeInvisible(bar.hook)}</span>
              {bar.copies > 1 ? <span>×{bar.copies}</span> : null}
              <span className="visually-hidden">
                {t("simulator.barSpan", {
                  life: t(`simulator.life.${bar.lifetime}`),
                  from: bar.from + 1,
                  to: bar.to + 1,
                })}
                {bar.persistent ? t("simulator.persistent") : ""}
              </span>
              {bar.persistent ? <Icon of={Pin} size={12} /> : null}
            </li>
          )),
        )}
      </ul>
    </div>
  );
}
