import { Ellipsis, RotateCcw, Square, Zap } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import {
  Button,
  CodePane,
  type CodeProblem,
  Cut,
  Elapsed,
  InlineCode,
  Menu,
  type MenuItem,
  Note,
  Segmented,
  Tooltip,
} from "@/components";
import { t } from "@/i18n";
import type { EventInfo } from "@/ipc";
import { escapeInvisible } from "@/lib/escape";
import { uniqueKeys } from "@/lib/uniqueKeys";
import { useView } from "@/lib/view";
import { PayloadFields } from "./PayloadFields";
import { LONG_TEXT, type PayloadError } from "./payload";
import type { Remark } from "./remarks";
import type { Run } from "./run";
import type { WrongType } from "./wrongTypes";

interface PayloadPaneProps {
  /** The name of what is fired. */
  name: string;
  event: EventInfo | undefined;
  level: Level;
  onLevel: (level: Level) => void;
  text: string;
  edited: boolean;
  /** `object` for JSON that is none, else the parser's words. */
  error: PayloadError | null;
  /** Values of the payload were masked when it was recorded or saved. */
  isMasked: boolean;
  /** Fields whose values agents send as another type. */
  wrongTypes: readonly WrongType[];
  /** What the text says and the engine would not get. */
  remarks: readonly Remark[];
  run: Run;
  /** Where the event goes. */
  target: ReactNode;
  onChange: (text: string) => void;
  onReset: () => void;
  onFire: () => void;
  onStop: () => void;
  onCopy: () => void;
  onSave: () => void;
  /** What the menu in the head offers. */
  menu: readonly MenuItem[];
  before: ReactNode;
}

/** How much of an event is carried out: only who would run, or all of it. */
export const LEVELS = ["match", "real"] as const;
export type Level = (typeof LEVELS)[number];

function payloadMessage(error: PayloadError | null): string | null {
  if (error === null) return null;
  if (error === "object") return t("fire.notAnObject");
  if (error === "text") return t("fire.notJson");
  const { line, column, found } = error;
  if (found === null) return t("fire.jsonEnds", { line, column });
  return t("fire.jsonUnexpected", { line, column, found: escapeInvisible(found) });
}

export function PayloadPane(props: PayloadPaneProps) {
  const { text, edited, error, run, onChange, onReset, onFire, onStop, onCopy, onSave, menu, before } = props;
  const message = payloadMessage(error);
  const { wrongTypes, remarks, target, isMasked, name, level, onLevel } = props;
  const setAsText = useView((view) => view.setPayloadAsText);
  const prefersText = useView((view) => view.payloadAsText);
  // Fields would lose a key that comes twice, and are slow for a long text.
  const hasFields = error === null && remarks.length === 0 && text.length <= LONG_TEXT;
  const asText = prefersText || !hasFields;
  const hints = useMemo(
    () => [
      ...wrongTypes.map(({ field, is, wanted, line }) => {
        const kinds = { is: t(`payloadTypes.kind.${is}`), wanted: t(`payloadTypes.kind.${wanted}`) };
        return { line, text: t("payloadTypes.wrong", { field, ...kinds }) };
      }),
      ...remarks.map(({ key, line }) => ({ line, text: t("payloadTypes.twice", { key }) })),
    ],
    [wrongTypes, remarks],
  );
  const keys = uniqueKeys(hints.map(({ line, text: hint }) => `${line} ${hint}`));
  const problems = useMemo<CodeProblem[]>(() => {
    if (message !== null) {
      const place =
        typeof error === "object" && error !== null ? error : { line: error === "object" ? 1 : null, column: null };
      return [{ line: place.line, column: place.column, severity: "error", message }];
    }
    return hints.flatMap(({ line, text: hint }) =>
      line === null ? [] : [{ line, column: null, severity: "warning" as const, message: hint }],
    );
  }, [message, error, hints]);
  return (
    <>
      <div className="pane-head">
        {before}
        <Cut className="font-medium" text={name} />
        {edited ? (
          <>
            <Tooltip text={t("fire.edited")}>
              <span className="dot-edited" role="img" aria-label={t("fire.edited")} />
            </Tooltip>
            <Button kind="ghost" size="small" icon={RotateCcw} label={t("fire.reset")} onClick={onReset} />
          </>
        ) : null}
        <span className="spacer" />
        <Segmented
          label={t("fire.fields.label")}
          value={asText ? "text" : "fields"}
          onChange={(form) => setAsText(form === "text")}
          items={[
            { value: "fields", label: t("fire.fields.fields") },
            { value: "text", label: t("fire.fields.text") },
          ]}
        />
        <Menu items={menu}>
          <Button kind="ghost" size="small" icon={Ellipsis} label={t("fire.more")} />
        </Menu>
      </div>
      <div className="payload flex-1 min-h-30 overflow-hidden flex *:flex-1 *:min-w-0">
        {hasFields && !asText ? (
          <PayloadFields text={text} event={props.event} onChange={onChange} />
        ) : (
          <CodePane label={t("fire.payload")} value={text} language="json" onChange={onChange} problems={problems} />
        )}
      </div>
      <div className="border-t border-line-2 pt-3 px-4 pb-4 flex flex-col gap-3 flex-none">
        {message ? <Note kind="error">{message}</Note> : null}
        {message === null
          ? hints.map(({ text: hint }, index) => (
              <Note key={keys[index]} kind="warning">
                <InlineCode text={hint} />
              </Note>
            ))
          : null}
        {isMasked ? <Note kind="warning">{t("fire.hasMasked")}</Note> : null}
        <div className="grid grid-cols-[64px_minmax(0,1fr)] items-center gap-y-2 [&>p]:col-2 [&>.segmented]:justify-self-start">
          {target}
          <span className="field-label">{t("fire.level.label")}</span>
          <Segmented
            label={t("fire.level.label")}
            value={level}
            onChange={onLevel}
            items={LEVELS.map((value) => ({ value, label: t(`fire.level.${value}`) }))}
          />
          <p className="text-small dim">{t(`fire.level.${level}About`)}</p>
        </div>
        {run.since !== null ? (
          <Button size="large" icon={Square} action="fire.stop" onClick={onStop}>
            {t("fire.stop")} <Elapsed since={run.since} />
          </Button>
        ) : (
          <Button
            kind="primary"
            size="large"
            icon={Zap}
            action="fire.run"
            disabledBecause={message}
            onClick={onFire}
            data-testid="fire"
          >
            {t("fire.fire")}
          </Button>
        )}
        <div className="row text-tiny dim justify-center gap-4">
          <button type="button" className="link" onClick={onCopy}>
            {t("fire.copyCommand")}
          </button>
          <button type="button" className="link" onClick={onSave} disabled={message !== null}>
            {t("fire.save.link")}
          </button>
        </div>
      </div>
    </>
  );
}
