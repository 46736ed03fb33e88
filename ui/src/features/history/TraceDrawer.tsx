/** One recorded event: verdict, facts in one line, timeline, its texts, and what can be done with it. */
import { Copy, GitCompareArrows, ListTree, Pin, RotateCcw, SearchX, Zap } from "lucide-react";
import { useState } from "react";
import {
  ActionBar,
  CodePane,
  DialectTag,
  Drawer,
  didRun,
  FaultNote,
  Note,
  Skeleton,
  TabPanel,
  Tabs,
  Timeline,
  Tooltip,
} from "@/components";
import { copyText } from "@/domain/clipboard";
import { fixtureName, SaveFixture } from "@/domain/fixtures/SaveFixture";
import { useGuardAction } from "@/domain/newHook/guardAction";
import { useProject } from "@/domain/project";
import { Notices } from "@/domain/trace/Notices";
import { losesHooks, noticesToShow } from "@/domain/trace/notices";
import { useTrace } from "@/domain/trace/runOrder";
import { StepDetail } from "@/domain/trace/StepDetail";
import { VerdictBanner } from "@/domain/trace/VerdictBanner";
import { useTool } from "@/domain/trace/verdictWords";
import { t } from "@/i18n";
import { bytes, dateTime, time } from "@/i18n/format";
import { type Trace, useCall } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { escapeInvisible } from "@/lib/escape";
import { toJson } from "@/lib/exactJson";
import { jsonBytes } from "@/lib/pretty";
import { useNavigate } from "@/routes/router";
import { useReplay } from "./replay";

interface TraceDrawerProps {
  trace: string;
  step: number | null;
  /** Another chain is about to be chosen, to compare this one with. */
  choosing: boolean;
  /** Begins or ends that. */
  onCompare: () => void;
  onStep: (step: number | null) => void;
  onMove: (by: -1 | 1) => void;
  onClose: () => void;
  /** Fired again; hears the id of the new trace. */
  onReplayed: (trace: string) => void;
}

export function TraceDrawer(props: TraceDrawerProps) {
  const shown = useTrace(props.trace);
  return (
    <Drawer
      id="history.drawer"
      label={t("history.detail")}
      width={404}
      over
      arrows
      onClose={props.onClose}
      onStep={props.onMove}
      head={
        shown.data ? (
          <>
            <DialectTag dialect={shown.data.dialect} />
            <b className="mono trunc">{shown.data.event}</b>
            <Tooltip text={dateTime(shown.data.at)}>
              <span className="mono dim text-tiny nowrap">{time(shown.data.at)}</span>
            </Tooltip>
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
        <Detail key={shown.data.trace} {...props} trace={shown.data} />
      )}
    </Drawer>
  );
}

type DetailProps = Omit<TraceDrawerProps, "trace"> & { trace: Trace };

function Detail({ trace, step, choosing, onCompare, onStep, onReplayed }: DetailProps) {
  const { steps } = trace;
  const [pinning, setPinning] = useState(false);
  /** The step whose difference was asked for. */
  const [diffOf, setDiffOf] = useState<number | null>(null);
  const chosen = step === null ? undefined : steps[step];
  const showDiff = () => {
    const at =
      step ??
      Math.max(
        0,
        steps.findIndex(({ edits }) => edits.length > 0),
      );
    if (steps[at] === undefined) return false;
    setDiffOf(at);
    onStep(at);
  };
  return (
    <>
      {pinning ? <PinTrace trace={trace} onClose={() => setPinning(false)} /> : null}
      {choosing ? (
        <Note kind="info" className="flat">
          {t("history.compare.choose")}
        </Note>
      ) : null}
      <VerdictBanner trace={trace} small />
      <div className="flex-1 min-h-0 overflow-y-auto">
        <FactLine trace={trace} />
        {trace.bodies_removed_days ? (
          <Note kind="plain" className="flat">
            {t("history.bodyRemoved", { count: trace.bodies_removed_days })}
          </Note>
        ) : null}
        <Notices notices={noticesToShow(trace)} />
        {steps.length > 0 ? (
          <Timeline
            steps={steps}
            took={trace.took_ms}
            selected={step}
            onSelect={onStep}
            detail={(one, at) => (
              <StepDetail
                key={at === diffOf ? "diff" : "step"}
                step={one}
                trace={trace}
                first={at === diffOf ? "diff" : undefined}
              />
            )}
            tight
          />
        ) : (
          <p className="text-small dim pad-16">
            {losesHooks(trace.notices) ? t("fire.hooksLost") : t("fire.nobodyListens", { event: trace.event })}
          </p>
        )}
        <TraceTexts trace={trace} />
      </div>
      <TraceActions
        trace={trace}
        hook={chosen?.hook ?? trace.verdict.by ?? steps.find(didRun)?.hook}
        choosing={choosing}
        onCompare={onCompare}
        onPin={() => setPinning(true)}
        onDiff={showDiff}
        onReplayed={onReplayed}
      />
    </>
  );
}

