import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { HistoryRow } from "@/ipc";
import { failedOpen } from "./rows";

const SAY_EVERY_MS = 5000;

/** Tells a screen reader what came in, at most every 5 s; a guard that let go at once. */
export function LiveAnnouncer({ rows }: { rows: readonly HistoryRow[] }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [alarm, setAlarm] = useState("");
  const last = useRef<string | null>(null);
  const said = useRef(0);
  useEffect(() => {
    const newest = rows[0]?.trace ?? null;
    const before = last.current;
    if (before === null || newest === null) {
      last.current = newest;
      return;
    }
    const fresh = rows.filter((row) => row.trace > before);
    if (fresh.length === 0) return;
    const open = fresh.filter((row) => failedOpen(row)).length;
    if (open > 0) setAlarm(t("history.sayOpen", { count: open }));
    if (Date.now() - said.current < SAY_EVERY_MS) return;
    said.current = Date.now();
    last.current = newest;
    setText(t("history.sayNew", { count: fresh.length }));
  }, [rows, t]);
  return (
    <>
      <span className="hide" role="status">
        {text}
      </span>
      <span className="hide" role="alert">
        {alarm}
      </span>
    </>
  );
}
