import { Link, useNavigate } from "@tanstack/react-router";
import { GitCompareArrows, Pin, SearchX, Zap } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import {
  Button,
  CodePane,
  DialectTag,
  Drawer,
  FaultNote,
  Note,
  Skeleton,
  StepList,
  TabPanel,
  Tabs,
  Waterfall,
} from "@/components";
import { fixtureName, SaveFixture } from "@/domain/fixtures/SaveFixture";
import { useProject } from "@/domain/project";
import { noticesToShow } from "@/domain/trace/notices";
import { ResultBadge } from "@/domain/trace/ResultBadge";
import { useTrace } from "@/domain/trace/runOrder";
import { type DetailTab, StepDetail } from "@/domain/trace/StepDetail";
import { useTool, useVerdictWords } from "@/domain/trace/verdict";
import { useFormats } from "@/i18n/format";
import { useMessages } from "@/i18n/messages";
import { type Trace, useCall } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { escapeInvisible } from "@/lib/escape";
import { jsonBytes } from "@/lib/pretty";

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
}

export function TraceDrawer({ trace, step, choosing, onCompare, onStep, onMove, onClose }: TraceDrawerProps) {
  const { t } = useTranslation();
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
            <ResultBadge verdict={shown.data.verdict} outcomes={shown.data.steps.map((one) => one.outcome)} />
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
        <Detail trace={shown.data} step={step} choosing={choosing} onCompare={onCompare} onStep={onStep} />
      )}
    </Drawer>
  );
}

type DetailProps = Pick<TraceDrawerProps, "step" | "choosing" | "onCompare" | "onStep"> & { trace: Trace };

type Tab = "step" | "reply" | "payload";

function Detail({ trace, step, choosing, onCompare, onStep }: DetailProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { say } = useMessages();
  const [tab, setTab] = useState<Tab>("reply");
  const [detail, setDetail] = useState<DetailTab>("diff");
  const [pinning, setPinning] = useState(false);
  const chosen = step === null ? undefined : trace.steps[step];
  const shown = tab === "step" && !chosen ? "reply" : tab;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another trace begins at its reply
  useEffect(() => setTab("reply"), [trace.trace]);
  const onPin = () => setPinning(!trace.bodies_removed_days);
  const showDiff = () => {
    const changed = trace.steps.findIndex((one) => one.edits.length > 0);
    const at = chosen === undefined ? Math.max(0, changed) : step;
    if (at === null || trace.steps[at] === undefined) return false;
    choose(at);
    setDetail("diff");
  };
  useScreenActions({ "trace.save": onPin, "trace.diff": showDiff });
  const choose = (index: number) => {
    onStep(index);
    setTab("step");
  };
  return (
    <>
      {pinning ? <PinTrace trace={trace} onClose={() => setPinning(false)} /> : null}
      <div className="row drawer-actions">
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
        <span className="spacer" />
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
          <Button
            kind="ghost"
            size="small"
            icon={Pin}
            label={t("fire.save.title")}
            action="trace.save"
            onClick={onPin}
          />
        )}
      </div>
      {choosing ? (
        <Note kind="info" className="flat">
          {t("history.compare.choose")}
        </Note>
      ) : null}
      <Facts trace={trace} hook={chosen?.hook ?? trace.verdict.by} />
      {trace.bodies_removed_days ? <BodyRemoved days={trace.bodies_removed_days} /> : null}
      {noticesToShow(trace).map((notice, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the notices of a finished chain are fixed
        <Note key={index} kind={notice.kind === "warning" ? "warning" : "plain"} className="flat">
          {escapeInvisible(say(notice, notice.text))}
        </Note>
      ))}
      {trace.steps.length > 0 ? (
        <>
          <div className="waterfall-box">
            <Waterfall steps={trace.steps} took={trace.took_ms} selected={step} onSelect={choose} />
          </div>
          <div className="steps-box">
            <StepList label={t("fire.steps")} steps={trace.steps} selected={step} onSelect={choose} badges={false} />
          </div>
        </>
      ) : (
        <p className="text-small dim pad-16">{t("fire.nobodyListens", { event: trace.event })}</p>
      )}
      <div className="step-detail">
        <div className="pane-head" style={{ height: 32 }}>
          <Tabs
            id="trace-detail"
            label={t("history.detailTabs")}
            value={shown}
            onChange={setTab}
            items={[
              { value: "reply", label: t("history.tab.reply") },
              { value: "payload", label: t("history.tab.payload") },
              ...(chosen ? [{ value: "step" as const, label: t("history.tab.step") }] : []),
            ]}
          />
        </div>
        <TabPanel id="trace-detail" value={shown} className="scroll">
          {shown === "step" && chosen ? (
            <StepDetail step={chosen} tab={detail} onTab={setDetail} />
          ) : shown === "payload" ? (
            <CodePane
              label={t("history.tab.payload")}
              value={JSON.stringify(trace.payload_after, null, 2)}
              language="json"
              grow
            />
          ) : (
            <CodePane
              label={t("history.tab.reply")}
              value={JSON.stringify(trace.reply.json, null, 2)}
              language="json"
              grow
            />
          )}
        </TabPanel>
      </div>
    </>
  );
}

/** Keeps the event's payload as a fixture. */
function PinTrace({ trace, onClose }: { trace: Trace; onClose: () => void }) {
  const { t } = useTranslation();
  const { time } = useFormats();
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

function Facts({ trace, hook }: { trace: Trace; hook: string | null | undefined }) {
  const { t } = useTranslation();
  const { dateTime, time, bytes, duration } = useFormats();
  const words = useVerdictWords()(trace);
  const tool = useTool()(trace);
  const size = useMemo(() => jsonBytes(trace.payload_before), [trace.payload_before]);
  const facts: [string, string][] = [
    [t("history.fact.at"), time(trace.at)],
    [t("history.fact.origin"), t(`words.origin.${trace.origin}`)],
    [t("history.fact.took"), duration(trace.took_ms)],
    [t("history.fact.payload"), bytes(size)],
    ...(tool ? [[t("history.fact.tool"), tool] as [string, string]] : []),
    ...(trace.agent ? [[t("history.fact.agent"), trace.agent] as [string, string]] : []),
    ...(trace.session ? [[t("history.fact.session"), trace.session] as [string, string]] : []),
  ];
  return (
    <div className="section">
      <p className="text-small">
        <b className="medium">{words.lead}</b>
        <span className="ink-2">{words.rest}</span>
      </p>
      {words.by ? (
        <p className="text-tiny ink-2">
          <b className="medium ink-1">{words.by.label}</b>{" "}
          {words.by.said ? t("fire.verdict.said", { text: words.by.said }) : t("fire.verdict.decided")}
        </p>
      ) : null}
      <dl className="facts in-pairs">
        {facts.map(([name, value]) => (
          <div key={name} style={{ display: "contents" }}>
            <dt>{name}</dt>
            <dd className="mono trunc" title={name === t("history.fact.at") ? dateTime(trace.at) : value}>
              {value}
            </dd>
          </div>
        ))}
      </dl>
      {trace.redacted ? <p className="text-tiny dim">{t("history.redacted")}</p> : null}
      <Link className="link text-tiny" to="/hooks" search={hook ? { hook } : {}}>
        {t("history.toHooks")}
      </Link>
    </div>
  );
}

/** What retention took away. */
function BodyRemoved({ days }: { days: number }) {
  const { t } = useTranslation();
  return (
    <Note kind="plain" className="flat">
      {t("history.bodyRemoved", { count: days })}
    </Note>
  );
}
