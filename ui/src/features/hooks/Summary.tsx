import { BellOff, BellRing, ChevronRight, ShieldQuestionMark, Zap } from "lucide-react";
import { Fragment, useState } from "react";
import {
  Button,
  ChainPosition,
  Facts,
  GLYPH_COLOUR,
  Glyph,
  type GlyphKind,
  HookState,
  healthSentence,
  Icon,
  InlineCode,
  isFault,
  Menu,
  Note,
  type PositionStep,
  startsNothing,
  Tooltip,
} from "@/components";
import { Budget, DID_NOTHING, runsOf, Sparkline, STACK } from "@/components/chart";
import { FileFixes } from "@/domain/hooks/FileFixes";
import { FilterWords } from "@/domain/hooks/FilterWords";
import { eventOf, hooksOfEvent, idAt, type Facts as Stats, statsOf, willRun } from "@/domain/hooks/facts";
import { fileFact, mayFact, runsFact } from "@/domain/hooks/hookFacts";
import { useMute } from "@/domain/hooks/mute";
import { problemText } from "@/domain/hooks/problemText";
import { useTrace } from "@/domain/trace/runOrder";
import { rowsOf, useFollowed } from "@/domain/trace/useFollowed";
import { t } from "@/i18n";
import { clock, count, duration, limitText, time } from "@/i18n/format";
import { textOf } from "@/i18n/text";
import { type Bar, type HookRow, type HooksDocument, type Outcome, type Problem, type Step, useCall } from "@/ipc";
import { useAgentName, useEventInfo } from "@/ipc/dialects";
import { oneLine } from "@/lib/escape";
import { useNavigate } from "@/routes/router";
import type { Edits } from "./edits";
import { FilterEdit } from "./filter/FilterEdit";
import { MuteUntil } from "./MuteUntil";
import { hasPosition, useOrder } from "./order";
import { PromptEdit } from "./prompt/PromptEdit";

interface SummaryProps {
  hook: HookRow;
  document: HooksDocument;
  facts: Stats;
  project: string;
  onHook: (hook: string) => void;
  onReview: (hook: string) => void;
  edits: Edits;
}

export function Summary(props: SummaryProps) {
  return (
    <>
      <Head {...props} />
      <Details {...props} />
      <Hints {...props} />
      <Place {...props} />
      <LastDay {...props} />
    </>
  );
}

function Head({ hook, document, project, onReview }: SummaryProps) {
  const navigate = useNavigate();
  const mute = useMute(project);
  const agent = useAgentName(hook.dialect);
  const { state, at } = hook.health;
  const isWrong = isFault(hook.health);
  const cause = healthSentence(hook, agent);
  const own = document.problems.filter((problem) => problem.hook === hook.hook && problem.severity !== "hint");
  const minutes = (n: number) => n * 60_000;
  const mutes = [
    [t("hooks.muteFor.halfHour"), minutes(30)],
    [t("hooks.muteFor.hour"), minutes(60)],
    [t("hooks.muteFor.day"), minutes(24 * 60)],
    [t("hooks.muteFor.good"), null],
  ] as const;
  const [asksTime, setAsksTime] = useState(false);
  return (
    <div className={isWrong ? "section bg-fail-bg" : "section"}>
      <div className="row" style={{ justifyContent: "space-between" }}>
        <HookState hook={hook} detail={!isWrong} />
        <span className="text-tiny dim trunc">
          {at !== null && isWrong
            ? t("hooks.drawer.since", { time: time(at) })
            : hook.mode === "detach"
              ? t("words.outcome.detached")
              : null}
        </span>
      </div>
      {isWrong && cause !== null ? (
        <p className="text-small ink-1 wrap mt-2">
          <InlineCode text={cause} />
        </p>
      ) : null}
      <div className="row" style={{ marginTop: 10 }}>
        {state === "needs_review" ? (
          <Button
            kind="primary"
            grow
            icon={ShieldQuestionMark}
            action="hook.review"
            onClick={() => onReview(hook.hook)}
          >
            {t("hooks.drawer.review")}
          </Button>
        ) : null}
        <Button
          kind={state === "needs_review" ? "default" : "primary"}
          grow={state !== "needs_review"}
          icon={Zap}
          action="hook.fire"
          onClick={() =>
            void navigate({ to: "/fire", search: { dialect: hook.dialect, event: eventOf(hook), hook: hook.hook } })
          }
        >
          {t("hooks.drawer.fire")}
        </Button>
        {hook.muted ? (
          <Button icon={BellRing} label={t("hooks.unmute")} action="hook.switch" onClick={() => mute(hook, "off")} />
        ) : (
          <Menu
            items={[
              ...mutes.map(([label, ms]) => ({ label, icon: BellOff, run: () => mute(hook, ms) })),
              { label: t("hooks.muteFor.until"), icon: BellOff, run: () => setAsksTime(true) },
            ]}
          >
            <Button icon={BellOff} label={t("hooks.drawer.mute")} />
          </Menu>
        )}
        {asksTime ? <MuteUntil onMute={(ms) => mute(hook, ms)} onClose={() => setAsksTime(false)} /> : null}
      </div>
      <div className="column" style={{ gap: 6, marginTop: state === "ready" && own.length === 0 ? 0 : 10 }}>
        {state === "needs_review" ? <Note kind="warning">{t("hooks.drawer.reviewText")}</Note> : null}
        {hook.muted ? <Note kind="plain">{t("hooks.mutedNote", { agent })}</Note> : null}
        <Problems problems={own} hooks={document.hooks} project={project} />
      </div>
    </div>
  );
}

