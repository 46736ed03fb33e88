import { useEffect, useState } from "react";
import { useFormats } from "@/i18n/format";

/** Time since a run began, in ms since 1970. */
export function Elapsed({ since }: { since: number }) {
  const { duration } = useFormats();
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 100);
    return () => clearInterval(timer);
  }, []);
  return <span className="mono">{duration(Math.max(0, now - since))}</span>;
}
