/** What is drawn at each address. Screens are loaded when they are opened. */
import { createHashHistory, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { ErrorScreen } from "@/shell/ErrorScreen";
import { Screen } from "@/shell/Frame";
import { parseSearch, ROUTES, root, routeTree, stringifySearch } from "./router";

root.update({ component: Screen, errorComponent: ErrorScreen });
ROUTES["/overview"].update({ component: lazyRouteComponent(() => import("@/features/overview"), "OverviewScreen") });
ROUTES["/hooks"].update({ component: lazyRouteComponent(() => import("@/features/hooks"), "HooksScreen") });
ROUTES["/fire"].update({ component: lazyRouteComponent(() => import("@/features/fire"), "FireScreen") });
ROUTES["/history"].update({ component: lazyRouteComponent(() => import("@/features/history"), "HistoryScreen") });
ROUTES["/history/explain"].update({
  component: lazyRouteComponent(() => import("@/features/explain"), "ExplainScreen"),
});
ROUTES["/metrics"].update({ component: lazyRouteComponent(() => import("@/features/metrics"), "MetricsScreen") });
ROUTES["/agents"].update({ component: lazyRouteComponent(() => import("@/features/agents"), "AgentsScreen") });
ROUTES["/trust"].update({ component: lazyRouteComponent(() => import("@/features/trust"), "TrustScreen") });
ROUTES["/simulator"].update({ component: lazyRouteComponent(() => import("@/features/simulator"), "SimulatorScreen") });
ROUTES["/settings"].update({ component: lazyRouteComponent(() => import("@/features/settings"), "SettingsScreen") });

/** Follows the address from now on. */
export function createAppRouter() {
  return createRouter({
    routeTree,
    history: createHashHistory(),
    parseSearch,
    stringifySearch,
    defaultErrorComponent: ErrorScreen,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
