/** What is masked, and what of a pasted text would be. */
import { useEffect, useState } from "react";
import { Note, TextArea } from "@/components";
import { t } from "@/i18n";
import { faultText } from "@/i18n/messages";
import { call, useCall } from "@/ipc";
import { Line, ListSetting, Section, SwitchSetting } from "./fields";
import { useSetting } from "./setting";

const TRY_MS = 200;

export function Redaction() {
  const on = useSetting("redaction.enabled").value !== false;
  return (
    <Section title={t("settings.redaction")} about={t("settings.redactionAbout")}>
      <SwitchSetting name="redaction.enabled" label={t("settings.redactionOn")} fallback={true} />
      {on ? null : <Note kind="warning">{t("settings.redactionOff")}</Note>}
      <ListSetting name="redaction.keys" label={t("settings.keys")} about={t("settings.keysHint")} />
      <ListSetting name="redaction.patterns" label={t("settings.patterns")} about={t("settings.patternsHint")} />
      <TryRedaction />
    </Section>
  );
}

/** What would be recorded of a pasted text. */
function TryRedaction() {
  const [text, setText] = useState("");
  const [result, setResult] = useState<{ text: string; masked: number } | null>(null);
  const [error, setError] = useState<string | null>(null);
  // Patterns may have changed since: settings are part of what the answer depends on.
  const settings = useCall("settings.get", {}).dataUpdatedAt;
  // biome-ignore lint/correctness/useExhaustiveDependencies: new settings give a new answer
  useEffect(() => {
    if (text === "") {
      setResult(null);
      return;
    }
    let current = true;
    const timer = setTimeout(() => {
      call("settings.redact", { text })
        .then((reply) => {
          if (!current) return;
          setResult(reply);
          setError(null);
        })
        .catch((fault) => (current ? setError(faultText(fault).message) : undefined));
    }, TRY_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text, settings]);
  return (
    <>
      <Line label={t("settings.test")} about={t("settings.testHint")} error={error}>
        {({ id, describedBy }) => (
          <TextArea
            id={id}
            aria-describedby={describedBy}
            mono
            rows={3}
            value={text}
            placeholder={t("settings.testPlaceholder")}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Line>
      {result ? (
        <output className="flex flex-col gap-1 py-2 px-2.5 rounded-2 border border-line-2 bg-code select-text">
          <span className={result.masked > 0 ? "text-tiny ink-accent" : "text-tiny dim"}>
            {t("settings.masked", { count: result.masked })}
          </span>
          <span className="mono wrap" style={{ whiteSpace: "pre-wrap" }}>
            {result.text}
          </span>
        </output>
      ) : null}
    </>
  );
}
