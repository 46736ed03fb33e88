/**
 * The address of the window: the path of a screen and its parameters, in the hash, so that a reload works under the
 * window's own protocol. `search.ts` names the screens and types their parameters.
 *
 * A screen that is not loaded yet is shown once it is; until then the one before stays.
 */
import {
  Component,
  type ComponentProps,
  type ComponentType,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { type Path, READERS, type SearchOf } from "./search";

export type Screens = Readonly<Record<Path, () => Promise<ComponentType>>>;

/** A screen and its parameters. */
export type Target = { [P in Path]: { to: P; search?: SearchOf<P> } }[Path];

interface Shown {
  address: string;
  path: Path;
  /** What draws the screen, or what went wrong when it was loaded. */
  screen: { component: ComponentType } | { error: unknown };
}

let screens: Screens | null = null;
let home: Path = "/hooks";
let shown: Shown | null = null;
const components = new Map<Path, ComponentType>();
/** The parameters of each screen when it was last shown. */
const searches = new Map<Path, object>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** A parameter as text; quoted where a text would be read as a number. */
function written(value: unknown): string {
  return typeof value === "string" && parsed(value) === value ? value : JSON.stringify(value);
}

function parsed(text: string): unknown {
  if (!/^["\d-]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function addressOf({ to, search = {} }: Target): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) if (value !== undefined) parameters.set(name, written(value));
  const text = parameters.toString();
  return text === "" ? `#${to}` : `#${to}?${text}`;
}

/** The screen of an address and its parameters; null where there is no such screen. */
export function readAddress(address: string): { path: Path; search: object } | null {
  const [path = "", query = ""] = address.slice(1).split(/\?(.*)/s);
  if (!Object.hasOwn(READERS, path)) return null;
  const raw = Object.fromEntries([...new URLSearchParams(query)].map(([name, value]) => [name, parsed(value)]));
  return { path: path as Path, search: READERS[path as Path](raw) };
}

function show(next: Shown, search: object): void {
  shown = next;
  searches.set(next.path, search);
  for (const listener of listeners) listener();
}

/** Shows what the address says. */
function follow(): void {
  const address = window.location.hash;
  if (screens === null || shown?.address === address) return;
  const wanted = readAddress(address);
  if (wanted === null) {
    // An old or mistyped address.
    navigate({ to: home, replace: true });
    return;
  }
  const { path, search } = wanted;
  const component = components.get(path);
  if (component !== undefined) {
    show({ address, path, screen: { component } }, search);
    return;
  }
  const isStillWanted = () => window.location.hash === address;
  screens[path]().then(
    (loaded) => {
      components.set(path, loaded);
      if (isStillWanted()) show({ address, path, screen: { component: loaded } }, search);
    },
    (error: unknown) => {
      if (isStillWanted()) show({ address, path, screen: { error } }, search);
    },
  );
}

interface Guard {
  blocks: (next: { pathname: string; search: object }) => boolean;
  /** Hands over what goes on to the address after all. */
  ask: (proceed: () => void) => void;
}

const guards = new Set<Guard>();

/** Asks before an address is opened where somebody wants that; true where it has to wait. */
function isBlocked(address: string, proceed: () => void): boolean {
  const wanted = readAddress(address);
  const next = { pathname: wanted?.path ?? "", search: wanted?.search ?? {} };
  const guard = [...guards].find((one) => one.blocks(next));
  guard?.ask(proceed);
  return guard !== undefined;
}

/** The address changed from outside: back, forward, or typed by hand. */
function onAddress(): void {
  const address = window.location.hash;
  const before = shown?.address;
  if (before !== undefined && before !== address && isBlocked(address, () => open(address, false))) {
    window.history.pushState(null, "", before);
    return;
  }
  follow();
}

function go(address: string, replace: boolean): void {
  const proceed = () => open(address, replace);
  if (address === window.location.hash || !isBlocked(address, proceed)) proceed();
}

function open(address: string, replace: boolean): void {
  if (address !== window.location.hash) {
    window.history[replace ? "replaceState" : "pushState"](null, "", address);
  }
  follow();
}

/** Begins to follow the address. `first` is shown where it names no screen. */
export function startRouter(all: Screens, first: Path): void {
  screens = all;
  home = first;
  shown = null;
  window.removeEventListener("hashchange", onAddress);
  window.addEventListener("hashchange", onAddress);
  window.removeEventListener("popstate", onAddress);
  window.addEventListener("popstate", onAddress);
  follow();
}

type Navigation = Target & { replace?: boolean };

export function navigate({ replace = false, ...target }: Navigation): void {
  go(addressOf(target as Target), replace);
}

/** Opens an address that somebody else wrote: `/hooks?hook=…`. */
export function openAddress(address: string): void {
  go(`#${address}`, false);
}

/** `navigate`, for components. */
export function useNavigate(): typeof navigate {
  return navigate;
}

/** The path of the screen on show. */
export function usePath(): Path | null {
  return useSyncExternalStore(subscribe, () => shown?.path ?? null);
}

type OwnNavigation<P extends Path> = {
  to?: undefined;
  search: SearchOf<P> | ((now: SearchOf<P>) => SearchOf<P>);
  replace?: boolean;
};

/** What a screen needs of its own address. */
export function getRouteApi<P extends Path>(path: P) {
  const now = (): SearchOf<P> => {
    const address = readAddress(window.location.hash);
    return (address?.path === path ? address.search : (searches.get(path) ?? READERS[path]({}))) as SearchOf<P>;
  };
  const empty = READERS[path]({}) as SearchOf<P>;
  const last = () => (searches.get(path) ?? empty) as SearchOf<P>;
  const goTo = (where: Navigation | OwnNavigation<P>): void => {
    if (where.to !== undefined) {
      navigate(where);
      return;
    }
    const search = typeof where.search === "function" ? where.search(now()) : where.search;
    navigate({ to: path, search, replace: where.replace } as Navigation);
  };
  return {
    /** Its parameters, the same object until they change. */
    useSearch: (): SearchOf<P> => useSyncExternalStore(subscribe, last),
    /** Changes its parameters, or goes to another screen. */
    useNavigate: () => goTo,
  };
}

type LinkProps = Target & Omit<ComponentProps<"a">, "href">;

/** A link to a screen. It has an ordinary address, so it can be opened elsewhere, too. */
export function Link({ to, search, onClick, ...rest }: LinkProps) {
  const address = addressOf({ to, search } as Target);
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0;
    if (event.defaultPrevented || isElsewhere) return;
    event.preventDefault();
    go(address, false);
  };
  return <a {...rest} href={address} onClick={follow} />;
}

interface BlockerOptions {
  /** Whether this address may not be opened without asking. */
  shouldBlockFn: (where: { next: { pathname: string; search: object } }) => boolean;
  disabled?: boolean;
}

export interface Blocker {
  status: "idle" | "blocked";
  /** Opens the address after all. */
  proceed?: () => void;
  /** Stays. */
  reset?: () => void;
}

/** Asks before another address is opened, such as while something is not saved. */
export function useBlocker(options: BlockerOptions): Blocker {
  const { disabled = false } = options;
  const latest = useRef(options);
  latest.current = options;
  const [pending, setPending] = useState<{ proceed: () => void } | null>(null);
  useEffect(() => {
    if (disabled) return undefined;
    const guard: Guard = {
      blocks: (next) => latest.current.shouldBlockFn({ next }),
      ask: (proceed) => setPending({ proceed }),
    };
    guards.add(guard);
    return () => {
      guards.delete(guard);
    };
  }, [disabled]);
  if (pending === null) return { status: "idle" };
  return {
    status: "blocked",
    proceed: () => {
      setPending(null);
      pending.proceed();
    },
    reset: () => setPending(null),
  };
}

interface CatchProps {
  fallback: ComponentType<{ error: unknown }>;
  /** What is caught is tried again at another address. */
  address?: string;
  children: ReactNode;
}

/** Draws `fallback` in place of what threw. */
export class Catch extends Component<CatchProps, { error: unknown; failed: boolean }> {
  override state = { error: undefined as unknown, failed: false };

  static getDerivedStateFromError(error: unknown) {
    return { error, failed: true };
  }

  override componentDidUpdate(before: CatchProps): void {
    if (this.state.failed && before.address !== this.props.address) this.setState({ error: undefined, failed: false });
  }

  override render(): ReactNode {
    const { fallback: Fallback, children } = this.props;
    return this.state.failed ? <Fallback error={this.state.error} /> : children;
  }
}

/** The screen of the address, or `fallback` where it failed. */
export function Outlet({ fallback: Fallback }: { fallback: ComponentType<{ error: unknown }> }) {
  const now = useSyncExternalStore(subscribe, () => shown);
  if (now === null) return null;
  if ("error" in now.screen) return <Fallback error={now.screen.error} />;
  const { component: Screen } = now.screen;
  return (
    <Catch key={now.path} fallback={Fallback} address={now.address}>
      <Screen />
    </Catch>
  );
}
