import {
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type InfiniteData,
} from "@tanstack/react-query";
import { useEventStream, useStore } from "@tenon/host";
import { useCallback, useEffect, useMemo } from "react";
import type { ListPage } from "../client/client.ts";
import { errorMessage } from "../kit/feedback.tsx";
import { toast } from "../kit/toast.tsx";
import { blankRecord, newId, splitIncrements, type Fields } from "./fields.ts";
import type { Aggregate, GroupKey, GroupOptions } from "./groups.ts";
import { memoryOf, oneWithPending, withPending, type Pending, type TableKey } from "./memory.ts";
import type { CachedList } from "./pages.ts";
import type { Batch, ListOptions, Listed, TableClient, TableTypes, Tagged } from "./table.ts";

export interface HookOptions {
  /** False asks nothing yet. */
  enabled?: boolean;
}

export interface ChangeOptions {
  /** The page says itself what is refused: no toast. */
  quiet?: boolean;
}

type PageOptions<T extends TableTypes, F extends keyof T["record"]> = Omit<
  ListOptions<T, F>,
  "cursor"
>;

export interface Update<T extends TableTypes> {
  id: string;
  patch: T["patch"];
  /** The tag of the version that the change is based on; without it, the last change wins. */
  etag?: string | null;
}

export interface Removal {
  id: string;
  etag?: string | null;
}

/**
 * Lists and records are kept fresh by the tab's events. A change is shown at once, and no longer when it is refused,
 * which a toast says.
 */
export function tableHooks<T extends TableTypes>(
  key: TableKey,
  client: TableClient<T>,
  fields: Fields,
) {
  type Kind = T["record"];

  function useMemory() {
    return memoryOf(useQueryClient(), key);
  }

  function useFresh(enabled: boolean) {
    const memory = useMemory();
    const stream = useEventStream();
    useEffect(() => (enabled ? memory.follow(stream) : undefined), [memory, stream, enabled]);
    return useStore(memory.pending);
  }

  // The cache keeps the data of the host; pending changes are applied over it.
  function useOverlay<F extends keyof Kind, K>(
    pending: readonly Pending[],
    options: ListOptions<T, F>,
  ): ((kept: K) => K) | undefined {
    const overlay = useCallback(
      (kept: K) =>
        withPending(kept as CachedList, pending, options as ListOptions<TableTypes, "id">) as K,
      [pending, options],
    );
    return pending.length > 0 ? overlay : undefined;
  }

  function useChange<V, R>(
    { quiet }: ChangeOptions,
    send: (value: V) => Promise<R>,
    show: (value: V) => Pending,
    take: (response: R, value: V, complete: () => void) => void | Promise<void>,
  ) {
    const memory = useMemory();
    return useMutation<R, Error, V, Pending>({
      mutationFn: send,
      onMutate: (value) => memory.begin(show(value)),
      onSuccess: async (response, value, pending) => {
        await take(response, value, () => memory.complete(pending));
        memory.complete(pending);
      },
      onError: (error, _value, pending) => {
        memory.complete(pending);
        if (!quiet) toast(errorMessage(error), { tone: "danger" });
        if (pending?.kind === "update" || pending?.kind === "remove") memory.readOne(pending.id);
      },
    });
  }

  return {
    /** One page. */
    useList<F extends keyof Kind = keyof Kind>(
      options: ListOptions<T, F> = {},
      { enabled = true }: HookOptions = {},
    ) {
      const pending = useFresh(enabled);
      return useQuery({
        queryKey: [...key, "list", options],
        queryFn: ({ signal }) => client.list<F>(options, { signal }),
        select: useOverlay<F, ListPage<Listed<T, F>>>(pending, options),
        enabled,
      });
    },

    /** Page after page; `items` has all that are there. */
    useInfinite<F extends keyof Kind = keyof Kind>(
      options: PageOptions<T, F> = {},
      { enabled = true }: HookOptions = {},
    ) {
      const pending = useFresh(enabled);
      const query = useInfiniteQuery({
        queryKey: [...key, "pages", options],
        queryFn: ({ pageParam, signal }) =>
          client.list<F>({ ...options, cursor: pageParam }, { signal }),
        initialPageParam: null as string | null,
        getNextPageParam: ({ next }: ListPage<Listed<T, F>>) => next,
        select: useOverlay<F, InfiniteData<ListPage<Listed<T, F>>, string | null>>(
          pending,
          options,
        ),
        enabled,
      });
      const { data } = query;
      const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
      return { ...query, items };
    },

    /** Counts and sums, refetched when the table changes: at most once a second. */
    useGroups<G extends GroupKey<T> = never, A extends Aggregate<T> = "count">(
      options: GroupOptions<T, G, A>,
      { enabled = true }: HookOptions = {},
    ) {
      useFresh(enabled);
      return useQuery({
        queryKey: [...key, "groups", options],
        queryFn: ({ signal }) => client.groups<G, A>(options, { signal }),
        enabled,
      });
    },

    /** One record with its tag; nothing is asked without an id. */
    useOne(id: string | null | undefined) {
      const pending = useFresh(id != null);
      const overlay = useCallback((kept: Tagged<Kind>) => oneWithPending(kept, pending), [pending]);
      return useQuery({
        queryKey: [...key, "one", id],
        queryFn: ({ signal }) => client.get(id ?? "", { signal }),
        select: pending.length > 0 ? overlay : undefined,
        enabled: id != null,
      });
    },

    useCreate(options: ChangeOptions = {}) {
      const memory = useMemory();
      // One id for what is shown and what is made: nothing is drawn twice, and what is sent again is made once.
      const ids = useMemo(() => new WeakMap<object, string>(), []);
      const identified = (record: T["create"]): T["create"] & { id: string } => {
        const given = (record as { id?: string }).id ?? ids.get(record) ?? newId();
        ids.set(record, given);
        return { ...record, id: given };
      };
      return useChange(
        options,
        (record: T["create"]) => client.create(identified(record)),
        (record) => ({ kind: "create", record: blankRecord(fields, identified(record)) }),
        async (made) => {
          memory.keep(made);
          // It is shown until lists have it.
          await memory.readLists();
        },
      );
    },

    useUpdate(options: ChangeOptions = {}) {
      const memory = useMemory();
      return useChange(
        options,
        ({ id, patch, etag }: Update<T>) => client.update(id, patch, etag),
        ({ id, patch }) => ({
          kind: "update",
          id,
          ...splitIncrements(fields, patch as Readonly<Record<string, unknown>>),
          before: memory.known(id),
        }),
        async (changed, _value, complete) => {
          memory.keep(changed);
          complete();
          await memory.readLists();
        },
      );
    },

    useRemove(options: ChangeOptions = {}) {
      const memory = useMemory();
      return useChange(
        options,
        ({ id, etag }: Removal) => client.remove(id, etag),
        ({ id }) => ({ kind: "remove", id }),
        async (_response, { id }, complete) => {
          memory.forget([id]);
          complete();
          await memory.readLists();
        },
      );
    },

    /** Shown when it is done: all of it or nothing. */
    useBatch() {
      const memory = useMemory();
      return useMutation({
        mutationFn: (changes: Batch<T>) => client.batch(changes),
        onSuccess: async (response) => {
          memory.forget(response.delete);
          // The response has no tags, so open queries are refetched.
          await memory.readAll();
        },
      });
    },
  };
}
