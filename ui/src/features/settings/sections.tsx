import { Copy } from "lucide-react";
import { Button, Facts, InlineCode, Note, Segmented, Select, Switch } from "@/components";
import { useSetAppearance } from "@/domain/appearance";
import { copyText } from "@/domain/clipboard";
import { useAppState } from "@/domain/project";
import { toastFault } from "@/domain/refused";
import { t } from "@/i18n";
import { bytes } from "@/i18n/format";
import { say } from "@/i18n/messages";
import { inWindow, useCall, useCommand } from "@/ipc";
import { TEXT_SIZES, type Theme, useView } from "@/lib/view";
import { Line, NumberSetting, Section, SwitchSetting, TextSetting } from "./fields";
import { ModelTest } from "./ModelTest";
import { asText, useSetting } from "./setting";

type LanguageChoice = "system" | "en" | "zh-CN";

export function General() {
  const theme = useView((view) => view.theme);
  const language = useView((view) => view.language);
  const textSize = useView((view) => view.textSize);
  const setTextSize = useView((view) => view.setTextSize);
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
      <Line label={t("settings.textSize")}>
        <Segmented
          label={t("settings.textSize")}
          value={String(textSize)}
          onChange={(value) => setTextSize(TEXT_SIZES.find((size) => String(size) === value) ?? 100)}
          items={TEXT_SIZES.map((size) => ({ value: String(size), label: `${size}%` }))}
        />
      </Line>
      {inWindow() ? <StartAtLogin /> : null}
    </Section>
  );
}

function StartAtLogin() {
  const login = useCall("login.get", {});
  const set = useCommand("login.set", {
    onSuccess: () => void login.refetch(),
    onError: toastFault,
  });
  if (login.data === undefined) return null;
  return (
    <Line label={t("settings.startAtLogin")} about={t("settings.startAtLoginAbout")}>
      <Switch on={login.data.on} label={t("settings.startAtLogin")} onChange={(on) => set.mutate({ on })} />
    </Line>
  );
}

type Provider = "none" | "openai" | "anthropic";

export function Model() {
  const provider = useSetting("model.provider");
  const state = useAppState()?.model;
  const endpoint = JSON.stringify(useCall("settings.get", {}).data?.values.model);
  const value = asText(provider.value);
  const chosen: Provider = value === "openai" || value === "anthropic" ? value : "none";
  return (
    <Section title={t("settings.model")} about={t("settings.modelAbout")}>
      {state === undefined || chosen === "none" ? null : state.configured ? (
        <Note lead={t("settings.modelReady")} />
      ) : (
        <Note kind="warning" lead={t("settings.modelNot")}>
          <InlineCode text={say(state, state.why)} />
        </Note>
      )}
      <Line label={t("settings.provider")} error={provider.refused} undo={provider.undo}>
        <Select<Provider>
          label={t("settings.provider")}
          value={chosen}
          onChange={(next) => provider.set(next === "none" ? null : next)}
          options={[
            { value: "none", label: t("settings.providerNone") },
            { value: "openai", label: t("settings.providers.openai") },
            { value: "anthropic", label: t("settings.providers.anthropic") },
          ]}
        />
      </Line>
      {chosen === "none" ? null : (
        <>
          <TextSetting
            name="model.base_url"
            label={t("settings.baseUrl")}
            about={t("settings.baseUrlHint")}
            check={(text) => (text === "" || /^https?:\/\/\S+$/.test(text) ? null : t("settings.invalidUrl"))}
          />
          <TextSetting name="model.model" label={t("settings.modelName")} />
          <TextSetting
            name="model.api_key_env"
            label={t("settings.apiKeyEnv")}
            about={t("settings.apiKeyEnvHint")}
            placeholder="OPENAI_API_KEY"
          />
          {/* A result is about the endpoint that was tested: another one begins without. */}
          {state?.configured ? <ModelTest key={endpoint} /> : null}
        </>
      )}
    </Section>
  );
}

export function HistorySettings() {
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

/** What the engine notifies of; each kind can be switched off. */
export function Notifications() {
  return (
    <Section title={t("settings.notifications")} about={t("settings.notificationsAbout")}>
      <SwitchSetting
        name="notifications.failed_open"
        label={t("settings.failedOpen")}
        about={t("settings.failedOpenAbout")}
        fallback={true}
      />
      <SwitchSetting
        name="notifications.over_budget"
        label={t("settings.overBudget")}
        about={t("settings.overBudgetAbout")}
        fallback={true}
      />
      <SwitchSetting
        name="notifications.waits_for_approval"
        label={t("settings.waitsForApproval")}
        about={t("settings.waitsForApprovalAbout")}
        fallback={true}
      />
    </Section>
  );
}

const ENGINE_MODES = ["embedded", "attached", "serve"] as const;

export function About() {
  const state = useAppState();
  const settings = useCall("settings.get", {}).data;
  if (state === undefined) return null;
  const { engine } = state;
  const mode = ENGINE_MODES.find((one) => one === engine.mode);
  const facts: [string, string][] = [
    [t("settings.version"), state.version],
    [
      t("settings.engine"),
      `${mode ? t(`settings.engineMode.${mode}`) : engine.mode}, ${t("settings.pid", { pid: engine.pid })}`,
    ],
    [t("settings.socket"), engine.socket ?? t("settings.noSocket")],
    [t("settings.platform"), state.platform],
    [t("settings.dataDir"), state.data_dir],
    [t("settings.settingsFile"), settings?.path ?? t("none")],
  ];
  return (
    <Section title={t("settings.about")}>
      <Facts className="gap-2" look="mono wrap" rows={facts} />
      <div>
        <Button icon={Copy} onClick={() => copyText(facts.map(([name, value]) => `${name}: ${value}`).join("\n"))}>
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
