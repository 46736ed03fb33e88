import { t } from "@/i18n";
import type { HookRow } from "@/ipc";
import { oneLine } from "@/lib/escape";

/** The condition of a hook, field by field. A list without a field has the names of tools. */
export function FilterWords({ filter }: { filter: HookRow["filter"] }) {
  if (Array.isArray(filter) && filter.length > 0)
    return filter.map((name) => (
      <span key={String(name)} className="variable long">
        {oneLine(String(name), 120)}
      </span>
    ));
  const parts = filter !== null && typeof filter === "object" && !Array.isArray(filter) ? Object.entries(filter) : [];
  if (parts.length === 0) return <span className="dim">{t("hooks.drawer.always")}</span>;
  return (
    <>
      {parts.map(([key, value]) => (
        <span key={key} style={{ display: "block" }}>
          <span className="mono">{key}</span>{" "}
          <span className="variable long">
            {oneLine(typeof value === "string" ? value : JSON.stringify(value), 120)}
          </span>
        </span>
      ))}
    </>
  );
}
