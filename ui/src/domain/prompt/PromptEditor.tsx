/**
 * The template of a prompt hook: its variables, the text, and what the model reads and answers for a recorded event. It writes
 * nothing: whoever shows it gets each change.
 */
import { CircleX, Lock, TriangleAlert } from "lucide-react";
import { lazy, type RefObject, Suspense, useMemo, useRef, useState } from "react";
import { Button, Cut, FaultNote, Icon, InlineCode, Skeleton, Tooltip } from "@/components";
import type { TemplateHandle } from "@/components/editor/TemplateView";
import type { MatchRequest } from "@/domain/filter/FilterBuilder";
import { t } from "@/i18n";
import { type Params, useCall } from "@/ipc";
import { escapeInvisible, oneLine } from "@/lib/escape";
import { PromptPreview } from "./PromptPreview";
import { PromptTries } from "./PromptTries";
import { ScrolledText } from "./ScrolledText";
import {
  chipsOf,
  faultsOf,
  groupsOf,
  type PlacedPart,
  placed,
  problemsOf,
  type Rendering,
  templateOf,
} from "./template";
import { useRecordedEvents } from "./useRecordedEvents";

const TemplateView = lazy(() => import("@/components/editor/TemplateView"));

export type PromptRunOf = Pick<Params<"prompt.run">, "hook" | "steps" | "unsaved" | "definition">;

interface PromptEditorProps {
  project: string;
  dialect: string;
  event: string;
  value: string;
  onChange: (value: string) => void;
  /** The hook whose recorded events are offered; null for every event of the kind. */
  ask: MatchRequest | null;
  /** The hook with the template on show, for the model. */
  tried: PromptRunOf;
}

const NO_PARTS: PlacedPart[] = [];

