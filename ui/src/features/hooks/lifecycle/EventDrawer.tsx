/** One event of the map: what hooks see and may do there, its hints, its chain as it last ran. */
import { Lightbulb, Plus, Zap } from "lucide-react";
import type { CSSProperties } from "react";
import {
  Button,
  Drawer,
  Facts,
  Glyph,
  InlineCode,
  Note,
  railOf,
  railStyle,
  stepLine,
  stepTook,
  Tooltip,
} from "@/components";
import { filterText, hooksOfEvent, idAt, rowKey, willRun } from "@/domain/hooks/facts";
import { problemText } from "@/domain/hooks/problemText";
import { useNewHook } from "@/domain/newHook/newHook";
import { useTrace } from "@/domain/trace/runOrder";
import { currentLanguage, t } from "@/i18n";
import { duration } from "@/i18n/format";
import { textOf } from "@/i18n/text";
import type { Dialect, EventInfo, HookRow, HooksDocument, Reply, Step } from "@/ipc";
import { useScreenActions } from "@/lib/actions";
import { escapeInvisible, oneLine } from "@/lib/escape";
import { Link, useNavigate } from "@/routes/router";
import { hintsOf } from "./lifecycle";

type Moment = Reply<"history.moments">["moments"][number];

interface EventDrawerProps {
  dialect: Dialect;
  event: EventInfo;
  document: HooksDocument;
  moment: Moment | undefined;
  onHook: (hook: HookRow) => void;
  onStep: (by: -1 | 1) => void;
  onClose: () => void;
}

const MAX_HINTS = 3;

export function EventDrawer({ dialect, event, document, moment, onHook, onStep, onClose }: EventDrawerProps) {
  const navigate = useNavigate();
  const hooks = hooksOfEvent(document, dialect.id, event.name);
  const fire = () => void navigate({ to: "/fire", search: { dialect: dialect.id, event: event.name } });
  const askForHook = useNewHook((store) => store.ask);
  const add = () => askForHook({ dialect: dialect.id, event: event.name });
  const canAdd = dialect.shelves.length > 0;
  useScreenActions({ "event.fire": fire, ...(canAdd ? { "hook.new": add } : {}) });
  return (
    <Drawer
      id="lifecycle.drawer"
      label={t("lifecycle.event")}
      width={304}
      head={<h2 className="mono md trunc">{event.name}</h2>}
      onClose={onClose}
      onStep={onStep}
    >
      <div className="pane-body scroll">
        <div className="section">
          <About dialect={dialect} event={event} moment={moment} />
          <Hints document={document} hooks={hooks} />
        </div>
        <Chain
          event={event.name}
          hooks={hooks}
          moment={moment}
          onHook={onHook}
          onAdd={canAdd && hooks.length === 0 ? add : null}
        />
      </div>
      <div className="section row">
        <Button kind="primary" grow icon={Zap} action="event.fire" onClick={fire}>
          {t("lifecycle.fire")}
        </Button>
        {canAdd && hooks.length > 0 ? (
          <Button icon={Plus} label={t("newHook.askHere")} action="hook.new" onClick={add} />
        ) : null}
      </div>
    </Drawer>
  );
}

/** The sentence as its own: first letter large, full stop. */
function sentence(text: string, language: string): string {
  if (language === "zh-CN") return /[。！？]$/.test(text) ? text : `${text}。`;
  const large = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(large) ? large : `${large}.`;
}

function About({ dialect, event, moment }: Pick<EventDrawerProps, "dialect" | "event" | "moment">) {
  const language = currentLanguage();
  const own = event.fields.filter((field) => !dialect.common.includes(field.name));
  const does = (what: EventInfo["accepts"][number]["does"]) => event.accepts.filter((output) => output.does === what);
  const [changes, adds] = [does("replaces"), does("adds")];
  const verdicts = event.verdicts
    .filter((verdict) => verdict !== "proceed")
    .map((verdict) => t(`hooks.drawer.verdict.${verdict}`));
  return (
    <>
      <p className="text-small ink-2">{sentence(textOf(event.about), language)}</p>
      <Facts
        className="mt-2.5"
        look="wrap"
        rows={[
          [t("lifecycle.sees"), own.length > 0 ? <Names key="sees" of={own} /> : t("lifecycle.seesNothing")],
          changes.length > 0 ? [t("lifecycle.change"), <Names key="change" of={changes} />] : null,
          adds.length > 0 ? [t("lifecycle.add"), <Names key="add" of={adds} />] : null,
          verdicts.length > 0 ? [t("lifecycle.end"), verdicts.join(t("list"))] : null,
          event.notify_only ? [t("lifecycle.end"), t("lifecycle.ignored")] : null,
          moment === undefined
            ? null
            : [
                t("lifecycle.lastHour"),
                moment.traces === 0
                  ? t("lifecycle.noEvents")
                  : [
                      t("lifecycle.events", { count: moment.traces }),
                      ...(moment.held > 0 ? [t("lifecycle.held", { count: moment.held })] : []),
                    ].join(t("list")),
              ],
        ]}
      />
    </>
  );
}

