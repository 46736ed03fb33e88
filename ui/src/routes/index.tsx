/** What is loaded for each path. */
import { SECTIONS } from "@/sections";
import { type Screens, startRouter } from "./router";

const SCREENS: Screens = {
  [SECTIONS.overview.route]: () => import("@/features/overview").then(({ OverviewScreen }) => OverviewScreen),
  [SECTIONS.hooks.route]: () => import("@/features/hooks").then(({ HooksScreen }) => HooksScreen),
  [SECTIONS.fire.route]: () => import("@/features/fire").then(({ FireScreen }) => FireScreen),
  [SECTIONS.history.route]: () => import("@/features/history").then(({ HistoryScreen }) => HistoryScreen),
  "/history/explain": () => import("@/features/explain").then(({ ExplainScreen }) => ExplainScreen),
  [SECTIONS.metrics.route]: () => import("@/features/metrics").then(({ MetricsScreen }) => MetricsScreen),
  [SECTIONS.agents.route]: () => import("@/features/agents").then(({ AgentsScreen }) => AgentsScreen),
  [SECTIONS.trust.route]: () => import("@/features/trust").then(({ TrustScreen }) => TrustScreen),
  [SECTIONS.simulator.route]: () => import("@/features/simulator").then(({ SimulatorScreen }) => SimulatorScreen),
  [SECTIONS.settings.route]: () => import("@/features/settings").then(({ SettingsScreen }) => SettingsScreen),
};

export function startRoutes(): void {
  startRouter(SCREENS, SECTIONS.overview.route);
}