/** What the verdict does not say, in one line. */
function FactLine({ trace }: { trace: Trace }) {
  const tool = useTool()(trace);
  const facts: [string, string][] = [
    [t("history.fact.agent"), trace.agent ?? ""],
    [t("history.fact.session"), trace.session ?? ""],
    [t("history.fact.origin"), t(`words.origin.${trace.origin}`)],
    [t("history.fact.tool"), tool ?? ""],
    [t("history.fact.payload"), trace.bodies_removed_days ? "" : bytes(jsonBytes(trace.payload_before))],
  ];
  return (
    <div className="py-2 px-3 border-b border-line-1 text-small">
      <dl className="flex flex-wrap gap-x-4 gap-y-1">
        {facts.map(([name, value]) =>
          value === "" ? null : (
            <div key={name} className="flex gap-1.5 min-w-0">
              <dt className="dim flex-none">{name}</dt>
              <Tooltip text={escapeInvisible(value)} onlyCut>
                <dd className="medium trunc">{escapeInvisible(value)}</dd>
              </Tooltip>
            </div>
          ),
        )}
      </dl>
      {trace.redacted ? <p className="text-tiny dim mt-1">{t("history.redacted")}</p> : null}
    </div>
  );
}

/** The reply, and the payload before and after the hooks. */
function TraceTexts({ trace }: { trace: Trace }) {
  const texts = {
    reply: toJson(trace.reply.json, 2),
    payload: toJson(trace.payload_before, 2),
    after: toJson(trace.payload_after, 2),
  };
  const tabs = (["reply", "payload", "after"] as const).filter(
    (tab) => tab !== "after" || texts.after !== texts.payload,
  );
  const [tab, setTab] = useState<(typeof tabs)[number]>("reply");
  return (
    <div className="border-t border-line-2 mt-2">
      <div className="pane-head" style={{ height: 34 }}>
        <Tabs
          id="trace-detail"
          label={t("history.detailTabs")}
          value={tab}
          onChange={setTab}
          items={tabs.map((value) => ({ value, label: t(`history.tab.${value}`) }))}
        />
      </div>
      <TabPanel id="trace-detail" value={tab}>
        <CodePane label={t(`history.tab.${tab}`)} value={texts[tab]} language="json" grow />
      </TabPanel>
    </div>
  );
}

interface TraceActionsProps extends Pick<DetailProps, "trace" | "choosing" | "onCompare" | "onReplayed"> {
  /** The hook that the list of hooks is opened with. */
  hook: string | undefined;
  onPin: () => void;
  onDiff: () => unknown;
}

function TraceActions({ trace, hook, choosing, onCompare, onPin, onDiff, onReplayed }: TraceActionsProps) {
  const navigate = useNavigate();
  const replay = useReplay(trace, useProject() ?? "", onReplayed);
  const guard = useGuardAction(trace);
  const id = trace.trace;
  // Without its body there is nothing to fire and nothing to keep.
  const hasBody = !trace.bodies_removed_days;
  const fire = () => navigate({ to: "/fire", search: { trace: id } });
  const explain = () => navigate({ to: "/history/explain", search: { trace: id } });
  useScreenActions({
    "trace.save": hasBody ? onPin : null,
    "trace.diff": onDiff,
    "trace.replay": hasBody ? replay.run : null,
  });
  return (
    <ActionBar
      items={[
        ...(hasBody
          ? [
              {
                label: t("history.replay"),
                icon: RotateCcw,
                action: "trace.replay" as const,
                busy: replay.busy,
                run: replay.run,
              },
            ]
          : []),
        { label: t("history.explain"), icon: SearchX, action: "trace.explain", run: explain },
        { label: t("fire.title"), icon: Zap, action: "trace.fire", run: fire },
        ...guard,
        {
          label: t("history.compare.title"),
          icon: GitCompareArrows,
          action: "trace.compare",
          pressed: choosing,
          run: onCompare,
        },
      ]}
      more={[
        ...(hasBody ? [{ label: t("fire.save.title"), icon: Pin, action: "trace.save" as const, run: onPin }] : []),
        ...(hook === undefined
          ? []
          : [
              {
                label: t("history.toHooks"),
                icon: ListTree,
                run: () => navigate({ to: "/hooks", search: { hook, event: trace.event } }),
              },
            ]),
        { label: t("copyId"), icon: Copy, run: () => copyText(id) },
      ]}
    />
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
