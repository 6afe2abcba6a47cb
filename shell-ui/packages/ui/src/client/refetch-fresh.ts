import type { InvalidateQueryFilters, Query, QueryClient } from "@tanstack/react-query";

export function isReading(query: Query): boolean {
  return query.state.fetchStatus === "fetching";
}

/** When what is on its way is here, or has failed. */
export async function settled(query: Query): Promise<void> {
  if (isReading(query)) await query.promise?.catch(() => undefined);
}

/** A first reading may have begun before a change, and a further page that a person asked for would be lost if it was cancelled. */
const mustSettle = (query: Query) =>
  isReading(query) && (query.state.data === undefined || Boolean(query.state.fetchMeta?.fetchMore));

/**
 * Reads again what the filters name, because it has changed: at once, or after a reading that is under way and must settle.
 *
 * Resolves when all is read; a failure is in the query's state.
 */
export async function refetchFresh(
  client: QueryClient,
  filters: InvalidateQueryFilters,
): Promise<void> {
  const settling = client.getQueryCache().findAll(filters).filter(mustSettle);
  const others = (query: Query) =>
    !settling.includes(query) && (filters.predicate?.(query) ?? true);
  await Promise.all([
    client.invalidateQueries({ ...filters, predicate: others }),
    ...settling.map(async (query) => {
      await settled(query);
      await client.invalidateQueries({ queryKey: query.queryKey, exact: true });
    }),
  ]);
}
