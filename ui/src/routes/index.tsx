/** What is loaded for each path. */
import { withTexts } from "@/i18n";
import { SECTIONS } from "@/sections";
import { type Screens, startRouter } from "./router";

const SCREENS: Screens = {
  [SECTIONS.overview.route]: () => import("@/features/overview").then(({ OverviewScreen }) => OverviewScreen),
  [SECTIONS.hooks.route]: () => withTexts(import("@/features/hooks")).then(({ HooksScreen }) => HooksScreen),
  [SECTIONS.fire.route]: () => withTexts(import("@/features/fire")).then(({ FireScreen }) => FireScreen),
  [SECTIONS.history.route]: () => withTexts(import("@/features/history")).then(({ HistoryScreen }) => HistoryScreen),
  "/history/explain": () => withTexts(import("@/features/explain")).then(({ ExplainScreen }) => ExplainScreen),
  [SECTIONS.metrics.route]: () => withTexts(import("@/features/metrics")).then(({ MetricsScreen }) => MetricsScreen),
  [SECTIONS.agents.route]: () => withTexts(import("@/features/agents")).then(({ AgentsScreen }) => AgentsScreen),
  [SECTIONS.trust.route]: () => withTexts(import("@/features/trust")).then(({ TrustScreen }) => TrustScreen),
  [SECTIONS.simulator.route]: () =>
    withTexts(import("@/features/simulator")).then(({ SimulatorScreen }) => SimulatorScreen),
  [SECTIONS.settings.route]: () =>
    withTexts(import("@/features/settings")).then(({ SettingsScreen }) => SettingsScreen),
};

export function startRoutes(): void {
  startRouter(SCREENS, SECTIONS.overview.route);
}
