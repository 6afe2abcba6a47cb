import type { Client, ListPage, Query } from "../client/client.ts";
import type { Filter } from "./filter.ts";
import {
  groupQuery,
  type Aggregate,
  type GroupKey,
  type GroupOptions,
  type Groups,
} from "./groups.ts";

/** The types of a table in `tables.gen.ts`. */
export interface TableTypes {
  record: { readonly id: string };
  create: object;
  patch: object;
  /** Fields that a list can be ordered by. */
  sort: string;
}

/** A file of a record. */
export interface FileValue {
  id: string;
  name: string;
  type: string;
  /** Bytes. */
  size: number;
}

export interface ListOptions<T extends TableTypes, F extends keyof T["record"]> {
  filter?: Filter;
  /** Words to be found; the best come first where there is no `sort`, and each item has a `highlight`. */
  q?: string;
  /** Up to 4; `-` in front of one is descending. */
  sort?: readonly (T["sort"] | `-${T["sort"]}`)[];
  /** Only these fields, and `id`. */
  fields?: readonly F[];
  /** 1 to 200, else 50. */
  limit?: number;
  /** `next` of the page before. */
  cursor?: string | null;
  /** Requests `total`: `true` counts up to 10,000 records, "exact" all. */
  count?: boolean | "exact";
}

/** Where the words of `q` were found: a field's text in pieces. */
export type Highlight<F extends PropertyKey> = {
  readonly [field in F]?: readonly { text: string; match: boolean }[];
};

/** A record in a list with `fields`; with `highlight` after a search. */
export type Listed<T extends TableTypes, F extends keyof T["record"]> = Pick<
  T["record"],
  F | Extract<"id", keyof T["record"]>
> &
  ("highlight" extends keyof T["record"]
    ? unknown
    : { readonly highlight?: Highlight<keyof T["record"]> });

/** A record with the tag that a change of it sends as `If-Match`. */
export interface Tagged<R> {
  record: R;
  etag: string | null;
}

export interface Batch<T extends TableTypes> {
  create?: readonly T["create"][];
  update?: readonly (T["patch"] & { id: string })[];
  /** Ids. */
  delete?: readonly string[];
}

export interface BatchResult<T extends TableTypes> {
  create: T["record"][];
  update: T["record"][];
  delete: string[];
}

export interface Options {
  signal?: AbortSignal;
}

/** The REST API of one table. What fails rejects with a `Problem`. */
export interface TableClient<T extends TableTypes> {
  list<F extends keyof T["record"] = keyof T["record"]>(
    options?: ListOptions<T, F>,
    also?: Options,
  ): Promise<ListPage<Listed<T, F>>>;
  /** Counts and sums of the records that the user may see. */
  groups<G extends GroupKey<T> = never, A extends Aggregate<T> = "count">(
    options: GroupOptions<T, G, A>,
    also?: Options,
  ): Promise<Groups<T, G, A>>;
  get(id: string, also?: Options): Promise<Tagged<T["record"]>>;
  create(record: T["create"]): Promise<Tagged<T["record"]>>;
  /** Updates a record. With an etag, throws `Problem` 412 if it has changed since. */
  update(id: string, patch: T["patch"], etag?: string | null): Promise<Tagged<T["record"]>>;
  remove(id: string, etag?: string | null): Promise<void>;
  /** All or none, at most 100 changes. */
  batch(changes: Batch<T>): Promise<BatchResult<T>>;
}

/** The parameters of a list, as they are sent. */
export function listQuery<T extends TableTypes, F extends keyof T["record"]>(
  options: ListOptions<T, F>,
): Query {
  const { filter, q, sort, fields, limit, cursor, count } = options;
  return {
    filter: filter?.toString(),
    q: q || undefined,
    sort: sort?.join(",") || undefined,
    fields: fields?.join(",") || undefined,
    limit,
    cursor,
    count: count || undefined,
  };
}

export function tableClient<T extends TableTypes>(client: Client, table: string): TableClient<T> {
  type Stored = T["record"];
  const path = (id: string) => `${table}/${encodeURIComponent(id)}`;
  const tagged = async (
    method: string,
    at: string,
    body?: unknown,
    options: { signal?: AbortSignal; ifMatch?: string } = {},
  ): Promise<Tagged<Stored>> => {
    const { data, etag } = await client.request<Stored>(method, at, body, options);
    return { record: data, etag };
  };
  return {
    list: (options = {}, { signal } = {}) =>
      client.get(table, { query: listQuery<T, keyof Stored>(options), signal }),
    groups: (options, { signal } = {}) => client.get(table, { query: groupQuery(options), signal }),
    get: (id, { signal } = {}) => tagged("GET", path(id), undefined, { signal }),
    create: (record) => tagged("POST", table, record),
    update: (id, patch, etag) => tagged("PATCH", path(id), patch, { ifMatch: etag ?? undefined }),
    remove: (id, etag) => client.delete(path(id), { ifMatch: etag ?? undefined }),
    batch: (changes) => client.post(`${table}/batch`, changes),
  };
}
