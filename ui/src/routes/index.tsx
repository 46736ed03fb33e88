/** What is drawn at each address. Screens are loaded when they are opened. */
import { createHashHistory, createRouter, lazyRouteComponent, type RouterHistory } from "@tanstack/react-router";
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

/** What the router calls the place of an address among those that were opened. */
const INDEX = "__TSR_index";

/**
 * The history in the hash. An address that somebody types comes without its number. It is the one after the address on
 * show, and only with that number can the router go back from it when something unsaved is kept.
 */
function addressHistory(): RouterHistory {
  const number = ({ state }: PopStateEvent) => {
    if (state?.[INDEX] !== undefined) return;
    const typed = { [INDEX]: history.location.state[INDEX] + 1, key: crypto.randomUUID() };
    // Not the function of the page: the router listens to that one.
    History.prototype.replaceState.call(window.history, typed, "");
  };
  // Before the router hears of it.
  window.addEventListener("popstate", number);
  const history = createHashHistory();
  const { destroy } = history;
  history.destroy = () => {
    window.removeEventListener("popstate", number);
    destroy();
  };
  return history;
}

/** Follows the address from now on, also before anything is drawn. */
export function createAppRouter() {
  const history = addressHistory();
  const router = createRouter({
    routeTree,
    history,
    parseSearch,
    stringifySearch,
    defaultErrorComponent: ErrorScreen,
  });
  // The router itself listens only once its first screen is drawn.
  const { subscribe } = history;
  const stop = subscribe(() => void router.load());
  history.subscribe = (listener) => {
    stop();
    history.subscribe = subscribe;
    return subscribe(listener);
  };
  return router;
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
