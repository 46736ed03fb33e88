/** The chain of the chosen event with its steps, or the exact text of the chosen call. */
import { X } from "lucide-react";
import { useState } from "react";
import { Button, CodePane, SizedPane, Timeline } from "@/components";
import { Notices } from "@/domain/trace/Notices";
import { isAboutFiles, losesHooks, noticesToShow } from "@/domain/trace/notices";
import { StepDetail } from "@/domain/trace/StepDetail";
import { VerdictBanner } from "@/domain/trace/VerdictBanner";
import { t } from "@/i18n";
import type { Trace } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { Link } from "@/routes/router";
import type { Column } from "./timeline";
import { callName } from "./words";

interface EventPaneProps {
  /** Absent for the exact text of the call. */
  trace: Trace | undefined;
  column: Column | undefined;
  onClose: () => void;
}

export function EventPane({ trace, column, onClose }: EventPaneProps) {
  useScreenActions({ "drawer.close": onClose });
  const title = trace?.event ?? (column === undefined ? "" : callName(column).title);
  return (
    <SizedPane
      id="simulator.event"
      label={t(trace === undefined ? "simulator.exactLabel" : "simulator.chain")}
      width={380}
      min={280}
      split="left"
      className="over bg-1"
    >
      <div className="pane-head">
        <b className={trace === undefined ? "medium trunc" : "medium mono trunc"}>{title}</b>
        <span className="spacer" />
        {trace === undefined ? null : (
          <Link className="link text-tiny row gap-1" to="/history" search={{ trace: trace.trace }}>
            {t("simulator.inHistory")}
          </Link>
        )}
        <Button kind="ghost" size="small" icon={X} label={t("close")} action="drawer.close" onClick={onClose} />
      </div>
      {trace === undefined ? <Exact column={column} /> : <Chain key={trace.trace} trace={trace} />}
    </SizedPane>
  );
}

/** The request as the model gets it. */
function Exact({ column }: { column: Column | undefined }) {
  const messages = column?.lines.map(({ message }) => {
    const { origin: _origin, hook: _hook, ...sent } = message;
    return sent;
  });
  return (
    <CodePane label={t("simulator.exactLabel")} value={JSON.stringify(messages ?? [], null, 2)} language="json" grow />
  );
}

function Chain({ trace }: { trace: Trace }) {
  const { steps } = trace;
  const deciding = steps.findIndex(({ hook }) => hook === trace.verdict.by);
  const [chosen, setChosen] = useState<number | null>(steps.length === 0 ? null : Math.max(0, deciding));
  const move = (by: -1 | 1) => setChosen((now) => Math.min(steps.length - 1, Math.max(0, (now ?? -1) + by)));
  useScreenActions({
    "fire.previousStep": steps.length > 0 ? () => move(-1) : null,
    "fire.nextStep": steps.length > 0 ? () => move(1) : null,
  });
  return (
    <div className="flex-1 min-h-0 overflow-x-hidden overflow-y-auto">
      <Notices notices={noticesToShow(trace).filter(isAboutFiles)} />
      <VerdictBanner trace={trace} small />
      <Notices notices={noticesToShow(trace).filter((notice) => !isAboutFiles(notice))} />
      {steps.length === 0 ? (
        <p className="empty text-small ink-2">
          {losesHooks(trace.notices) ? t("fire.hooksLost") : t("simulator.nobodyListens")}
        </p>
      ) : (
        <Timeline
          steps={steps}
          took={trace.took_ms}
          selected={chosen}
          onSelect={setChosen}
          detail={(step) => <StepDetail step={step} trace={trace} />}
          tight
        />
      )}
    </div>
  );
}
