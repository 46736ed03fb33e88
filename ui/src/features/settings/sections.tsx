import { Copy, FolderDot, X } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button, Field, Icon, InlineCode, Note, Segmented, Select, Switch, TextArea, toast } from "@/components";
import { useSetAppearance } from "@/domain/appearance";
import { useOpenFolder } from "@/domain/openProject";
import { useAppState } from "@/domain/project";
import { useFormats } from "@/i18n/format";
import { useMessages } from "@/i18n/messages";
import { call, inWindow, useCall, useCommand } from "@/ipc";
import { shortPath } from "@/lib/names";
import { type Theme, useView } from "@/lib/view";
import { Line, ListSetting, NumberSetting, Section, SwitchSetting, TextSetting } from "./fields";
import { asText, useSetting } from "./setting";

type LanguageChoice = "system" | "en" | "zh-CN";

export function General() {
  const { t } = useTranslation();
  const theme = useView((view) => view.theme);
  const language = useView((view) => view.language);
  const { setTheme, setLanguage } = useSetAppearance();
  const chosen: LanguageChoice = language === "en" || language === "zh-CN" ? language : "system";
  return (
    <Section title={t("settings.general")}>
      <Line label={t("settings.language")}>
        <Segmented<LanguageChoice>
          label={t("settings.language")}
          value={chosen}
          onChange={setLanguage}
          items={[
            { value: "system", label: t("settings.languageAuto") },
            { value: "en", label: t("language.en") },
            { value: "zh-CN", label: t("language.zh-CN") },
          ]}
        />
      </Line>
      <Line label={t("settings.theme")}>
        <Segmented<Theme>
          label={t("settings.theme")}
          value={theme}
          onChange={setTheme}
          items={(["system", "dark", "light"] as const).map((value) => ({
            value,
            label: t(`settings.themes.${value}`),
          }))}
        />
      </Line>
      {inWindow() ? <StartAtLogin /> : null}
    </Section>
  );
}

function StartAtLogin() {
  const { t } = useTranslation();
  const say = useMessages();
  const login = useCall("login.get", {});
  const set = useCommand("login.set", {
    onSuccess: () => void login.refetch(),
    onError: (fault) => toast(say.fault(fault).message, null, "error"),
  });
  if (login.data === undefined) return null;
  return (
    <Line label={t("settings.startAtLogin")} about={t("settings.startAtLoginAbout")}>
      <Switch on={login.data.on} label={t("settings.startAtLogin")} onChange={(on) => set.mutate({ on })} />
    </Line>
  );
}

type Provider = "" | "openai" | "anthropic";

export function Model() {
  const { t } = useTranslation();
  const { say } = useMessages();
  const provider = useSetting("model.provider");
  const state = useAppState()?.model;
  const value = asText(provider.value);
  const chosen: Provider = value === "openai" || value === "anthropic" ? value : "";
  return (
    <Section title={t("settings.model")} about={t("settings.modelAbout")}>
      {state === undefined ? null : state.configured ? (
        <Note lead={t("settings.modelReady")} />
      ) : (
        <Note kind="warning" lead={t("settings.modelNot")}>
          <InlineCode text={say(state, state.why)} />
        </Note>
      )}
      <Line label={t("settings.provider")}>
        <span className="settings-select">
          <Select<Provider>
            label={t("settings.provider")}
            value={chosen}
            onChange={(next) => provider.set(next === "" ? null : next)}
            options={[
              { value: "", label: t("settings.providerNone") },
              { value: "openai", label: t("settings.providers.openai") },
              { value: "anthropic", label: t("settings.providers.anthropic") },
            ]}
          />
        </span>
      </Line>
      <TextSetting
        name="model.base_url"
        label={t("settings.baseUrl")}
        hint={t("settings.baseUrlHint")}
        check={(text) => (text === "" || /^https?:\/\/\S+$/.test(text) ? null : t("settings.invalidUrl"))}
      />
      <TextSetting name="model.model" label={t("settings.modelName")} />
      <TextSetting
        name="model.api_key_env"
        label={t("settings.apiKeyEnv")}
        hint={t("settings.apiKeyEnvHint")}
        placeholder="OPENAI_API_KEY"
      />
    </Section>
  );
}

export function HistorySettings() {
  const { t } = useTranslation();
  const { say } = useMessages();
  const { bytes } = useFormats();
  const store = useAppState()?.store;
  return (
    <Section title={t("settings.history")} about={t("settings.historyAbout")}>
      {store && !store.ok ? (
        <Note kind="error" lead={t("settings.storeBroken")}>
          <InlineCode text={say(store, store.why)} />
        </Note>
      ) : store?.why ? (
        <Note kind="warning">
          <InlineCode text={say(store, store.why)} />
        </Note>
      ) : null}
      <NumberSetting name="history.max_days" label={t("settings.maxDays")} unit={t("settings.days")} min={1} />
      <NumberSetting name="history.bodies_days" label={t("settings.bodiesDays")} unit={t("settings.days")} min={0} />
      <NumberSetting
        name="history.max_mb"
        label={t("settings.maxMb")}
        unit={t("settings.mb")}
        min={1}
        about={store?.ok ? t("settings.storeNow", { count: store.traces, size: bytes(store.bytes) }) : undefined}
      />
    </Section>
  );
}

const TRY_MS = 200;

