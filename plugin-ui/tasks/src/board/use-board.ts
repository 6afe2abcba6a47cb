import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSession, useUser } from "@tenon/host";
import { clientFor, type ListPage } from "@tenon/ui";
import { filter } from "@tenon/ui/records";
import { useEffect, useMemo } from "react";
import { useCounts } from "../model/counts.ts";
import { fits } from "../model/filters.ts";
import { useNames } from "../model/names.ts";
import { byPosition } from "../model/order.ts";
import { isFiltered, type Filters } from "../model/location.ts";
import { cardFields, type BoardData, type CardRow } from "../model/types.ts";
import {
  useBoard as useBoardRecord,
  useColumns,
  useComments,
  useInfiniteCards,
  useLabels,
} from "../tables.gen.ts";

/** Returns whether the person may change a board, by its rules. */
function useIsWriter(board: ReturnType<typeof useBoardRecord>["data"]): boolean {
  const { id } = useUser();
  const { groups } = useSession();
  if (!board) return false;
  const { created_by, writers, writer_groups } = board.record;
  return (
    created_by === id ||
    writers.includes(id) ||
    writer_groups.some((group) => groups.includes(group))
  );
}

const none: readonly never[] = [];

/** Ids of cards whose title, description or comments have the words. */
function useFound(board: string, words: string): ReadonlySet<string> {
  const text = words.trim();
  const { data } = useQuery({
    queryKey: ["tasks", "found", board, text],
    queryFn: async ({ signal }) => {
      const query = { q: text, filter: filter`board = ${board}`.toString(), limit: 200 };
      const api = clientFor("/api/tasks");
      const [cards, comments] = await Promise.all([
        api.get<ListPage<{ id: string }>>("cards", { query: { ...query, fields: "id" }, signal }),
        api.get<ListPage<{ card: string }>>("comments", {
          query: { ...query, fields: "card" },
          signal,
        }),
      ]);
      return new Set([
        ...cards.items.map(({ id }) => id),
        ...comments.items.map(({ card }) => card),
      ]);
    },
    enabled: text.length > 1,
    placeholderData: keepPreviousData,
  });
  return useMemo(() => (text.length > 1 && data ? data : new Set<string>()), [data, text]);
}

/** Ids of cards with one of the newest comments that name the person; null while not requested. */
function useMentioned(board: string, isAsked: boolean) {
  const options = useMemo(
    () => ({
      filter: filter`board = ${board} and @user in mentions`,
      sort: ["-created"] as const,
      fields: ["card"] as const,
      limit: 200,
    }),
    [board],
  );
  const { data, error, refetch } = useComments<"card">(options, { enabled: isAsked });
  const ids = useMemo(
    () => (isAsked ? new Set(data?.items.map(({ card }) => card)) : null),
    [data, isAsked],
  );
  return {
    ids,
    error: isAsked ? error : null,
    isReady: !isAsked || data !== undefined,
    retry: () => void (isAsked && refetch()),
  };
}

/** A board whole: what is read, what the filters leave of it, and how the reading goes. */
export function useBoard(id: string, filters: Filters) {
  const options = useMemo(() => {
    const ofBoard = filter`board = ${id}`;
    return {
      columns: { filter: ofBoard, sort: ["position"] as const, limit: 200 },
      labels: { filter: ofBoard, sort: ["name"] as const, limit: 200 },
      cards: {
        filter: filter`board = ${id} and archived = null`,
        sort: ["position"] as const,
        fields: cardFields,
        limit: 200,
      },
    };
  }, [id]);
  const record = useBoardRecord(id);
  const columnList = useColumns(options.columns);
  const labelList = useLabels(options.labels);
  const cardPages = useInfiniteCards<(typeof cardFields)[number]>(options.cards);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = cardPages;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);

  const counts = useCounts(id);
  const found = useFound(id, filters.text);
  const mentioned = useMentioned(id, filters.mentioned);
  const isWriter = useIsWriter(record.data);
  const rows: readonly CardRow[] = cardPages.items;
  const people = useMemo(() => rows.flatMap(({ assignees }) => assignees), [rows]);
  const names = useNames(people);
  const columnItems = columnList.data?.items ?? none;
  const labelItems = labelList.data?.items ?? none;

  const labels = useMemo(() => new Map(labelItems.map((label) => [label.id, label])), [labelItems]);

  const data = useMemo((): BoardData => {
    const columns = columnItems.toSorted(byPosition);
    const cards = rows.toSorted(byPosition);
    const filtered = isFiltered(filters);
    const facts = {
      doneColumns: new Set(columns.filter(({ done }) => done).map((column) => column.id)),
      found,
      mentioned: mentioned.ids,
      labelNames: (card: CardRow) => card.labels.map((label) => labels.get(label)?.name ?? ""),
    };
    return {
      board: id,
      columns,
      cards,
      shown: filtered ? cards.filter((card) => fits(card, filters, facts)) : cards,
      labels,
      counts,
      names,
      isWriter,
      isFiltered: filtered,
    };
  }, [id, columnItems, labels, rows, filters, found, mentioned.ids, counts, names, isWriter]);

  return {
    board: record.data?.record,
    data,
    error:
      record.error ?? columnList.error ?? labelList.error ?? cardPages.error ?? mentioned.error,
    isReady: Boolean(
      record.data && columnList.data && labelList.data && cardPages.data && mentioned.isReady,
    ),
    retry: () => {
      for (const query of [record, columnList, labelList, cardPages]) void query.refetch();
      mentioned.retry();
    },
  };
}
