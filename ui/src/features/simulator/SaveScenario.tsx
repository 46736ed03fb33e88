/** Asks for the name of a new scenario file. */
import { useState } from "react";
import { Button, Field, InlineCode, Input, Sheet } from "@/components";
import { t } from "@/i18n";
import { faultText } from "@/i18n/messages";
import type { useSave } from "./ScenarioPane";
import type { ScenarioSource } from "./scenarios";

interface SaveScenarioProps {
  source: ScenarioSource;
  save: ReturnType<typeof useSave>;
}

export function SaveScenario({ source, save }: SaveScenarioProps) {
  const [name, setName] = useState(suggestedName(source));
  const refused = save.fault === null ? null : faultText(save.fault);
  return (
    <Sheet open title={t("simulator.saving.title")} onClose={save.close}>
      <form
        className="pad-16 column gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== "") save.saveAs(name.trim());
        }}
      >
        <p className="text-small ink-2">
          <InlineCode text={t("simulator.saving.text")} />
        </p>
        <Field
          label={t("simulator.saving.name")}
          error={refused === null ? null : [refused.message, refused.hint].filter(Boolean).join(" · ")}
        >
          {({ id, describedBy }) => (
            <Input
              id={id}
              aria-describedby={describedBy}
              mono
              unit=".scenario"
              value={name}
              invalid={refused !== null}
              maxLength={64}
              onFocus={(event) => event.currentTarget.select()}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <div className="row" style={{ justifyContent: "flex-end" }}>
          <Button onClick={save.close}>{t("cancel")}</Button>
          <Button
            kind="primary"
            type="submit"
            busy={save.busy}
            disabledBecause={name.trim() === "" ? t("simulator.saving.needsName") : null}
          >
            {t("simulator.saving.do")}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

function suggestedName({ kind, name, dialect }: ScenarioSource): string {
  const base =
    kind === "new" || kind === "session" ? (dialect ?? "") : name.replace(/^.*\/|\.scenario\.\w+$|\.yaml$/g, "");
  return base.replace(/[^\p{L}\p{N} _.,+()-]/gu, "-");
}