export function Redaction() {
  const { t } = useTranslation();
  const on = useSetting("redaction.enabled").value !== false;
  return (
    <Section title={t("settings.redaction")} about={t("settings.redactionAbout")}>
      <SwitchSetting name="redaction.enabled" label={t("settings.redactionOn")} fallback={true} />
      {on ? null : <Note kind="warning">{t("settings.redactionOff")}</Note>}
      <ListSetting name="redaction.keys" label={t("settings.keys")} hint={t("settings.keysHint")} />
      <ListSetting name="redaction.patterns" label={t("settings.patterns")} hint={t("settings.patternsHint")} />
      <TryRedaction />
    </Section>
  );
}

/** What would be recorded of a pasted text. */
function TryRedaction() {
  const { t } = useTranslation();
  const say = useMessages();
  const [text, setText] = useState("");
  const [result, setResult] = useState<{ text: string; masked: number } | null>(null);
  const [error, setError] = useState<string | null>(null);
  // Patterns may have changed since: settings are part of what the answer depends on.
  const settings = useCall("settings.get", {}).dataUpdatedAt;
  const words = say.fault;
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
        .catch((fault) => (current ? setError(words(fault).message) : undefined));
    }, TRY_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text, settings, words]);
  return (
    <>
      <Field label={t("settings.test")} hint={t("settings.testHint")} error={error}>
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
      </Field>
      {result ? (
        <output className="settings-result">
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

export function Watching() {
  const { t } = useTranslation();
  const say = useMessages();
  const state = useAppState();
  const openFolder = useOpenFolder();
  const remove = useCommand("projects.remove", {
    stale: ["projects", "state"],
    onError: (fault) => toast(say.fault(fault).message, null, "error"),
  });
  const add = useCommand("projects.add", { stale: ["projects", "state"] });
  const projects = state?.projects ?? [];
  return (
    <Section title={t("settings.watching")} about={t("settings.projectsAbout")}>
      {state && !state.watching.live ? (
        <Note kind="warning" lead={t("hooks.notLive")}>
          <InlineCode text={say.say(state.watching, state.watching.why)} />
        </Note>
      ) : state ? (
        <p className="text-tiny dim">{t("settings.watchState", { count: state.watching.there })}</p>
      ) : null}
      <div>
        <h3 style={{ marginBottom: "var(--s-1)" }}>{t("settings.projects")}</h3>
        {projects.length === 0 ? <p className="text-small dim">{t("settings.noProjects")}</p> : null}
        {projects.map((project) => (
          <div key={project.path} className="settings-line">
            <Icon of={FolderDot} size={14} className="dim" />
            <span className="grow">
              <span className="medium">{project.name}</span>
              <span className="field-note mono trunc" style={{ display: "block" }} title={project.path}>
                {shortPath(project.path)}
                {project.exists ? "" : ` · ${t("shell.project.missing")}`}
              </span>
            </span>
            <Button
              kind="ghost"
              size="small"
              icon={X}
              label={t("shell.project.removeFromList")}
              onClick={() =>
                remove.mutate(
                  { path: project.path },
                  {
                    onSuccess: () =>
                      toast(t("shell.project.removed", { name: project.name }), {
                        label: t("undo"),
                        run: () => add.mutate({ path: project.path }),
                      }),
                  },
                )
              }
            />
          </div>
        ))}
        <div style={{ marginTop: "var(--s-2)" }}>
          <Button onClick={openFolder}>{t("shell.project.openFolder")}</Button>
        </div>
      </div>
      <NumberSetting
        name="watch.settle_ms"
        label={t("settings.settle")}
        about={t("settings.settleAbout")}
        unit={t("settings.ms")}
        min={0}
      />
    </Section>
  );
}

export function About() {
  const { t, i18n } = useTranslation();
  const state = useAppState();
  const settings = useCall("settings.get", {}).data;
  if (state === undefined) return null;
  const { engine } = state;
  const mode = `settings.engineMode.${engine.mode}`;
  const facts: [string, string][] = [
    [t("settings.version"), state.version],
    [
      t("settings.engine"),
      `${i18n.exists(mode) ? t(mode as "settings.engineMode.serve") : engine.mode}, ${t("settings.pid", { pid: engine.pid })}`,
    ],
    [t("settings.socket"), engine.socket ?? t("settings.noSocket")],
    [t("settings.platform"), state.platform],
    [t("settings.dataDir"), state.data_dir],
    [t("settings.settingsFile"), settings?.path ?? t("none")],
  ];
  return (
    <Section title={t("settings.about")}>
      <dl className="facts settings-facts">
        {facts.map(([name, value]) => (
          <div key={name} style={{ display: "contents" }}>
            <dt>{name}</dt>
            <dd className="mono wrap">{value}</dd>
          </div>
        ))}
      </dl>
      <div>
        <Button
          icon={Copy}
          onClick={() => {
            const text = facts.map(([name, value]) => `${name}: ${value}`).join("\n");
            void navigator.clipboard.writeText(text).then(() => toast(t("copied"), null));
          }}
        >
          {t("settings.copyDiagnostics")}
        </Button>
      </div>
      <div>
        <h3 style={{ marginBottom: "var(--s-1)" }}>{t("settings.licences")}</h3>
        <p className="text-small dim">{t("settings.licencesText")}</p>
      </div>
    </Section>
  );
}
