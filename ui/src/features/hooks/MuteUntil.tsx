/** Muting a hook until a time that the user chooses. */
import { useState } from "react";
import { Button, Field, Input, Sheet } from "@/components";
import { t } from "@/i18n";
import { useNow } from "@/lib/useNow";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

interface MuteUntilProps {
  /** Gets how long from now. */
  onMute: (forMs: number) => void;
  onClose: () => void;
}

export function MuteUntil({ onMute, onClose }: MuteUntilProps) {
  const now = useNow(MINUTE_MS);
  const [until, setUntil] = useState(() => localText(new Date(now + HOUR_MS)));
  // An empty field is no time, and not later than any.
  const isPast = !(new Date(until).getTime() > now);
  return (
    <Sheet open title={t("hooks.muteFor.title")} onClose={onClose}>
      <form
        className="pad-16 column gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (isPast) return;
          onMute(new Date(until).getTime() - Date.now());
          onClose();
        }}
      >
        <Field label={t("hooks.muteFor.time")} error={isPast ? t("hooks.muteFor.past") : null}>
          {({ id, describedBy }) => (
            <Input
              id={id}
              aria-describedby={describedBy}
              type="datetime-local"
              value={until}
              invalid={isPast}
              onChange={(event) => setUntil(event.target.value)}
            />
          )}
        </Field>
        <div className="row justify-end">
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button kind="primary" type="submit" disabledBecause={isPast ? t("hooks.muteFor.past") : null}>
            {t("hooks.drawer.mute")}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

/** As a field for date and time has it, to the minute, in the time of this machine. */
function localText(at: Date): string {
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}
