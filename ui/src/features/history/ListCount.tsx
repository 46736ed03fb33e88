import { t } from "@/i18n";
import { count } from "@/i18n/format";
import type { Rows } from "./rows";

interface ListCountProps {
  list: Rows;
  isSorted: boolean;
}

/** How many rows there are, and among how many they were looked for. */
export function ListCount({ list, isSorted }: ListCountProps) {
  const more = list.complete ? "" : "+";
  return (
    <>
      <span className="text-tiny dim nowrap">
        {list.searched !== null
          ? t("history.found", { found: count(list.rows.length), count: list.searched, searched: count(list.searched) })
          : t(isSorted ? "history.countSorted" : "history.count", { count: list.rows.length, more })}
      </span>
      {list.stopped ? (
        <button type="button" className="link text-tiny nowrap" onClick={list.searchOlder}>
          {t("history.searchOlder")}
        </button>
      ) : null}
    </>
  );
}
