/** How long each inserted text lives: a bar over the calls that see it. */
import { Pin } from "lucide-react";
import type { CSSProperties } from "react";
import { Icon } from "@/components";
import { t } from "@/i18n";
import { escapeInvisible } from "@/lib/escape";
import { LIFE_CLASS, LIFE_NUMBER } from "./lifetimes";
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
    <div className="[&>ul]:grid [&>ul]:grid-cols-[repeat(var(--columns),minmax(0,1fr))] relative flex-none pb-2 border-b border-line-2 [&>ul]:relative [&>ul]:gap-y-1 [&>ul]:gap-x-0">
      <div
        className="grid grid-cols-[repeat(var(--columns),minmax(0,1fr))] absolute inset-0 [&>i]:border-l [&>i]:border-line-1 [&>i:first-child]:border-0 [&>i.on]:bg-2"
        aria-hidden="true"
      >
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
              className={`flex items-center gap-1.5 h-4.5 mx-2 px-1.5 rounded-1 text-xs/[inherit] font-[560] min-w-0 bg-(--life) text-ink-inv [&>.icon]:ml-auto ${LIFE_CLASS[bar.lifetime]}`}
              style={{ gridRow: index + 1, gridColumn: `${bar.from + 1} / ${bar.to + 2}` } as CSSProperties}
            >
              <b>{LIFE_NUMBER[bar.lifetime]}</b>
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
