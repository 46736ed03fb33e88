/** Explain: for one event, every hook with the gates it passed, and the first one it failed. Nothing is run. */

import { Zap } from "lucide-react";
import { useMemo } from "react";
import {
  Button,
  DialectTag,
  FaultNote,
  failedGate,
  Glyph,
  type GlyphKind,
  MiniChain,
  Page,
  Pane,
  Select,
  SizedPane,
  Skeleton,
} from "@/components";
import { idAt } from "@/domain/hooks/facts";
import { useProject } from "@/domain/project";
import { ResultBadge } from "@/domain/trace/ResultBadge";
import { useTrace } from "@/domain/trace/runOrder";
import { useTool, useVerdictWords } from "@/domain/trace/verdict";
import { useTranslation } from "@/i18n";
import { useFormats } from "@/i18n/format";
import { type ExplainStep, type Payload, type Trace, useCall } from "@/ipc";
import { firstDialect, useDialects } from "@/ipc/dialects";
import { itemAfter, useRowActions, useScreenActions } from "@/lib/actions";
import { oneLine } from "@/lib/escape";
import { pretty } from "@/lib/pretty";
import { getRouteApi, Link } from "@/routes/router";
import type { ExplainSearch } from "@/routes/search";
import { Answer, type Asked } from "./Answer";
import "./explain.css";

const route = getRouteApi("/history/explain");
const NO_PAYLOAD: Payload = {};

export function ExplainScreen() {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const project = useProject() ?? "";
  const recorded = useTrace(search.trace);
  const fixtures = useCall("fixtures", { project }, { enabled: project !== "" });
  const list = useCall("hooks.list", { project }, { enabled: project !== "" });
  const first = firstDialect(useDialects(), list.data, search.dialect);
  const fixture = (fixtures.data?.fixtures ?? []).find(
    (one) =>
      one.dialect === first?.id &&
      one.event === (search.event ?? first.first) &&
      (search.fixture === undefined || one.name === search.fixture),
  );
  const event = search.trace ? recorded.data?.event : (fixture?.event ?? search.event);
  const dialect = search.trace ? recorded.data?.dialect : (fixture?.dialect ?? search.dialect);
  const plan = useCall(
    "explain",
    { project, dialect: dialect ?? "", event: event ?? "", payload: fixture?.payload ?? {} },
    { enabled: search.trace === undefined && fixture !== undefined, keepPrevious: true },
  );
  const change = (part: Partial<ExplainSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...part }), replace: true });
  const asked = useMemo(
    () => (recorded.data && search.trace ? ofTrace(recorded.data) : ofPlan(plan.data?.steps ?? [], event ?? "")),
    [recorded.data, search.trace, plan.data, event],
  );
  const chosen =
    asked.find((one) => one.hook === search.hook) ?? asked.find((one) => failedGate(one.gates)) ?? asked[0];
  const fault = recorded.error ?? plan.error ?? fixtures.error;
  const move = (by: number) => {
    const at = chosen ? asked.indexOf(chosen) : -1;
    const next = itemAfter(asked, at, by);
    if (next) change({ hook: next.hook });
  };
  useRowActions(move);
  const { trace } = search;
  const fire = trace === undefined ? null : () => void navigate({ to: "/fire", search: { trace } });
  useScreenActions({
    "trace.fire": fire,
    "explain.leave": () => navigate({ to: "/history", search: trace === undefined ? {} : { trace } }),
  });
  const waiting = search.trace ? recorded.data === undefined : plan.data === undefined;
  return (
    <Page
      title={t("explain.why")}
      crumbs={[
        <Link key="history" className="dim" to="/history">
          {t("history.title")}
        </Link>,
      ]}
      actions={
        fire ? (
          <Button icon={Zap} action="trace.fire" onClick={fire}>
            {t("history.fireWith")}
          </Button>
        ) : null
      }
    >
      {fault ? (
        <FaultNote fault={fault} />
      ) : waiting || dialect === undefined || event === undefined ? (
        <Skeleton rows={8} height={32} what={t("explain.title")} />
      ) : (
        <div className="panes explain-panes">
          <SizedPane id="explain.hooks" label={t("explain.hooks")} width={440} min={280} max={640} split="right">
            <EventHead trace={search.trace ? recorded.data : undefined} dialect={dialect} event={event} asked={asked} />
            <HookChoice asked={asked} chosen={chosen?.hook} onChoose={(hook) => change({ hook })} />
            <AnotherEvent
              project={project}
              dialect={dialect}
              event={event}
              onEvent={(to) => change({ trace: undefined, ...to, fixture: undefined, hook: undefined })}
            />
          </SizedPane>
          <Pane label={t("explain.gates")}>
            {chosen ? (
              <Answer
                asked={chosen}
                event={event}
                payload={
                  recorded.data && search.trace ? recorded.data.payload_before : (plan.data?.payload ?? NO_PAYLOAD)
                }
                hook={list.data?.hooks.find((one) => one.hook === chosen.hook || idAt(one, event) === chosen.hook)}
                project={project}
              />
            ) : (
              <p className="empty text-small ink-2">{t("fire.nobodyListens", { event })}</p>
            )}
          </Pane>
        </div>
      )}
    </Page>
  );
}

