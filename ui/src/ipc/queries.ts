/** Calls as queries: cached by method and parameters, refreshed by pushes instead of by time. */
import {
  keepPreviousData,
  type Query,
  QueryClient,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { call } from "./call";
import type { Fault } from "./fault";
import { METHODS_BY_TOPIC } from "./gen/staleness";
import type { Method, Params, Reply, Topic } from "./types";

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 10 * 60_000,
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        networkMode: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}

export function queryKey<M extends Method>(method: M, params: Params<M>): [M, Params<M>] {
  return [method, params];
}

/**
 * Marks answers as old and asks again for those on screen. A first answer that is still on its way can be as old: it is shown,
 * since one that is always given up never comes, and then asked for again.
 */
export function makeOld(client: QueryClient, isOld: (query: Query) => boolean = () => true): void {
  for (const query of client.getQueryCache().getAll()) {
    const { data, isInvalidated } = query.state;
    if (data !== undefined || isInvalidated || !isOld(query)) continue;
    query.promise?.then(
      () => client.invalidateQueries({ queryKey: query.queryKey, exact: true }),
      () => undefined,
    );
  }
  void client.invalidateQueries({ predicate: isOld });
}

/** Marks everything that depends on one of `topics` as old and asks again for what is on screen. */
export function invalidate(client: QueryClient, topics: ReadonlySet<Topic>): void {
  if (topics.size === 0) return;
  const stale = new Set<unknown>([...topics].flatMap((topic) => METHODS_BY_TOPIC[topic]));
  makeOld(client, (query) => stale.has(query.queryKey[0]));
}

/** Asks before anything is drawn that shows the answer. */
export function prefetch<M extends Method>(client: QueryClient, method: M, params: Params<M>): void {
  void client.prefetchQuery({ queryKey: queryKey(method, params), queryFn: () => call(method, params) });
}

interface CallOptions {
  /** False while a parameter is not known yet. */
  enabled?: boolean;
  /** Shows the old answer while the one for new parameters is on its way. */
  keepPrevious?: boolean;
  /** Asks again whenever it is shown anew: no push says that this answer grew old. */
  refetchOnMount?: boolean;
  /** Asks again when it is shown anew, and after so many ms while it is shown: no push says that time went by. */
  everyMs?: number;
}

/** The answer to a call, kept fresh. */
export function useCall<M extends Method>(
  method: M,
  params: Params<M>,
  options: CallOptions = {},
): UseQueryResult<Reply<M>, Fault> {
  return useQuery<Reply<M>, Fault, Reply<M>, [M, Params<M>]>({
    queryKey: queryKey(method, params),
    queryFn: ({ signal }) => call(method, params, signal),
    enabled: options.enabled ?? true,
    ...(options.everyMs === undefined ? {} : { refetchInterval: options.everyMs }),
    ...(options.refetchOnMount || options.everyMs !== undefined ? { staleTime: 0 } : {}),
    ...(options.keepPrevious ? { placeholderData: keepPreviousData as never } : {}),
  });
}

interface CommandOptions<M extends Method> {
  /** What the call makes old, besides what the engine pushes. */
  stale?: readonly Topic[];
  onSuccess?: (reply: Reply<M>, params: Params<M>) => void;
  onError?: (fault: Fault, params: Params<M>) => void;
}

/** A call that changes something. */
export function useCommand<M extends Method>(method: M, options: CommandOptions<M> = {}) {
  const client = useQueryClient();
  return useMutation<Reply<M>, Fault, Params<M>>({
    mutationFn: (params) => call(method, params),
    onSuccess: (reply, params) => {
      invalidate(client, new Set(options.stale ?? []));
      options.onSuccess?.(reply, params);
    },
    onError: (fault, params) => options.onError?.(fault, params),
  });
}
