/** Nothing chosen: the scenarios that there are, and how to make one. */
import { FileText, FlaskConical, History, type LucideIcon, Plus } from "lucide-react";
import { Cut, DialectTag, Icon, Note, Pane } from "@/components";
import { t } from "@/i18n";
import type { Dialect } from "@/ipc";
import { escapeInvisible } from "@/lib/escape";
import { newSource, type ScenarioSource } from "./scenarios";

export interface ScenarioChoices {
  /** The files of the project, then the samples of its dialects. */
  sources: readonly ScenarioSource[];
  dialects: readonly Dialect[];
  onOpen: (id: string | undefined) => void;
  onSession: () => void;
}

export function Chooser({ sources, dialects, onOpen, onSession, missing }: ScenarioChoices & { missing: boolean }) {
  const files = sources.filter((one) => one.kind === "file");
  const samples = sources.filter((one) => one.kind === "sample");
  const card = (one: ScenarioSource) => (
    <Card
      key={one.id}
      icon={one.kind === "file" ? FileText : FlaskConical}
      dialect={one.dialect}
      title={escapeInvisible(one.name)}
      about={one.dialect === null ? t("simulator.choose.unreadable") : aboutOf(one.text)}
      onOpen={() => onOpen(one.id)}
    />
  );
  return (
    <Pane label={t("simulator.choose.title")} className="scroll">
      <div className="max-w-160 py-5 px-4 [&>section]:mt-4 [&_h3]:text-sm [&_h3]:font-medium [&_h3]:text-ink-2">
        <h2 className="empty-head">{t("simulator.choose.title")}</h2>
        <p className="text-small ink-2">{t("simulator.choose.text")}</p>
        {missing ? (
          <Note kind="warning" className="mt-3">
            {t("simulator.choose.missing")}
          </Note>
        ) : null}
        {files.length > 0 ? (
          <section>
            <h3>{t("simulator.choose.files")}</h3>
            {files.map(card)}
          </section>
        ) : null}
        <section>
          <h3>{t("simulator.choose.make")}</h3>
          {dialects.map((dialect) => (
            <Card
              key={dialect.id}
              icon={Plus}
              dialect={dialect.id}
              title={t("simulator.choose.new", { dialect: dialect.name })}
              about={t("simulator.choose.newAbout")}
              onOpen={() => onOpen(newSource(dialect.id).id)}
            />
          ))}
          <Card
            icon={History}
            dialect={null}
            title={t("simulator.choose.session")}
            about={t("simulator.choose.sessionAbout")}
            onOpen={onSession}
          />
        </section>
        {samples.length > 0 ? (
          <section>
            <h3>{t("simulator.choose.samples")}</h3>
            {samples.map(card)}
          </section>
        ) : null}
      </div>
    </Pane>
  );
}

/** The comment at the begin of a scenario says what it shows. */
function aboutOf(text: string): string {
  const comment = /^\s*#\s*(.+)$/m.exec(text);
  return escapeInvisible(comment?.[1] ?? "");
}

interface CardProps {
  icon: LucideIcon;
  dialect: string | null;
  title: string;
  about: string;
  onOpen: () => void;
}

function Card({ icon, dialect, title, about, onOpen }: CardProps) {
  return (
    <button type="button" className="action-card" onClick={onOpen}>
      <Icon of={icon} size={16} />
      <span className="grow">
        <b className="medium trunc block">{title}</b>
        <Cut className="text-tiny dim block" text={about} />
      </span>
      {dialect === null ? null : <DialectTag dialect={dialect} />}
    </button>
  );
}
