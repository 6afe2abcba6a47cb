import {
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type InfiniteData,
  type QueryClient,
} from "@tanstack/react-query";
import { useMemo } from "react";
import type { ListPage } from "../client/client.ts";
import type { Batch, ListOptions, Listed, TableClient, TableTypes, Tagged } from "./table.ts";

export interface HookOptions {
  /** False asks nothing yet. */
  enabled?: boolean;
}

type PageOptions<T extends TableTypes, F extends keyof T["record"]> = Omit<
  ListOptions<T, F>,
  "cursor"
>;
type Pages<R> = InfiniteData<ListPage<R>, string | null>;

/** Query keys: `[plugin, table, "list" | "pages" | "one", …]`. */
export type TableKey = readonly [plugin: string, table: string];

/** What the server has answered about records, in everything that is in memory. */
class Memory<T extends TableTypes> {
  readonly #client: QueryClient;
  readonly #key: TableKey;

  constructor(client: QueryClient, key: TableKey) {
    this.#client = client;
    this.#key = key;
  }

  keep({ record, etag }: Tagged<T["record"]>): void {
    this.#client.setQueryData<Tagged<T["record"]>>([...this.#key, "one", record.id], {
      record,
      etag,
    });
    this.#change((items) =>
      items.map((item) => (item.id === record.id ? into(item, record) : item)),
    );
  }

  forget(ids: readonly string[]): void {
    for (const id of ids) this.#client.removeQueries({ queryKey: [...this.#key, "one", id] });
    this.#change((items) => items.filter(({ id }) => !ids.includes(id)));
  }

  /** Lists may have others now, in another order. */
  async refresh(): Promise<void> {
    await Promise.all(
      ["list", "pages"].map((kind) =>
        this.#client.invalidateQueries({ queryKey: [...this.#key, kind] }),
      ),
    );
  }

  #change(change: (items: readonly T["record"][]) => T["record"][]): void {
    const changed = (page: ListPage<T["record"]>) => ({ ...page, items: change(page.items) });
    this.#client.setQueriesData<ListPage<T["record"]>>(
      { queryKey: [...this.#key, "list"] },
      (page) => page && changed(page),
    );
    this.#client.setQueriesData<Pages<T["record"]>>(
      { queryKey: [...this.#key, "pages"] },
      (data) => data && { ...data, pages: data.pages.map(changed) },
    );
  }
}

/** A list's item keeps to the fields that it has. */
function into<R extends object>(item: R, record: R): R {
  const fresh: R = { ...item };
  for (const field of Object.keys(item) as (keyof R)[])
    if (field in record) fresh[field] = record[field];
  return fresh;
}

export interface Update<T extends TableTypes> {
  id: string;
  patch: T["patch"];
  /** Of what the change was made from; without it the last one wins. */
  etag?: string | null;
}

export interface Removal {
  id: string;
  etag?: string | null;
}

export function tableHooks<T extends TableTypes>(key: TableKey, client: TableClient<T>) {
  type Kept = T["record"];

  function useMemory(): Memory<T> {
    const queries = useQueryClient();
    return useMemo(() => new Memory<T>(queries, key), [queries]);
  }

  return {
    /** One page. */
    useList<F extends keyof Kept = keyof Kept>(
      options: ListOptions<T, F> = {},
      { enabled = true }: HookOptions = {},
    ) {
      return useQuery({
        queryKey: [...key, "list", options],
        queryFn: ({ signal }) => client.list<F>(options, { signal }),
        enabled,
      });
    },

    /** Page after page; `items` has all that are there. */
    useInfinite<F extends keyof Kept = keyof Kept>(
      options: PageOptions<T, F> = {},
      { enabled = true }: HookOptions = {},
    ) {
      const query = useInfiniteQuery({
        queryKey: [...key, "pages", options],
        queryFn: ({ pageParam, signal }) =>
          client.list<F>({ ...options, cursor: pageParam }, { signal }),
        initialPageParam: null as string | null,
        getNextPageParam: ({ next }: ListPage<Listed<T, F>>) => next,
        enabled,
      });
      const { data } = query;
      const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
      return { ...query, items };
    },

    /** One record with its tag; nothing is asked without an id. */
    useOne(id: string | null | undefined) {
      return useQuery({
        queryKey: [...key, "one", id],
        queryFn: ({ signal }) => client.get(id ?? "", { signal }),
        enabled: id != null,
      });
    },

    useCreate() {
      const memory = useMemory();
      return useMutation({
        mutationFn: (record: T["create"]) => client.create(record),
        onSuccess: (made) => {
          memory.keep(made);
          return memory.refresh();
        },
      });
    },

    useUpdate() {
      const memory = useMemory();
      return useMutation({
        mutationFn: ({ id, patch, etag }: Update<T>) => client.update(id, patch, etag),
        onSuccess: (changed) => {
          memory.keep(changed);
          return memory.refresh();
        },
      });
    },

    useRemove() {
      const memory = useMemory();
      return useMutation({
        mutationFn: ({ id, etag }: Removal) => client.remove(id, etag),
        onSuccess: (_answer, { id }) => {
          memory.forget([id]);
          return memory.refresh();
        },
      });
    },

    useBatch() {
      const queries = useQueryClient();
      const memory = useMemory();
      return useMutation({
        mutationFn: (changes: Batch<T>) => client.batch(changes),
        onSuccess: async (answer) => {
          memory.forget(answer.delete);
          // The answer has no tags: what is open is read again.
          await queries.invalidateQueries({ queryKey: [...key] });
        },
      });
    },
  };
}
