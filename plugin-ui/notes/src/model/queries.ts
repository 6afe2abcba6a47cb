import {
  infiniteQueryOptions,
  queryOptions,
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type QueryClient,
} from "@tanstack/react-query";
import { refetchFresh, type ListPage } from "@tenon/ui";
import { useMemo } from "react";
import { notesApi } from "./notes-api.ts";
import { buildTree } from "./notebook-tree.ts";
import { viewKey, type Sort, type View } from "./location.ts";
import { insertRow, removeRow, rowOf } from "./rows.ts";
import type { Note, NotebookList, NoteRow, SearchResult } from "./types.ts";

type Pages = InfiniteData<ListPage<NoteRow>, string | null>;
type ListKey = readonly ["notes", "list", string, Sort, View];

/** Changes are published; if that fails, visible data is read again after this, milliseconds. */
const liveInterval = 60_000;

export const noteQuery = (id: string) =>
  queryOptions({
    queryKey: ["notes", "note", id] as const,
    queryFn: ({ signal }) => notesApi.note(id, { signal }),
    // A long text is not worth it that often.
    refetchInterval: ({ state }) =>
      (state.data?.text.length ?? 0) > 100_000 ? 6 * liveInterval : liveInterval,
  });

const listQuery = (view: View, sort: Sort) =>
  infiniteQueryOptions({
    queryKey: ["notes", "list", viewKey(view), sort, view] as ListKey,
    queryFn: ({ pageParam, signal }) => notesApi.list(view, sort, pageParam, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }: ListPage<NoteRow>) => next,
    // Reading many pages again costs more than it shows.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 2 ? liveInterval : false),
  });

export function useNoteList(view: View, sort: Sort, enabled = true) {
  const query = useInfiniteQuery({ ...listQuery(view, sort), enabled });
  const rows = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data]);
  return { ...query, rows };
}

const noNotebooks: NotebookList = {
  items: [],
  totals: { notes: 0, unfiled: 0, pinned: 0, shared: 0, trash: 0, trash_own: 0 },
};

export function useNotebooks() {
  const { data = noNotebooks, ...query } = useQuery({
    queryKey: ["notes", "notebooks"],
    queryFn: ({ signal }) => notesApi.notebooks({ signal }),
    refetchInterval: liveInterval,
  });
  const tree = useMemo(() => buildTree(data.items), [data]);
  return { ...query, items: data.items, totals: data.totals, tree };
}

export function useTags() {
  const { data, ...query } = useQuery({
    queryKey: ["notes", "tags"],
    queryFn: ({ signal }) => notesApi.tags({ signal }),
  });
  return { ...query, tags: data?.items ?? [] };
}

export function useSearchResults(q: string, tag: string | undefined) {
  const query = useInfiniteQuery({
    queryKey: ["notes", "search", q, tag],
    queryFn: ({ pageParam, signal }) => notesApi.search(q, { tag, cursor: pageParam }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    enabled: q.trim() !== "",
    placeholderData: (before) => before,
  });
  const results = useMemo(
    () => query.data?.pages.flatMap(({ items }) => items) ?? [],
    [query.data],
  );
  return { ...query, results };
}

/** Puts the note that the server returned into every list in memory. */
export function noteChanged(client: QueryClient, note: Note | NoteRow): void {
  const row = rowOf(note);
  if ("text" in note) client.setQueryData(noteQuery(note.id).queryKey, note);
  else {
    client.setQueryData(noteQuery(note.id).queryKey, (before) => before && { ...before, ...row });
  }
  updateLists(client, (pages, view, sort) => insertRow(pages, row, view, sort));
  updateResults(client, (results) =>
    row.deleted
      ? results.filter((result) => result.note.id !== row.id)
      : results.map((result) => (result.note.id === row.id ? { ...result, note: row } : result)),
  );
}

/** A text was saved: what other notes know of links to it is old. */
export function linksChanged(client: QueryClient, id: string): void {
  void client.invalidateQueries({
    queryKey: ["notes", "note"],
    predicate: ({ queryKey }) => queryKey[2] !== id,
  });
}

/** The note is in no list any more. */
export function noteRemoved(client: QueryClient, id: string): void {
  client.removeQueries({ queryKey: noteQuery(id).queryKey });
  updateLists(client, (pages) => removeRow(pages, id));
  updateResults(client, (results) => results.filter(({ note }) => note.id !== id));
}

function updateLists(
  client: QueryClient,
  change: (pages: ListPage<NoteRow>[], view: View, sort: Sort) => ListPage<NoteRow>[],
): void {
  for (const [key, data] of client.getQueriesData<Pages>({ queryKey: ["notes", "list"] })) {
    const [, , , sort, view] = key as ListKey;
    if (data) client.setQueryData<Pages>(key, { ...data, pages: change(data.pages, view, sort) });
  }
}

function updateResults(
  client: QueryClient,
  change: (results: readonly SearchResult[]) => readonly SearchResult[],
): void {
  client.setQueriesData<InfiniteData<ListPage<SearchResult>>>(
    { queryKey: ["notes", "search"] },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({ ...page, items: change(page.items) })),
      },
  );
}

/** Reads the numbers next to notebooks, tags and the trash again. */
export function countsChanged(client: QueryClient): void {
  void refetchFresh(client, { queryKey: ["notes", "notebooks"] });
  void refetchFresh(client, { queryKey: ["notes", "tags"] });
}

/** Many notes have changed at once. */
export function everythingChanged(client: QueryClient): void {
  void refetchFresh(client, { queryKey: ["notes"] });
}
