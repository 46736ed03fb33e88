/** One condition of a filter: what it compares, the value, and why it may do nothing. */
import { CircleX, Info, Plus, X } from "lucide-react";
import { Icon, Tooltip } from "@/components";
import { t } from "@/i18n";
import { count } from "@/i18n/format";
import { textOf } from "@/i18n/text";
import type { EventInfo, Reply } from "@/ipc";
import { oneLine } from "@/lib/escape";
import { type ClauseFault, type FilterInfo, namesOf, withNames } from "./clauses";
import { NameChips } from "./NameChips";

export type SeenValues = NonNullable<Reply<"history.match">["values"]>;
/** At most this many values that occurred are offered. */
const OFFERED = 8;

/** Values that are often long. */
const PATTERNS: ReadonlySet<string> = new Set(["whole", "search", "within"]);

interface ClauseRowProps {
  filter: FilterInfo;
  value: unknown;
  fault: ClauseFault;
  event: EventInfo;
  /** What the compared fields had in recorded events. */
  seen: SeenValues;
  onChange: (value: unknown) => void;
  onRemove: () => void;
}

export function ClauseRow({ filter, value, fault, event, seen, onChange, onRemove }: ClauseRowProps) {
  const field = event.compares[filter.key] ?? filter.key;
  const isBad = fault === "never";
  const isIdle = fault === "ignored" || fault === "overruled";
  const hasChips = filter.test === "names" || filter.test === "list";
  return (
    <li
      className={
        isBad
          ? "border rounded-2 min-w-0 bad border-deny-line bg-deny-bg"
          : "border border-line-2 rounded-2 bg-2 min-w-0"
      }
    >
      <div className="flex items-center flex-wrap gap-y-1 gap-x-2 min-h-8 pt-0.75 pr-1 pb-0.75 pl-2 [&>.button]:ml-auto">
        <Tooltip text={textOf(filter.about)}>
          <span className="mono text-sm/[inherit]">{filter.key}</span>
        </Tooltip>
        <span className="dim text-small nowrap">{t(`filter.verb.${filter.test as "equals"}`)}</span>
        {hasChips ? (
          <NameChips
            label={filter.key}
            names={namesOf(filter, value) ?? []}
            free={filter.choices.length === 0}
            bad={isBad}
            onChange={(names) => onChange(withNames(filter, value, names))}
          />
        ) : (
          <input
            className={[
              "mono h-6 px-1.5 border-0 rounded-1 text-sm/[inherit] flex-1 min-w-24 bg-accent-bg text-accent [&.bad]:bg-deny-bg [&.bad]:text-deny [&.bad]:inset-ring [&.bad]:inset-ring-deny-line @max-[480px]:[&.pattern]:order-1 @max-[480px]:[&.pattern]:basis-full @max-[360px]:order-1 @max-[360px]:basis-full",
              PATTERNS.has(filter.test) && "pattern",
              isBad && "bad",
            ]
              .filter(Boolean)
              .join(" ")}
            aria-label={filter.key}
            autoComplete="off"
            spellCheck={false}
            value={typeof value === "string" ? value : ""}
            onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
          />
        )}
        <button
          type="button"
          className="button ghost small icon-only"
          aria-label={t("filter.remove", { name: filter.key })}
          onClick={onRemove}
        >
          <Icon of={X} size={14} />
        </button>
      </div>
      {fault === null ? null : (
        <p
          className={
            isBad
              ? "flex gap-1.5 px-2 pb-1.5 text-sm [&>.icon]:flex-none [&>.icon]:mt-0.5 ink-deny"
              : "flex gap-1.5 px-2 pb-1.5 text-sm [&>.icon]:flex-none [&>.icon]:mt-0.5 ink-2"
          }
        >
          <Icon of={isBad ? CircleX : Info} size={14} />
          <span>
            {isIdle && fault === "overruled"
              ? t("filter.overruled", { key: filter.overruled_by ?? "" })
              : t(isBad ? "filter.never" : "filter.ignored", { event: event.name })}
          </span>
        </p>
      )}
      <Offers filter={filter} value={value} field={field} seen={seen} onChange={onChange} />
    </li>
  );
}

/** What can be added with one click: the events of the dialect, or what was recorded. */
function Offers({
  filter,
  value,
  field,
  seen,
  onChange,
}: Pick<ClauseRowProps, "filter" | "value" | "seen" | "onChange"> & { field: string }) {
  const names = namesOf(filter, value);
  if (names === null || filter.test === "within" || filter.test === "prefix") return null;
  const offered =
    filter.choices.length > 0
      ? filter.choices.map((name) => ({ name, times: null }))
      : seen
          .filter((one) => one.field === field && /^[\w-]+$/.test(one.value))
          .slice(0, OFFERED)
          .map((one) => ({ name: one.value, times: one.count }));
  const left = offered.filter(({ name }) => !names.includes(name));
  if (left.length === 0) return null;
  const add = (name: string) =>
    onChange(filter.test === "equals" ? name : withNames(filter, value, [...names.filter((one) => one !== ""), name]));
  return (
    <div className="flex flex-wrap gap-1 px-2 pb-1.5 [&>.chip]:min-h-6 [&>.chip]:border-0 [&>.chip]:cursor-pointer [&>.chip:hover]:text-ink-1">
      {left.map(({ name, times }) => (
        <Tooltip key={name} text={t("filter.add", { name: oneLine(name, 60) })}>
          <button type="button" className="chip line" onClick={() => add(name)}>
            <Icon of={Plus} size={12} />
            <span className="mono">{oneLine(name, 40)}</span>
            {times === null ? null : <span className="dim">{count(times)}</span>}
          </button>
        </Tooltip>
      ))}
    </div>
  );
}