const NOTES = { error: "error", warning: "warning", hint: "info" } as const;

function Problems({ problems, hooks, project }: { problems: Problem[]; hooks: HookRow[]; project: string }) {
  const { title, advice } = problemText(hooks);
  return problems.map((problem) => (
    <Note
      key={`${problem.code} ${problem.line} ${problem.column}`}
      kind={NOTES[problem.severity]}
      lead={<InlineCode text={oneLine(title(problem))} />}
    >
      <span className="block">
        <InlineCode text={advice(problem) ?? ""} />
      </span>
      <FileFixes fixes={problem.fixes} hook={problem.hook} hooks={hooks} project={project} />
    </Note>
  ));
}

/** Advice about the hook, folded: what is wrong stands above. */
function Hints({ hook, document, project }: SummaryProps) {
  const hints = document.problems.filter((problem) => problem.hook === hook.hook && problem.severity === "hint");
  if (hints.length === 0) return null;
  return (
    <details className="section [&>summary]:gap-1.5 [&>summary::-webkit-details-marker]:hidden [&[open]>summary>.icon]:rotate-90 [&>.note]:mt-2">
      <summary className="row text-small ink-2">
        <Icon of={ChevronRight} size={12} />
        {t("hooks.drawer.hints", { count: hints.length })}
      </summary>
      <Problems problems={hints} hooks={document.hooks} project={project} />
    </details>
  );
}

function Details({ hook, document, facts, project, edits }: SummaryProps) {
  const event = useEventInfo(hook.dialect, eventOf(hook));
  const limit = startsNothing(hook.handler) ? null : hook.timeout_ms;
  const stats = statsOf(facts, hook);
  const p95 = stats?.p95_ms ?? 0;
  const editing = { hook, hooks: document.hooks, project, edits };
  return (
    <div className="section">
      <Facts
        rows={[
          [
            t("hooks.drawer.event"),
            <Tooltip key="event" text={event ? textOf(event.about) : null}>
              <span className="mono">
                {hook.serves ? t("hooks.everyEvent", { count: hook.serves.length }) : hook.event}
              </span>
            </Tooltip>,
          ],
          [
            t("hooks.drawer.runsWhen"),
            <Fragment key="condition">
              <FilterWords filter={hook.filter} />
              <FilterEdit {...editing} />
            </Fragment>,
            "wrap",
          ],
          runsFact(hook, project),
          hook.handler === "prompt" ? [null, <PromptEdit key="prompt" {...editing} />] : null,
          mayFact(event),
          [
            t("hooks.drawer.ifFails"),
            limit === null ? t("hooks.drawer.cannotFail") : t(`words.ifFails.${hook.on_failure_effect}`),
            hook.on_failure_effect === "continues" && hook.guard ? "wrap ink-fail" : "wrap",
          ],
          limit === null || hook.attempts === 1
            ? null
            : [
                t("hooks.drawer.limit"),
                t("hooks.drawer.limitAttempts", { limit: limitText(limit), attempts: hook.attempts }),
              ],
          limit === null
            ? null
            : [
                t("hooks.drawer.budget"),
                <Budget
                  key="budget"
                  label={t("hooks.drawer.budget")}
                  used={p95}
                  p50={stats?.p50_ms ?? 0}
                  limit={limit}
                  text={t("hooks.drawer.budgetOf", {
                    used: p95 > 0 ? duration(p95) : t("none"),
                    limit: limitText(limit),
                  })}
                />,
                "row",
              ],
          fileFact(hook, project),
          [
            t("hooks.drawer.trusted"),
            hook.layer === "user"
              ? t("hooks.drawer.userFile")
              : t(hook.trusted ? "hooks.drawer.approved" : "hooks.drawer.notTrusted"),
            hook.layer === "user" || hook.trusted ? undefined : "ink-late",
          ],
        ]}
      />
    </div>
  );
}

