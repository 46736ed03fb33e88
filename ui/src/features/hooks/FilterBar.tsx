import { ListFilter, X } from "lucide-react";
import { Icon, KeyCap, Tooltip, TreeToggle } from "@/components";
import { splitNode } from "@/domain/hooks/facts";
import { t } from "@/i18n";
import type { HookRow } from "@/ipc";
import { useDialects } from "@/ipc/dialects";
import { baseName } from "@/lib/names";
import type { HooksSearch } from "@/routes/search";

interface FilterBarProps {
  inputRef: React.Ref<HTMLInputElement>;
  total: number;
  shown: number;
  search: HooksSearch;
  onChange: (part: Partial<HooksSearch>) => void;
  onTree: () => void;
}

/** Chips of the chosen node, the text filter, and how many hooks remain. */
export function FilterBar({ inputRef, total, shown, search, onChange, onTree }: FilterBarProps) {
  const dialects = useDialects();
  const node = search.node ? splitNode(search.node) : null;
  const dialect = node && dialects.find((one) => one.id === node[1])?.name;
  const chip = !node
    ? null
    : node[0] === "dialect"
      ? [t("hooks.by.dialect"), dialect ?? node[1]]
      : node[0] === "layer"
        ? [t("hooks.by.source"), t(`words.layer.${node[2] as HookRow["layer"]}`)]
        : node[0] === "file"
          ? [t("hooks.by.source"), baseName(node[2])]
          : [t("hooks.by.event"), node[2]];
  return (
    <div className="pane-head">
      <TreeToggle label={t("shell.keys.tree")} onClick={onTree} />
      <span className="dim">
        <Icon of={ListFilter} size={14} />
      </span>
      {chip ? (
        <span className="chip line">
          {chip[0]} <b>{chip[1]}</b>
          <button
            type="button"
            className="chip-x"
            aria-label={t("removeFilter", { token: `${chip[0]} ${chip[1]}` })}
            onClick={() => onChange({ node: undefined })}
          >
            <Icon of={X} size={10} />
          </button>
        </span>
      ) : null}
      <span className="text-tiny dim nowrap wide">
        {t(search.sort === undefined ? "hooks.inRunOrder" : search.sort === "p95" ? "hooks.quickest" : "hooks.slowest")}
      </span>
      <Tooltip text={t("hooks.filterHint")} side="bottom">
        <input
          ref={inputRef}
          className="bare grow text-small"
          value={search.q ?? ""}
          placeholder={t("hooks.addFilter")}
          aria-label={t("hooks.filter")}
          aria-description={t("hooks.filterHint")}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onChange({ q: event.target.value || undefined })}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.preventDefault();
            if (search.q) onChange({ q: undefined });
            else event.currentTarget.blur();
          }}
        />
      </Tooltip>
      <KeyCap action="filter.focus" />
      <span className="text-tiny dim nowrap">
        {shown === total ? t("hooks.shown", { count: total }) : t("hooks.shownOf", { count: total, shown })}
      </span>
    </div>
  );
}