function ofTrace(trace: Trace): Asked[] {
  return trace.steps.map((step) => ({
    hook: step.hook,
    label: step.label,
    gates: step.gates,
    glyph: step.outcome === "skipped" && step.reason === "chain_ended" ? "not_reached" : step.outcome,
    ran: step.attempts.length > 0,
    source: step.source,
    recorded: step,
  }));
}

function ofPlan(steps: readonly ExplainStep[], event: string): Asked[] {
  return steps
    .filter((step) => step.event === event)
    .map((step) => {
      const failed = failedGate(step.gates);
      const glyph = failed === undefined ? "planned" : failed.gate === "filter" ? "not_matched" : "skipped";
      return {
        hook: step.hook,
        label: step.label,
        gates: step.gates,
        glyph,
        ran: false,
        source: step.source,
        recorded: null,
      };
    });
}

interface EventHeadProps {
  trace: Trace | undefined;
  dialect: string;
  event: string;
  asked: readonly Asked[];
}

function EventHead({ trace, dialect, event, asked }: EventHeadProps) {
  const { t } = useTranslation();
  const { exactTime } = useFormats();
  const wordsOf = useVerdictWords();
  const words = trace && wordsOf(trace).rest;
  return (
    <>
      <div className="pane-head strong-line" style={{ height: "var(--h-bar)" }}>
        <DialectTag dialect={dialect} />
        <b className="mono">{event}</b>
        <span className="spacer" />
        <span className="mono text-tiny dim">{trace ? exactTime(trace.at) : t("explain.notFired")}</span>
      </div>
      {trace ? <EventAbout trace={trace} /> : null}
      <div className="section row">
        {trace ? (
          <>
            <ResultBadge verdict={trace.verdict} outcomes={trace.steps.map((step) => step.outcome)} />
            <span className="text-small ink-2 trunc">{words?.replace(/^[,，]\s*/, "")}</span>
          </>
        ) : (
          <span className="text-small ink-2">{t("explain.hypothetical")}</span>
        )}
        <span className="spacer" />
        <MiniChain
          pitch={15}
          steps={asked.map((one) => ({
            outcome: one.glyph === "not_reached" ? "skipped" : (one.glyph as Exclude<GlyphKind, "not_reached">),
            reason: one.glyph === "not_reached" ? "chain_ended" : null,
          }))}
        />
      </div>
    </>
  );
}

/** What the event was about: the tool, and the first of its own fields. */
function EventAbout({ trace }: { trace: Trace }) {
  const tool = useTool()(trace);
  const dialect = useDialects().find((one) => one.id === trace.dialect);
  const event = dialect?.events.find((one) => one.name === trace.event);
  const field = event?.fields.find(
    ({ name }) => name !== dialect?.tool_field && !dialect?.common.includes(name) && trace.payload_before[name] != null,
  );
  const text = field === undefined ? "" : oneLine(pretty(trace.payload_before[field.name]), 200);
  if (tool === null && text === "") return null;
  return (
    <p className="section mono dim explained-event" title={text}>
      {tool === null ? null : <b className="medium ink-1">{tool} </b>}
      {text}
    </p>
  );
}

interface HookChoiceProps {
  asked: readonly Asked[];
  chosen: string | undefined;
  onChoose: (hook: string) => void;
}

function HookChoice({ asked, chosen, onChoose }: HookChoiceProps) {
  const { t } = useTranslation();
  return (
    <div className="section">
      <div className="section-head row text-tiny dim">
        <span>{t("explain.considered", { count: asked.length })}</span>
        <span className="spacer" />
        <span>{t("explain.pick")}</span>
      </div>
      <div role="listbox" aria-label={t("explain.hooks")}>
        {asked.map((one) => {
          const failed = failedGate(one.gates);
          return (
            <button
              type="button"
              key={one.hook}
              role="option"
              aria-selected={one.hook === chosen}
              className={one.hook === chosen ? "explained-hook on" : "explained-hook"}
              onClick={() => onChoose(one.hook)}
            >
              <Glyph kind={one.glyph} size={12} />
              <span className="trunc">{oneLine(one.label, 60)}</span>
              <span className="dim text-tiny nowrap">
                {failed
                  ? t("explain.stoppedAt", { gate: t(`explain.gate.${failed.gate}`) })
                  : one.recorded
                    ? t("explain.ran")
                    : t("explain.wouldRun")}
              </span>
            </button>
          );
        })}
      </div>
    </div>
  );
}

function AnotherEvent({
  project,
  dialect,
  event,
  onEvent,
}: {
  project: string;
  dialect: string;
  event: string;
  onEvent: (to: { dialect: string; event: string }) => void;
}) {
  const { t } = useTranslation();
  const fixtures = useCall("fixtures", { project }, { enabled: project !== "" });
  const dialects = useDialects();
  const events = new Map((fixtures.data?.fixtures ?? []).map((one) => [`${one.dialect} ${one.event}`, one]));
  const labelOf = (id: string) => dialects.find((one) => one.id === id)?.name ?? id;
  return (
    <div className="section">
      <div className="section-head text-tiny dim">{t("explain.another")}</div>
      <Select
        label={t("explain.another")}
        value={`${dialect} ${event}`}
        options={[...events].map(([value, one]) => ({
          value,
          label: dialects.length > 1 ? `${labelOf(one.dialect)} · ${one.event}` : one.event,
        }))}
        onChange={(value) => {
          const to = events.get(value);
          if (to) onEvent({ dialect: to.dialect, event: to.event });
        }}
      />
    </div>
  );
}
