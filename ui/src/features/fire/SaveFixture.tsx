/** Saving a payload to try an event with again: its name, and whether secrets stay in it. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, Field, Input, Sheet, Switch, toast } from "@/components";
import { useSentence } from "@/i18n/sentence";
import { type Fixture, type Payload, useAct } from "@/ipc";

/** A payload with the event it belongs to. */
export interface Saveable {
  dialect: string;
  event: string;
  payload: Payload;
}

interface SaveFixtureProps {
  what: Saveable;
  /** A name to begin with. */
  name: string;
  /** The payloads that are there already, so that Undo can put back the one of this name. */
  fixtures: readonly Fixture[];
  onSaved: (fixture: Fixture) => void;
  onClose: () => void;
}

export function SaveFixture({ what, name: first, fixtures, onSaved, onClose }: SaveFixtureProps) {
  const { t } = useTranslation();
  const say = useSentence();
  const [name, setName] = useState(first);
  const [keep, setKeep] = useState(false);
  const { save, fault, busy } = useFixtures(fixtures);
  const replaces = fixtures.some((one) => isSame(one, { ...what, name: name.trim() }));
  const refused = fault ? say.fault(fault) : null;
  const submit = () =>
    save({ ...what, name: name.trim(), keep_secrets: keep }, (fixture) => {
      onSaved(fixture);
      onClose();
    });
  return (
    <Sheet open title={t("fire.save.title")} onClose={onClose}>
      <form
        className="pad16 col"
        style={{ gap: 12 }}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <p className="sm ink2">
          {t("fire.save.text")} <span className="mono">{what.event}</span>
        </p>
        <Field
          label={t("fire.save.name")}
          error={refused ? [refused.message, refused.hint].filter(Boolean).join(" · ") : null}
          warning={replaces ? t("fire.save.replaces") : null}
        >
          {({ id, describedBy }) => (
            <Input
              id={id}
              aria-describedby={describedBy}
              value={name}
              invalid={refused !== null}
              maxLength={64}
              onFocus={(event) => event.currentTarget.select()}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <div className="row" style={{ gap: 10 }}>
          <Switch on={keep} label={t("fire.save.keep")} onChange={setKeep} />
          <span className="sm">
            {t("fire.save.keep")}
            <span className="field-note block">{t(keep ? "fire.save.kept" : "fire.save.masked")}</span>
          </span>
        </div>
        <div className="row" style={{ justifyContent: "flex-end" }}>
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button
            kind="primary"
            type="submit"
            busy={busy}
            disabledBecause={name.trim() === "" ? t("fire.save.needsName") : null}
          >
            {t("fire.save.do")}
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

/** A suggestion as a file name may be. */
export function fixtureName(text: string): string {
  return text.replace(/[:/\\]/g, ".");
}

function isSame(one: Fixture, other: { dialect: string; event: string; name: string }): boolean {
  return one.saved && one.dialect === other.dialect && one.event === other.event && one.name === other.name;
}

/** Saving and removing payloads, each with Undo. */
export function useFixtures(fixtures: readonly Fixture[]) {
  const { t } = useTranslation();
  const say = useSentence();
  const fail = { onError: (fault: Parameters<typeof say.fault>[0]) => toast(say.fault(fault).message, null, "error") };
  const saving = useAct("fixtures.save", { stale: ["fixtures"] });
  const putBack = useAct("fixtures.save", { stale: ["fixtures"], ...fail });
  const removing = useAct("fixtures.remove", { stale: ["fixtures"], ...fail });
  // What was saved is masked already, so it goes back as it was.
  const restore = ({ dialect, event, name, payload }: Fixture) =>
    putBack.mutate({ dialect, event, name, payload, keep_secrets: true });

  const remove = (fixture: Fixture, onRemoved: () => void) => {
    const { dialect, event, name } = fixture;
    removing.mutate(
      { dialect, event, name },
      {
        onSuccess: () => {
          onRemoved();
          toast(t("fire.save.removed", { name }), { label: t("undo"), run: () => restore(fixture) });
        },
      },
    );
  };
  const save = (what: Saveable & { name: string; keep_secrets: boolean }, onSaved: (fixture: Fixture) => void) => {
    const before = fixtures.find((one) => isSame(one, what));
    saving.mutate(what, {
      onSuccess: (fixture) => {
        onSaved(fixture);
        const { dialect, event, name } = fixture;
        const undo = () => (before ? restore(before) : removing.mutate({ dialect, event, name }));
        const text = t(fixture.redacted ? "fire.save.savedMasked" : "fire.save.saved", { name });
        toast(text, { label: t("undo"), run: undo });
      },
    });
  };
  return { save, remove, fault: saving.error, busy: saving.isPending };
}
