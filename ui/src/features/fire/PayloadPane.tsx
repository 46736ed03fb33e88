import { Ellipsis, RotateCcw, Square, Zap } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Button, CodePane, type CodeProblem, Icon, Menu, type MenuItem, Note } from "@/components";
import { Elapsed } from "./Planned";
import type { Run } from "./run";

interface PayloadPaneProps {
  text: string;
  edited: boolean;
  /** `object` for JSON that is none, else the parser's words. */
  error: string | null;
  run: Run;
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

export function PayloadPane(props: PayloadPaneProps) {
  const { text, edited, error, run, onChange, onReset, onFire, onStop, onCopy, onSave, menu, before } = props;
  const { t } = useTranslation();
  const message =
    error === null ? null : error === "object" ? t("fire.notAnObject") : t("fire.notJson", { why: error });
  const problems = useMemo<CodeProblem[]>(
    () => (message === null ? [] : [{ line: error === "object" ? 1 : null, column: null, severity: "error", message }]),
    [message, error],
  );
  return (
    <>
      <div className="pane-head">
        {before}
        <b className="medium">{t("fire.payload")}</b>
        <span className="spacer" />
        {edited ? (
          <>
            <span className="dot-edited" title={t("fire.edited")} />
            <Button kind="ghost" size="small" icon={RotateCcw} label={t("fire.reset")} onClick={onReset} />
          </>
        ) : null}
        <Menu items={menu}>
          <button type="button" className="button ghost small icon-only" aria-label={t("fire.more")}>
            <Icon of={Ellipsis} size={14} />
          </button>
        </Menu>
      </div>
      <div className="payload">
        <CodePane label={t("fire.payload")} value={text} language="json" onChange={onChange} problems={problems} />
      </div>
      <div className="fire-foot">
        {message ? <Note kind="error">{message}</Note> : null}
        {run.state === "running" ? (
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
        <div className="row text-tiny dim fire-links">
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
