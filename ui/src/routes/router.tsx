/**
 * The address of the window: the path of a screen and its parameters, in the hash, so that a reload works under the
 * window's own protocol. `search.ts` names the screens and types their parameters, `index.tsx` says what draws them.
 */
import {
  createRootRoute,
  createRoute,
  parseSearchWith,
  Link as RouterLink,
  redirect,
  stringifySearchWith,
  useRouter,
  useBlocker as useRouterBlocker,
  useNavigate as useRouterNavigate,
  useRouterState,
} from "@tanstack/react-router";
import type { ComponentProps } from "react";
import { type Path, READERS, type SearchOf } from "./search";

export { getRouteApi, Matches, Outlet, useRouterState } from "@tanstack/react-router";

/** A screen and its parameters. */
export type Target = { [P in Path]: { to: P; search?: SearchOf<P> } }[Path];

/** A parameter that is no plain text: quoted text, a number, yes or no. */
function parsed(text: string): unknown {
  if (!/^(?:["\d-]|(?:true|false)$)/.test(text)) throw new SyntaxError("plain text");
  return JSON.parse(text);
}

export const parseSearch = parseSearchWith(parsed);
export const stringifySearch = stringifySearchWith(JSON.stringify, parsed);

export const root = createRootRoute();

function screen<P extends Path>(path: P) {
  return createRoute({
    getParentRoute: () => root,
    path,
    validateSearch: READERS[path] as (raw: Record<string, unknown>) => SearchOf<P>,
  });
}

export const ROUTES = {
  "/overview": screen("/overview"),
  "/hooks": screen("/hooks"),
  "/fire": screen("/fire"),
  "/history": screen("/history"),
  "/history/explain": screen("/history/explain"),
  "/metrics": screen("/metrics"),
  "/agents": screen("/agents"),
  "/trust": screen("/trust"),
  "/simulator": screen("/simulator"),
  "/settings": screen("/settings"),
} satisfies Record<Path, unknown>;

/** An old or mistyped address leads to the first screen. */
const toFirst = () => {
  throw redirect({ to: "/overview", replace: true });
};
const start = createRoute({ getParentRoute: () => root, path: "/", beforeLoad: toFirst });
const unknown = createRoute({ getParentRoute: () => root, path: "$", beforeLoad: toFirst });

export const routeTree = root.addChildren({ ...ROUTES, start, unknown });

type Navigation = Target & { replace?: boolean };

/** Goes to another screen. */
export function useNavigate(): (target: Navigation) => void {
  const navigate = useRouterNavigate();
  return navigate as (target: Navigation) => void;
}

/** Opens an address that somebody else wrote: `/hooks?hook=…`. */
export function useOpenAddress(): (address: string) => void {
  const { history } = useRouter();
  return history.push;
}

/** The path of the screen on show. */
export function usePath(): Path | null {
  const path = useRouterState({ select: ({ matches }) => matches.at(-1)?.fullPath });
  return path !== undefined && Object.hasOwn(READERS, path) ? (path as Path) : null;
}

const UNMARKED = {};

/** A link to a screen. It has an ordinary address, so it can be opened elsewhere, too. */
export function Link({ search, ...rest }: Target & Omit<ComponentProps<"a">, "href">) {
  return <RouterLink {...rest} search={search as never} activeProps={UNMARKED} />;
}

interface BlockerOptions {
  /** Whether this address may not be opened without asking. */
  shouldBlockFn: (where: { next: { pathname: string; search: object } }) => boolean;
  disabled?: boolean;
}

/** Asks before another address is opened, such as while something is not saved. */
export function useBlocker(options: BlockerOptions) {
  return useRouterBlocker({ ...options, withResolver: true, enableBeforeUnload: false });
}