export default function PromptEditor({ project, dialect, event, value, onChange, ask, tried }: PromptEditorProps) {
  const editor = useRef<TemplateHandle>(null);
  const events = useRecordedEvents(ask);
  const request = { project, dialect, event, template: value, trace: events.trace };
  const { data, error, refetch } = useCall("prompt.render", request, { keepPrevious: true });
  const parts = data === undefined ? NO_PARTS : placed(data.parts);
  // Until the reply for this text is there, chips move with the text.
  const isNow = data !== undefined && templateOf(data.parts) === value;
  const chips = useNewest(
    useMemo(() => chipsOf(parts), [parts]),
    isNow,
  );
  const faults = faultsOf(parts, data?.variables ?? []);
  const wordOf = useFaultWords(event);
  const problems = useNewest(
    useMemo(() => problemsOf(faults, (fault) => wordOf(fault).replaceAll("`", "")), [faults, wordOf]),
    isNow,
  );
  if (error !== null) return <FaultNote fault={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={8} height={24} what={t("prompt.template")} />;
  return (
    <div className="flex-1 min-h-0 grid grid-cols-[176px_minmax(0,1.1fr)_minmax(0,1fr)] max-paired:block max-paired:overflow-auto">
      <Variables data={data} faults={faults} event={event} editor={editor} />
      <section
        className="flex flex-col min-w-0 min-h-0 bg-code border-r border-line-2 [&>.codepane]:flex-1 [&>.codepane]:min-h-30 max-paired:[&>.codepane]:min-h-60"
        aria-label={t("prompt.template")}
      >
        <Suspense fallback={<Skeleton rows={8} height={20} what={t("prompt.template")} />}>
          <TemplateView
            ref={editor}
            label={t("prompt.template")}
            value={value}
            onChange={onChange}
            chips={chips}
            problems={problems}
          />
        </Suspense>
        <Faults
          faults={isNow ? faults : []}
          wordOf={wordOf}
          onReplace={({ from, to }, text) => onChange(value.slice(0, from) + text + value.slice(to))}
        />
        <div className="flex-none flex gap-2 max-h-32 py-2 px-3 border-t border-line-2 bg-2 [&>.icon]:flex-none [&>.icon]:mt-0.5">
          <Icon of={Lock} size={14} className="dim" />
          <ScrolledText label={t("prompt.tail")} className="dim">
            {escapeInvisible(data.instructions)}
          </ScrolledText>
        </div>
        <Tokens data={data} />
      </section>
      <div className="flex flex-col min-w-0 min-h-0">
        <PromptPreview data={data} events={events} />
        <PromptTries run={{ project, dialect, event, trace: events.trace, ...tried }} />
      </div>
    </div>
  );
}

/** The last value that was right. */
function useNewest<T>(value: T, isNow: boolean): T {
  const [kept, setKept] = useState(value);
  if (isNow && kept !== value) setKept(value);
  return isNow ? value : kept;
}

function useFaultWords(event: string): (fault: PlacedPart) => string {
  return useMemo(
    () => (fault: PlacedPart) =>
      fault.kind === "unknown"
        ? t("prompt.unknown", { name: oneLine(fault.written, 60) })
        : t("prompt.alwaysEmpty", { name: fault.name ?? "", event }),
    [event],
  );
}

interface FaultsProps {
  faults: readonly PlacedPart[];
  wordOf: (fault: PlacedPart) => string;
  onReplace: (fault: PlacedPart, text: string) => void;
}

function Faults({ faults, wordOf, onReplace }: FaultsProps) {
  if (faults.length === 0) return null;
  return (
    <ul className="flex-none max-h-33 [&>li]:flex [&>li]:items-center [&>li]:gap-2 [&>li]:min-h-8 [&>li]:py-1 [&>li]:px-3 [&>li]:bg-late-bg [&>li]:text-late [&>li.bad]:bg-deny-bg [&>li.bad]:text-deny [&>li>.grow]:text-ink-1 scroll">
      {faults.map((fault) => (
        <li key={fault.from} className={fault.kind === "unknown" ? "bad" : "warned"}>
          <Icon of={fault.kind === "unknown" ? CircleX : TriangleAlert} size={14} />
          <span className="grow text-small">
            <InlineCode text={wordOf(fault)} /> <span className="dim">{t("prompt.line", { line: fault.line })}</span>
          </span>
          {fault.nearest === null ? null : (
            <Button size="small" onClick={() => onReplace(fault, `{{${fault.nearest}}}`)}>
              {t("prompt.use", { name: fault.nearest })}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

interface VariablesProps {
  data: Rendering;
  faults: readonly PlacedPart[];
  event: string;
  editor: RefObject<TemplateHandle | null>;
}

/** The variables by what they are at this event. A click puts one into the text. */
function Variables({ data, faults, event, editor }: VariablesProps) {
  const unknown = [...new Set(faults.filter(({ kind }) => kind === "unknown").map(({ written }) => written))];
  const groups = groupsOf(data.variables);
  const group = (title: string, some: Rendering["variables"], look: string) =>
    some.length === 0 ? null : (
      <>
        <h3>{title}</h3>
        <ul>
          {some.map(({ name, value }) => (
            <li key={name}>
              <Tooltip text={t("prompt.insert", { name })}>
                <button
                  type="button"
                  className={`variable ${look}`}
                  onClick={() => editor.current?.insert(`{{${name}}}`)}
                >
                  {name}
                </button>
              </Tooltip>
              {value === null ? null : <Cut className="mono dim text-tiny" text={oneLine(value, 400)} />}
            </li>
          ))}
        </ul>
      </>
    );
  return (
    <section
      className="p-3 border-r border-r-line-2 [&_h3]:mt-3 [&_h3]:text-xs [&_h3]:font-regular [&_h3]:text-ink-2 [&_h3]:wrap-anywhere [&_h3:first-child]:mt-0 [&_li]:flex [&_li]:items-center [&_li]:gap-1.5 [&_li]:min-h-6.5 [&_li]:min-w-0 [&_button.variable]:flex-none [&_button.variable]:max-w-full [&_button.variable]:min-h-6 [&_button.variable]:border-0 [&_button.variable]:cursor-pointer [&>p]:mt-3 scroll"
      aria-label={t("prompt.variables")}
    >
      {group(t("prompt.filled", { event }), groups.filled, "")}
      {group(t("prompt.unfilled"), groups.unfilled, "empty")}
      {group(t("prompt.empty", { event }), groups.empty, "empty")}
      {unknown.length === 0 ? null : (
        <>
          <h3>{t("prompt.asWritten")}</h3>
          <ul>
            {unknown.map((written) => (
              <li key={written}>
                <span className="variable bad">{oneLine(written, 40)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <p className="text-tiny ink-2">{t("prompt.exactly")}</p>
    </section>
  );
}

function Tokens({ data }: { data: Rendering }) {
  return (
    <p className="flex-none flex flex-wrap gap-y-0 gap-x-4 py-1.5 px-3 border-t border-t-line-2 text-tiny dim">
      <span>{t("prompt.tokens.template", { count: data.template_tokens })}</span>
      <span>{t("prompt.tokens.rendered", { count: data.rendered_tokens })}</span>
      <span>{t("prompt.tokens.total", { count: data.total_tokens })}</span>
    </p>
  );
}
