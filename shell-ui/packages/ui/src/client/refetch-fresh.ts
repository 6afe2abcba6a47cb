import type { InvalidateQueryFilters, Query, QueryClient } from "@tanstack/react-query";

export function isReading(query: Query): boolean {
  return query.state.fetchStatus === "fetching";
}

/** Waits until a running fetch has finished or failed. */
export async function whenIdle(query: Query): Promise<void> {
  if (isReading(query)) await query.promise?.catch(() => undefined);
}

/** A first fetch may have begun before a change, and cancelling it would lose a further page that the user requested. */
const mustFinish = (query: Query) =>
  isReading(query) && (query.state.data === undefined || Boolean(query.state.fetchMeta?.fetchMore));

/**
 * Refetches the queries that match the filters, because their data has changed: at once, or after a running fetch that
 * must finish.
 *
 * Resolves when all queries are fetched; a failure is in the state of its query.
 */
export async function refetchFresh(
  client: QueryClient,
  filters: InvalidateQueryFilters,
): Promise<void> {
  const running = client.getQueryCache().findAll(filters).filter(mustFinish);
  const others = (query: Query) => !running.includes(query) && (filters.predicate?.(query) ?? true);
  await Promise.all([
    client.invalidateQueries({ ...filters, predicate: others }),
    ...running.map(async (query) => {
      await whenIdle(query);
      await client.invalidateQueries({ queryKey: query.queryKey, exact: true });
    }),
  ]);
}