/** The chain of its event: as it last ran, or as it would. */
function Place({ hook, document, project, onHook }: SummaryProps) {
  const event = eventOf(hook);
  const last = useCall("history.page", { project, dialect: hook.dialect, event, limit: 1 }, { refetchOnMount: true });
  useFollowed(rowsOf(project, hook.dialect, event), last.refetch);
  const orderOf = useOrder();
  const trace = last.data?.traces[0]?.trace;
  const ran = useTrace(trace);
  const planned = hooksOfEvent(document, hook.dialect, event);
  // A hook keeps its uid where it moves or changes; old traces have only its id.
  const hookOf = (step: Step) =>
    planned.find((one) => (step.uid === undefined ? idAt(one, event) === step.hook : one.uid === step.uid));
  const recorded = ran.data?.steps ?? [];
  const fired = recorded.some((step) => hookOf(step) === hook);
  const steps: PositionStep[] = fired
    ? recorded.flatMap((step) => {
        const one = hookOf(step);
        if (one === undefined) return [];
        return {
          hook: one.hook,
          label: oneLine(step.label, 80),
          outcome: step.outcome,
          reason: step.reason,
          side: t(`words.layer.${step.source.layer}`),
        };
      })
    : planned.map((one) => ({
        hook: one.hook,
        label: oneLine(one.label, 80),
        outcome: willRun(one) ? ("planned" as const) : ("skipped" as const),
        side: t(`words.layer.${one.layer}`),
      }));
  return (
    <div className="section">
      <div className="section-head">
        <h3>{t("hooks.drawer.place")}</h3>
        <span className="text-tiny dim">{t(fired ? "hooks.drawer.chainFired" : "hooks.drawer.chainPlanned")}</span>
      </div>
      <ChainPosition label={t("hooks.drawer.place")} steps={steps} current={hook.hook} onPick={onHook} />
      {hook.in_list === null && hasPosition(hook) && planned.length > 1 ? (
        <p className="text-tiny dim mt-2">{orderOf(hook)}</p>
      ) : null}
    </div>
  );
}

/** What ran, in the order of the bars, and then what did not. */
const SPLIT: readonly Outcome[] = [...STACK.slice(DID_NOTHING), ...STACK.slice(0, DID_NOTHING)];

function LastDay({ hook, facts }: SummaryProps) {
  const outcomes = statsOf(facts, hook)?.outcomes ?? {};
  const runs = runsOf(outcomes);
  const listed: GlyphKind[] = SPLIT.filter((kind) => (outcomes[kind] ?? 0) > 0);
  return (
    <div className="section">
      <div className="section-head">
        <h3>{t("hooks.drawer.last24")}</h3>
        <span className="spacer" />
        {runs > 0 ? <RunsSparkline bars={statsOf(facts, hook)?.bars ?? []} /> : null}
        <span className="text-tiny dim">
          {runs > 0 ? t("hooks.drawer.runCount", { count: runs }) : t("hooks.drawer.noRuns")}
        </span>
      </div>
      {runs > 0 ? (
        <div className="row" style={{ gap: 2, height: 6 }} aria-hidden="true">
          {SPLIT.map((kind) => {
            const n = outcomes[kind] ?? 0;
            const colour = kind === "no_opinion" ? "var(--line-3)" : GLYPH_COLOUR[kind];
            return n > 0 ? <span key={kind} style={{ flex: n, height: 6, background: colour }} /> : null;
          })}
        </div>
      ) : null}
      <div className="row text-tiny ink-2" style={{ marginTop: 8, gap: 12, flexWrap: "wrap" }}>
        {listed.map((kind) => (
          <Tooltip key={kind} text={t(`words.outcome.${kind}`)}>
            <span className="row gap-1">
              <Glyph kind={kind} size={12} />
              <span className="visually-hidden">{t(`words.outcome.${kind}`)}</span>
              {count(outcomes[kind as Outcome] ?? 0)}
            </span>
          </Tooltip>
        ))}
      </div>
    </div>
  );
}

/** Runs of each hour. */
function RunsSparkline({ bars }: { bars: readonly Bar[] }) {
  const runs = bars.map((bar) => runsOf(bar.outcomes));
  const rows = bars.map((bar, index) => [clock(bar.at), runs[index] ?? 0]);
  return (
    <Sparkline
      values={runs}
      width={72}
      height={16}
      summary={t("chart.runsPerHour", { count: bars.length })}
      table={{ head: [t("chart.time"), t("chart.runs")], rows }}
    />
  );
}
