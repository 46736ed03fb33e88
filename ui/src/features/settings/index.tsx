/** Settings: one section at a time, written back to settings.toml with its comments kept. */

import { Bell, Clock, Eye, Info, ShieldCheck, SlidersHorizontal, Sparkles } from "lucide-react";
import type { ReactNode } from "react";
import { FaultNote, Icon, InlineCode, Note, Page, Pane, SizedPane, Skeleton, Tree } from "@/components";
import { t } from "@/i18n";
import { hintOf, say } from "@/i18n/messages";
import { useCall } from "@/ipc";
import { shortPath } from "@/lib/names";
import { getRouteApi } from "@/routes/router";
import type { SettingsSection } from "@/routes/search";
import { Redaction } from "./Redaction";
import { About, General, HistorySettings, Model, Notifications } from "./sections";
import { Watching } from "./Watching";

const route = getRouteApi("/settings");

const SECTIONS = [
  ["general", SlidersHorizontal],
  ["model", Sparkles],
  ["history", Clock],
  ["redaction", ShieldCheck],
  ["watching", Eye],
  ["notifications", Bell],
  ["about", Info],
] as const;

function content(section: SettingsSection): ReactNode {
  switch (section) {
    case "general":
      return <General />;
    case "model":
      return <Model />;
    case "history":
      return <HistorySettings />;
    case "redaction":
      return <Redaction />;
    case "watching":
      return <Watching />;
    case "notifications":
      return <Notifications />;
    case "about":
      return <About />;
  }
}

export function SettingsScreen() {
  const { section = "general" } = route.useSearch();
  const navigate = route.useNavigate();
  const settings = useCall("settings.get", {});
  return (
    <Page title={t("settings.title")}>
      <div className="panes">
        <SizedPane id="settings.sections" label={t("settings.sections")} width={208} min={140} max={320} split="right">
          <Tree
            label={t("settings.sections")}
            selected={section}
            onSelect={(id) => void navigate({ search: { section: id as SettingsSection }, replace: true })}
            nodes={SECTIONS.map(([id, icon]) => ({
              id,
              label: t(`settings.${id}`),
              icon: <Icon of={icon} size={14} />,
            }))}
          />
        </SizedPane>
        <Pane label={t("settings.title")}>
          <div className="pane-body scroll">
            {settings.error !== null ? (
              <FaultNote fault={settings.error} onRetry={() => void settings.refetch()} />
            ) : settings.data === undefined ? (
              <Skeleton what={t("settings.title")} height={44} rows={6} />
            ) : (
              <div className="flex flex-col gap-4 max-w-168 mx-auto py-6 px-4">
                {settings.data.problems.map((problem) => (
                  <Note
                    key={`${problem.code} ${problem.line} ${problem.column}`}
                    kind={problem.severity === "error" ? "error" : "warning"}
                    lead={<InlineCode text={say(problem, problem.message)} />}
                  >
                    <span className="block">
                      <InlineCode text={hintOf(problem, problem.hint) ?? ""} />
                    </span>
                  </Note>
                ))}
                {content(section)}
                {section === "about" ? null : (
                  <p className="text-tiny dim">{t("settings.fileNote", { path: shortPath(settings.data.path) })}</p>
                )}
              </div>
            )}
          </div>
        </Pane>
      </div>
    </Page>
  );
}
