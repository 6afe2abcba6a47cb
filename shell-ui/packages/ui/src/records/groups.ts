import type { Query } from "../client/client.ts";
import type { Filter } from "./filter.ts";
import type { TableTypes } from "./table.ts";

type Text<K> = Extract<K, string>;

/** Fields of numbers. */
type NumberField<T extends TableTypes> = {
  [K in Text<keyof T["record"]>]: NonNullable<T["record"][K]> extends number ? K : never;
}[Text<keyof T["record"]>];

/** A value by which records are grouped: a field, or a part of a date, in UTC. */
export type GroupKey<T extends TableTypes> =
  T["sort"] | `${"year" | "month" | "day"}(${T["sort"]})`;

export type Aggregate<T extends TableTypes> =
  | "count"
  | `count(${Text<keyof T["record"]>})`
  | `${"sum" | "avg"}(${NumberField<T>})`
  | `${"min" | "max"}(${T["sort"]})`;

export interface GroupOptions<
  T extends TableTypes,
  G extends GroupKey<T>,
  A extends Aggregate<T> = "count",
> {
  /** Up to 4; without it, all records are one group. */
  group?: readonly G[];
  /** Up to 10; default: `count`. */
  agg?: readonly A[];
  filter?: Filter;
  /** Words that the records contain. */
  q?: string;
  /** Names from `group` and `agg`; `-` in front of one is descending. */
  sort?: readonly (NoInfer<G | A> | `-${NoInfer<G | A>}`)[];
  /** 1 to 1,000, else 200. */
  limit?: number;
}

type FieldOf<T extends TableTypes, F> = F extends keyof T["record"] ? T["record"][F] : unknown;

/** The values of one group, under the names of `group` and `agg`. */
export type Group<T extends TableTypes, G extends string, A extends string> = {
  readonly [K in G]: K extends `${"year" | "month" | "day"}(${string})`
    ? number | null
    : FieldOf<T, K>;
} & {
  readonly [K in A]: K extends "count" | `count(${string})`
    ? number
    : K extends `${"min" | "max"}(${infer F})`
      ? FieldOf<T, F> | null
      : number | null;
};

export interface Groups<T extends TableTypes, G extends string, A extends string> {
  items: readonly Group<T, G, A>[];
  /** There are more groups than `limit`. */
  more: boolean;
}

/** The parameters of groups, as they are sent. */
export function groupQuery<T extends TableTypes, G extends GroupKey<T>, A extends Aggregate<T>>({
  group,
  agg,
  filter,
  q,
  sort,
  limit,
}: GroupOptions<T, G, A>): Query {
  return {
    group: group?.join(",") || undefined,
    agg: agg?.join(",") || "count",
    filter: filter?.toString(),
    q: q || undefined,
    sort: sort?.join(",") || undefined,
    limit,
  };
}
