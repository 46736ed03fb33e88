import { useEffect, useRef, useState } from "react";
import { t } from "@/i18n";
import type { HistoryRow } from "@/ipc";
import { failedOpen } from "./verdict";

const SAY_EVERY_MS = 5000;

/** Tells a screen reader what came over the live feed, at most every 5 s; a hook that failed open at once. */
export function LiveAnnouncer({ rows }: { rows: readonly HistoryRow[] }) {
  const [text, setText] = useState("");
  const [alarm, setAlarm] = useState("");
  const before = useRef(rows[0]?.trace ?? "");
  const toldAt = useRef(0);
  useEffect(() => {
    const fresh = rows.filter((row) => row.trace > before.current);
    if (fresh.length === 0) return;
    const open = fresh.filter(failedOpen).length;
    if (open > 0) setAlarm(t("history.sayOpen", { count: open }));
    if (Date.now() - toldAt.current < SAY_EVERY_MS) return;
    toldAt.current = Date.now();
    before.current = fresh[0]?.trace ?? "";
    setText(t("history.sayNew", { count: fresh.length }));
  }, [rows]);
  return (
    <>
      <span className="visually-hidden" role="status">
        {text}
      </span>
      <span className="visually-hidden" role="alert">
        {alarm}
      </span>
    </>
  );
}