/** Machine names, each with what it means. */
function Names({ of }: { of: readonly { name: string; about: EventInfo["about"] }[] }) {
  return of.map((one, index) => (
    <span key={one.name}>
      {index > 0 ? t("list") : null}
      <Tooltip text={textOf(one.about)}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what the name means is shown to who reaches it by key, too */}
        <span className="mono" tabIndex={0}>
          {one.name}
          <span className="visually-hidden">: {textOf(one.about)}</span>
        </span>
      </Tooltip>
    </span>
  ));
}

function Hints({ document, hooks }: { document: HooksDocument; hooks: readonly HookRow[] }) {
  const { title, advice } = problemText(document.hooks);
  const hints = hintsOf(document, hooks);
  const more = hints.length - MAX_HINTS;
  if (hints.length === 0) return null;
  return (
    <div className="column" style={{ gap: 6, marginTop: 12 }}>
      {hints.slice(0, MAX_HINTS).map((oneHint) => (
        <Note
          key={`${oneHint.code} ${oneHint.message}`}
          kind="warning"
          icon={Lightbulb}
          lead={<InlineCode text={oneLine(title(oneHint))} />}
        >
          <span className="block">
            <InlineCode text={advice(oneHint) ?? ""} />
          </span>
        </Note>
      ))}
      {more > 0 ? (
        <Link className="link text-tiny" to="/hooks" search={{ view: "problems" }}>
          {t("lifecycle.moreTraps", { count: more })}
        </Link>
      ) : null}
    </div>
  );
}

interface ChainProps {
  event: string;
  hooks: readonly HookRow[];
  moment: Moment | undefined;
  onHook: (hook: HookRow) => void;
  /** Null where hooks listen, or where none can be added. */
  onAdd: (() => void) | null;
}

/** The hooks in run order with what they last came to. */
function Chain({ event, hooks, moment, onHook, onAdd }: ChainProps) {
  const last = moment?.last?.trace;
  const ran = useTrace(last);
  const steps = new Map(ran.data?.steps.map((step) => [step.hook, step]));
  const rows = hooks.map((hook) => ({ hook, step: steps.get(idAt(hook, event)) }));
  const nodes = railOf(rows.map(({ hook, step }) => step ?? { outcome: willRun(hook) ? "planned" : "skipped" }));
  return (
    <div className="section" style={{ padding: "12px 0" }}>
      <div className="section-head" style={{ padding: "0 12px" }}>
        <h3>{hooks.length > 0 ? t("lifecycle.inOrder", { count: hooks.length }) : t("lifecycle.nobody")}</h3>
        {ran.data ? <span className="text-tiny dim">{t("lifecycle.lastEvent")}</span> : null}
      </div>
      {onAdd ? (
        <div style={{ padding: "var(--s-2) var(--s-3) 0" }}>
          <Button icon={Plus} action="hook.new" onClick={onAdd}>
            {t("newHook.ask")}
          </Button>
        </div>
      ) : null}
      <ul className="rail" aria-label={t("lifecycle.inOrder", { count: hooks.length })}>
        {rows.map(({ hook, step }, index) => {
          const node = nodes[index];
          if (node === undefined) return null;
          const { className, style } = railStyle(node);
          return (
            <li key={rowKey(hook)} className={`step ${className}`} style={style as CSSProperties}>
              <span className="node">
                <Glyph kind={node.kind} size={16} />
              </span>
              <Row hook={hook} step={step} onHook={onHook} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Row({ hook, step, onHook }: { hook: HookRow; step: Step | undefined; onHook: (hook: HookRow) => void }) {
  const took = step ? stepTook(step) : null;
  const said = step ? stepLine(step) : filterText(hook.filter) || t("lifecycle.notYet");
  return (
    <>
      <button type="button" className="lifecycle-hook" onClick={() => onHook(hook)}>
        <span className="step-name trunc">{escapeInvisible(hook.label)}</span>
        <span className="step-line">{[t(`words.layer.${hook.layer}`), said].filter(Boolean).join(" · ")}</span>
      </button>
      <span className="mono dim step-time">{took === null ? "" : duration(took)}</span>
    </>
  );
}
