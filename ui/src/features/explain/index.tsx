/** Explain: for one event, every hook with the gates it passed, and the first one it failed. Nothing is run. */
import { getRouteApi, Link } from "@tanstack/react-router";
import { Copy, SearchX, Zap } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import {
  type AttemptGate,
  Button,
  DialectTag,
  FaultNote,
  failedGate,
  GateList,
  Glyph,
  type GlyphKind,
  MiniChain,
  Page,
  Pane,
  Select,
  SizedPane,
  Skeleton,
  toast,
} from "@/components";
import { useProject } from "@/domain/project";
import { ResultBadge } from "@/domain/trace/ResultBadge";
import { useTrace } from "@/domain/trace/runOrder";
import { useFormats } from "@/i18n/format";
import { useMessages } from "@/i18n/messages";
import { type ExplainStep, type Step, type Trace, useCall } from "@/ipc";
import { firstDialect, useDialects } from "@/ipc/dialects";
import { itemAfter, useRowActions, useScreenActions } from "@/lib/actions";
import { escapeInvisible, oneLine } from "@/lib/escape";
import type { ExplainSearch } from "@/routes/search";
import "./explain.css";

const route = getRouteApi("/history/explain");

/** A hook under the question, recorded or hypothetical. */
interface Asked {
  hook: string;
  label: string;
  gates: ExplainStep["gates"];
  glyph: GlyphKind;
  ran: boolean;
  recorded: Step | null;
}

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
        <div className="panes">
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
              <Answer asked={chosen} event={event} />
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
    recorded: step,
  }));
}

function ofPlan(steps: readonly ExplainStep[], event: string): Asked[] {
  return steps
    .filter((step) => step.event === event)
    .map((step) => {
      const failed = failedGate(step.gates);
      const glyph = failed === undefined ? "planned" : failed.gate === "filter" ? "not_matched" : "skipped";
      return { hook: step.hook, label: step.label, gates: step.gates, glyph, ran: false, recorded: null };
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
  return (
    <>
      <div className="pane-head strong-line" style={{ height: "var(--h-bar)" }}>
        <DialectTag dialect={dialect} />
        <b className="mono">{event}</b>
        <span className="spacer" />
        <span className="mono text-tiny dim">{trace ? exactTime(trace.at) : t("explain.notFired")}</span>
      </div>
      <div className="section row">
        {trace ? (
          <ResultBadge verdict={trace.verdict} outcomes={trace.steps.map((step) => step.outcome)} />
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

function Answer({ asked, event }: { asked: Asked; event: string }) {
  const { t } = useTranslation();
  const { say } = useMessages();
  const failed = failedGate(asked.gates);
  const label = oneLine(asked.label, 60);
  const passed = asked.gates.filter((gate) => gate.pass).length;
  const headline = failed
    ? asked.recorded
      ? t("explain.didNotRun", { label, why: escapeInvisible(say(failed, failed.why ?? "")) })
      : t("explain.wouldNotRun", { label, why: escapeInvisible(say(failed, failed.why ?? "")) })
    : asked.recorded
      ? t("explain.didRun", { label })
      : t("explain.itWouldRun", { label });
  const copy = () => {
    const lines = asked.gates.map((gate) => `${gate.pass ? "✓" : "✗"} ${gate.gate}${gate.why ? `: ${gate.why}` : ""}`);
    void navigator.clipboard.writeText([`${asked.hook} · ${event}`, ...lines].join("\n"));
    toast(t("copied"), null);
  };
  return (
    <div className="answer">
      <div className="row answer-head">
        {failed ? (
          <span className="ink-deny">
            <SearchX size={20} strokeWidth={1.75} aria-hidden="true" />
          </span>
        ) : (
          <Glyph kind={asked.glyph} size={24} />
        )}
        <div className="grow">
          <h2 className="verdict-text">{headline}</h2>
          <p className="text-small ink-2">
            {failed
              ? t("explain.stopped", { count: passed, at: passed + 1 })
              : t("explain.passedAll", { count: passed })}
          </p>
        </div>
      </div>
      <div className="grow scroll">
        <GateList label={t("explain.gates")} gates={asked.gates} attempts={attemptGates(asked)} />
      </div>
      <div className="row answer-foot text-tiny dim">
        <span>{asked.recorded ? t("explain.stored") : t("explain.nothingRan")}</span>
        <span className="spacer" />
        <Button kind="ghost" size="small" icon={Copy} onClick={copy}>
          {t("explain.copy")}
        </Button>
      </div>
    </div>
  );
}

/** Below the gates, what its last attempt says: it started, it returned in time. */
function attemptGates(asked: Asked): AttemptGate[] {
  const last = asked.recorded?.attempts.at(-1);
  if (last === undefined) return [];
  const started = last.end !== "not_started";
  const inTime = started && last.end !== "timed_out" && last.end !== "cancelled" && last.end !== "peer_gone";
  return [
    { gate: "started", pass: started, detail: last.command.map((word) => escapeInvisible(word)).join(" ") || null },
    { gate: "returned", pass: started ? inTime : null, detail: null },
  ];
}
