import { GitCompareArrows, Pin, RotateCcw, SearchX, Zap } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, DialectTag, Drawer, didRun, FaultNote, Note, Skeleton, Timeline } from "@/components";
import { fixtureName, SaveFixture } from "@/domain/fixtures/SaveFixture";
import { GuardButton } from "@/domain/newHook/GuardButton";
import { useProject } from "@/domain/project";
import { Notices } from "@/domain/trace/Notices";
import { losesHooks, noticesToShow } from "@/domain/trace/notices";
import { ResultBadge } from "@/domain/trace/ResultBadge";
import { useTrace } from "@/domain/trace/runOrder";
import type { DetailTab } from "@/domain/trace/StepDetail";
import { chainOf } from "@/domain/trace/verdict";
import { t } from "@/i18n";
import { time } from "@/i18n/format";
import { type Trace, useCall } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { useNavigate } from "@/routes/router";
import { useReplay } from "./replay";
import { TraceFacts } from "./TraceFacts";
import { type TraceTab, TraceTabs } from "./TraceTabs";

interface TraceDrawerProps {
  trace: string;
  step: number | null;
  /** Another chain is about to be chosen, to compare this one with. */
  choosing: boolean;
  /** Begins or ends that. */
  onCompare: () => void;
  onStep: (step: number) => void;
  onMove: (by: -1 | 1) => void;
  onClose: () => void;
  /** Fired again; hears the id of the new trace. */
  onReplayed: (trace: string) => void;
}

export function TraceDrawer(props: TraceDrawerProps) {
  const { trace, step, choosing, onCompare, onStep, onMove, onClose, onReplayed } = props;
  const shown = useTrace(trace);
  return (
    <Drawer
      id="history.drawer"
      label={t("history.detail")}
      width={380}
      over
      arrows
      onClose={onClose}
      onStep={onMove}
      head={
        shown.data ? (
          <>
            <DialectTag dialect={shown.data.dialect} />
            <b className="mono trunc">{shown.data.event}</b>
            <ResultBadge chain={chainOf(shown.data)} />
          </>
        ) : (
          <b>{t("history.detail")}</b>
        )
      }
    >
      {shown.error !== null ? (
        <FaultNote fault={shown.error} onRetry={() => void shown.refetch()} />
      ) : shown.data === undefined ? (
        <Skeleton rows={10} height={29} what={t("history.detail")} />
      ) : (
        <Detail
          trace={shown.data}
          step={step}
          choosing={choosing}
          onCompare={onCompare}
          onStep={onStep}
          onReplayed={onReplayed}
        />
      )}
    </Drawer>
  );
}

type DetailProps = Pick<TraceDrawerProps, "step" | "choosing" | "onCompare" | "onStep" | "onReplayed"> & {
  trace: Trace;
};

