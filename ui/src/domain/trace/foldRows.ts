/** Events without a hook as one line, on every screen that lists rows. */
import type { Fold } from "@/components";
import { t } from "@/i18n";
import type { HistoryRow } from "@/ipc";
import { isWithoutHook } from "./verdict";

export const WITHOUT_HOOK: Fold<HistoryRow> = {
  folds: isWithoutHook,
  text: (count) => t("history.withoutHook", { count }),
};

/** Undefined where nothing but folded rows would be left. */
export function foldOf(rows: readonly HistoryRow[]): Fold<HistoryRow> | undefined {
  return rows.every(isWithoutHook) ? undefined : WITHOUT_HOOK;
}

/** The rows that the keys of the screen step through. */
export function steppedRows(
  rows: readonly HistoryRow[],
  fold: Fold<HistoryRow> | undefined,
  selected: string | null | undefined,
): readonly HistoryRow[] {
  return fold === undefined ? rows : rows.filter((row) => row.trace === selected || !fold.folds(row));
}
