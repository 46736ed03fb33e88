/** The routes. History lies in the hash, so that a reload works under the window's own protocol. */
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  redirect,
} from "@tanstack/react-router";
import { SECTIONS } from "@/sections";
import { ErrorScreen } from "@/shell/ErrorScreen";
import { Frame } from "@/shell/Frame";
import { explainSearch, fireSearch, historySearch, hooksSearch, settingsSearch } from "./search";

const root = createRootRoute({ component: Frame, errorComponent: ErrorScreen });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: SECTIONS.hooks.route });
  },
});

const hooks = createRoute({
  getParentRoute: () => root,
  path: SECTIONS.hooks.route,
  validateSearch: hooksSearch,
  component: lazyRouteComponent(() => import("@/features/hooks"), "HooksScreen"),
});

const fire = createRoute({
  getParentRoute: () => root,
  path: SECTIONS.fire.route,
  validateSearch: fireSearch,
  component: lazyRouteComponent(() => import("@/features/fire"), "FireScreen"),
});

const history = createRoute({
  getParentRoute: () => root,
  path: SECTIONS.history.route,
  validateSearch: historySearch,
  component: lazyRouteComponent(() => import("@/features/history"), "HistoryScreen"),
});

const explain = createRoute({
  getParentRoute: () => root,
  path: "/history/explain",
  validateSearch: explainSearch,
  component: lazyRouteComponent(() => import("@/features/explain"), "ExplainScreen"),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: SECTIONS.settings.route,
  validateSearch: settingsSearch,
  component: lazyRouteComponent(() => import("@/features/settings"), "SettingsScreen"),
});

const routeTree = root.addChildren([home, hooks, fire, history, explain, settings]);

export function makeRouter() {
  return createRouter({
    routeTree,
    history: createHashHistory(),
    defaultErrorComponent: ErrorScreen,
    // An old or mistyped address: the first section instead of a blank page.
    defaultNotFoundComponent: () => <Navigate to="/hooks" replace />,
    // Screens show their own skeletons.
    defaultPendingMs: 60_000,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