function Detail({ trace, step, choosing, onCompare, onStep, onReplayed }: DetailProps) {
  // A link to a step shows what that step wrote.
  const first: TraceTab = step === null ? "reply" : "step";
  const [tab, setTab] = useState<TraceTab>(first);
  const [detail, setDetail] = useState<DetailTab>("diff");
  const [pinning, setPinning] = useState(false);
  const chosen = step === null ? undefined : trace.steps[step];
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another trace begins anew
  useEffect(() => setTab(first), [trace.trace]);
  const onPin = () => setPinning(!trace.bodies_removed_days);
  const showDiff = () => {
    const changed = trace.steps.findIndex((one) => one.edits.length > 0);
    const at = chosen === undefined ? Math.max(0, changed) : step;
    if (at === null || trace.steps[at] === undefined) return false;
    choose(at);
    setDetail("diff");
  };
  const replay = useReplay(trace, useProject() ?? "", onReplayed);
  // Without its body there is nothing to fire.
  const onReplay = trace.bodies_removed_days ? null : replay.run;
  useScreenActions({ "trace.save": onPin, "trace.diff": showDiff, "trace.replay": onReplay });
  const choose = (index: number) => {
    onStep(index);
    setTab("step");
  };
  return (
    <>
      {pinning ? <PinTrace trace={trace} onClose={() => setPinning(false)} /> : null}
      <DrawerActions
        trace={trace}
        choosing={choosing}
        onCompare={onCompare}
        onPin={onPin}
        onReplay={onReplay}
        isReplaying={replay.busy}
      />
      {choosing ? (
        <Note kind="info" className="flat">
          {t("history.compare.choose")}
        </Note>
      ) : null}
      <TraceFacts trace={trace} hook={chosen?.hook ?? trace.verdict.by ?? trace.steps.find(didRun)?.hook} />
      {trace.bodies_removed_days ? (
        <Note kind="plain" className="flat">
          {t("history.bodyRemoved", { count: trace.bodies_removed_days })}
        </Note>
      ) : null}
      <Notices notices={noticesToShow(trace)} />
      {trace.steps.length > 0 ? (
        <div className="flex-[0_1_auto] min-h-36 overflow-y-auto">
          <Timeline steps={trace.steps} took={trace.took_ms} selected={step} onSelect={choose} tight />
        </div>
      ) : (
        <p className="text-small dim pad-16">
          {losesHooks(trace.notices) ? t("fire.hooksLost") : t("fire.nobodyListens", { event: trace.event })}
        </p>
      )}
      <TraceTabs trace={trace} step={chosen} tab={tab} onTab={setTab} detail={detail} onDetail={setDetail} />
    </>
  );
}

interface DrawerActionsProps extends Pick<DetailProps, "trace" | "choosing" | "onCompare"> {
  onPin: () => void;
  /** Null where there is nothing to fire. */
  onReplay: (() => unknown) | null;
  isReplaying: boolean;
}

/** What can be done with the event. */
function DrawerActions({ trace, choosing, onCompare, onPin, onReplay, isReplaying }: DrawerActionsProps) {
  const navigate = useNavigate();
  return (
    <div className="row flex-wrap py-2 px-3 border-b border-line-1 flex-none">
      <Button
        size="small"
        icon={Zap}
        action="trace.fire"
        onClick={() => void navigate({ to: "/fire", search: { trace: trace.trace } })}
      >
        {t("history.fireWith")}
      </Button>
      <Button
        size="small"
        icon={SearchX}
        action="trace.explain"
        onClick={() => void navigate({ to: "/history/explain", search: { trace: trace.trace } })}
      >
        {t("history.explain")}
      </Button>
      <GuardButton trace={trace} />
      <span className="spacer" />
      {onReplay === null ? null : (
        <Button
          kind="ghost"
          size="small"
          icon={RotateCcw}
          label={t("history.replay")}
          action="trace.replay"
          busy={isReplaying}
          onClick={onReplay}
        />
      )}
      <Button
        kind="ghost"
        size="small"
        icon={GitCompareArrows}
        label={t("history.compare.title")}
        action="trace.compare"
        aria-pressed={choosing}
        onClick={onCompare}
      />
      {trace.bodies_removed_days ? null : (
        <Button kind="ghost" size="small" icon={Pin} label={t("fire.save.title")} action="trace.save" onClick={onPin} />
      )}
    </div>
  );
}

/** Keeps the event's payload as a fixture. */
function PinTrace({ trace, onClose }: { trace: Trace; onClose: () => void }) {
  const project = useProject() ?? "";
  const fixtures = useCall("fixtures", { project }, { enabled: project !== "" });
  return (
    <SaveFixture
      what={{ dialect: trace.dialect, event: trace.event, payload: trace.payload_before }}
      name={fixtureName(t("fire.save.fromEvent", { time: time(trace.at) }))}
      fixtures={fixtures.data?.fixtures ?? []}
      onSaved={() => undefined}
      onClose={onClose}
    />
  );
}
