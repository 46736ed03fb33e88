/** A new hook from a recorded event: the guard against it, or where there can be none, the way to a hook for its event. */
import { Plus } from "lucide-react";
import { useState } from "react";
import { Button, DialectTag, Empty, FaultNote, Skeleton } from "@/components";
import { useTrace } from "@/domain/trace/runOrder";
import { rowsOf, useFollowed } from "@/domain/trace/useFollowed";
import { t } from "@/i18n";
import { timeOfDay } from "@/i18n/format";
import { useCall } from "@/ipc";
import { escapeInvisible, oneLine } from "@/lib/escape";
import type { WayProps } from "./AddConfirm";
import { ChooseFirst } from "./ChooseFirst";
import { GuardWay } from "./GuardWay";
import { type RecordedEvent, recordedOf, type Wanted } from "./newHook";

/** As many recent events are offered. */
const RECENT = 50;

interface RecordedWayProps extends WayProps {
  recorded: RecordedEvent | undefined;
  /** Asks for a hook of this event instead. */
  onEvent: (event: Wanted) => void;
}

export default function RecordedWay({ recorded, onEvent, ...props }: RecordedWayProps) {
  const [trace, setTrace] = useState<string | null>(null);
  if (recorded !== undefined && trace === null) {
    return <Guard {...props} recorded={recorded} onEvent={onEvent} />;
  }
  if (trace !== null) return <Read {...props} trace={trace} onEvent={onEvent} onBack={() => setTrace(null)} />;
  return <Recent {...props} onChoose={setTrace} />;
}

/** The last events of the project. */
function Recent({ project, onClose, onChoose }: WayProps & { onChoose: (trace: string) => void }) {
  const page = useCall("history.page", { project, limit: RECENT }, { refetchOnMount: true, keepPrevious: true });
  useFollowed(rowsOf(project), page.refetch);
  const [marked, setMarked] = useState<string | null>(null);
  if (page.error !== null) return <FaultNote fault={page.error} onRetry={() => void page.refetch()} />;
  if (page.data === undefined) return <Skeleton what={t("newHook.recent")} height={28} />;
  const rows = page.data.traces;
  const at = marked ?? rows[0]?.trace;
  if (at === undefined) return <Empty title={t("newHook.noEvents")} text={t("newHook.noEventsText")} />;
  return (
    <ChooseFirst
      label={t("newHook.recent")}
      value={at}
      onChange={setMarked}
      empty={t("newHook.noEvents")}
      items={rows.map((row) => ({
        value: row.trace,
        label: (
          <span className="row">
            <DialectTag dialect={row.dialect} />
            <b className="medium mono nowrap">{row.event}</b>
            <span className="mono dim trunc grow">{oneLine(escapeInvisible(row.about), 90)}</span>
            <span className="mono dim nowrap text-tiny">{timeOfDay(row.at)}</span>
          </span>
        ),
      }))}
      doLabel={t("newHook.guardAgainst")}
      onDo={() => onChoose(at)}
      onClose={onClose}
    />
  );
}

type ReadProps = WayProps & Pick<RecordedWayProps, "onEvent"> & { trace: string; onBack: () => void };

/** A recorded event whose payload is read first. */
function Read({ trace, onBack, ...props }: ReadProps) {
  const read = useTrace(trace);
  if (read.error !== null) return <FaultNote fault={read.error} onRetry={() => void read.refetch()} />;
  if (read.data === undefined) return <Skeleton what={t("newHook.recent")} height={28} />;
  if (read.data.bodies_removed_days) {
    return (
      <Empty title={t("newHook.noPayload")} text={t("newHook.noPayloadText")}>
        <Button onClick={onBack}>{t("newHook.otherEvent")}</Button>
      </Empty>
    );
  }
  return <Guard {...props} recorded={recordedOf(read.data)} />;
}

type GuardProps = WayProps & Pick<RecordedWayProps, "onEvent"> & { recorded: RecordedEvent };

function Guard({ recorded, onEvent, ...props }: GuardProps) {
  const draft = useCall("guards.draft", { ...recorded });
  if (draft.error !== null) return <FaultNote fault={draft.error} onRetry={() => void draft.refetch()} />;
  if (draft.data === undefined) return <Skeleton what={t("newHook.title")} height={40} />;
  const { guard, can_block } = draft.data;
  if (guard !== null) return <GuardWay {...props} recorded={recorded} guard={guard} />;
  const { dialect, event } = recorded;
  return (
    <Empty
      title={t(can_block ? "newHook.noValue" : "newHook.cannotBlock", { event })}
      text={t("newHook.cannotBlockText")}
    >
      <Button kind="primary" icon={Plus} data-focus onClick={() => onEvent({ dialect, event })}>
        {t("newHook.askHere")}
      </Button>
    </Empty>
  );
}
