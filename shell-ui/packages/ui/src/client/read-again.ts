import type { InvalidateQueryFilters, Query, QueryClient } from "@tanstack/react-query";

export function isReading(query: Query): boolean {
  return query.state.fetchStatus === "fetching";
}

/** When what is on its way is here, or has failed. */
export async function settled(query: Query): Promise<void> {
  if (isReading(query)) await query.promise?.catch(() => undefined);
}

/**
 * Reads again what the filters name, because it has changed. `invalidateQueries` leaves a first reading that is under
 * way as it is, though it may have begun before the change; here it is read once more behind that.
 *
 * Resolves when all is read; a failure is in the query's state.
 */
export async function readAgain(
  client: QueryClient,
  filters: InvalidateQueryFilters,
): Promise<void> {
  const first = client
    .getQueryCache()
    .findAll(filters)
    .filter((query) => query.state.data === undefined && isReading(query));
  await Promise.all([
    client.invalidateQueries(filters),
    ...first.map(async (query) => {
      await settled(query);
      await client.invalidateQueries({ queryKey: query.queryKey, exact: true });
    }),
  ]);
}
