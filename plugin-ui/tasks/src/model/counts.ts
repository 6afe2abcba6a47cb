import { useQuery } from "@tanstack/react-query";
import { useServerEvent } from "@tenon/host";
import { clientFor, type Client } from "@tenon/ui";
import { filter } from "@tenon/ui/records";
import { useMemo } from "react";
import { useReadAgain } from "./paced-refetch.ts";
import { noCounts, type CardCounts } from "./types.ts";

const api: Client = clientFor("/api/tasks");
// Changes that come together are one question.
const pause = 300;

interface Groups<T> {
  items: readonly T[];
}

/** How much hangs on each card of a board: of at most 1,000 groups, which the server bounds. */
export function useCounts(board: string): ReadonlyMap<string, CardCounts> {
  const key = useMemo(() => ["tasks", "counts", board], [board]);
  const { data } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const query = { filter: filter`board = ${board}`.toString(), agg: "count", limit: 1000 };
      const [items, comments] = await Promise.all([
        api.get<Groups<{ card: string; done: boolean; count: number }>>("checklist_items", {
          query: { ...query, group: "card,done" },
          signal,
        }),
        api.get<Groups<{ card: string; count: number }>>("comments", {
          query: { ...query, group: "card" },
          signal,
        }),
      ]);
      const counts = new Map<string, CardCounts>();
      const add = (card: string, more: Partial<CardCounts>) => {
        const { items, done, comments } = counts.get(card) ?? noCounts;
        counts.set(card, {
          items: items + (more.items ?? 0),
          done: done + (more.done ?? 0),
          comments: comments + (more.comments ?? 0),
        });
      };
      for (const { card, done, count } of items.items)
        add(card, { items: count, done: done ? count : 0 });
      for (const { card, count } of comments.items) add(card, { comments: count });
      return counts;
    },
  });
  const changed = useReadAgain(key, pause);
  useServerEvent("tasks.checklist_items", changed, { onMissed: changed, table: true });
  useServerEvent("tasks.comments", changed, { onMissed: changed, table: true });
  return useMemo(() => data ?? new Map<string, CardCounts>(), [data]);
}
