// Made of tables.json by @tenon/rollup-preset: what is written here is lost.
import { defineTable, type Fields, type Increment } from "@tenon/ui/records";

/**
 * A record of `news`.
 * A record for each note, which changes with it: tells pages what to read again, and who looks at it
 */
export interface New {
  id: string;
  version: number;
  touched: string;
}

export interface NewNew {
  /** A UUID, so that a request that is sent again makes no second record. */
  id?: string;
  version: number;
  touched: string;
}

export interface NewPatch {
  version?: number | Increment;
  touched?: string;
}

export type NewsSort = "id" | "version" | "touched";

export interface NewsTypes {
  record: New;
  create: NewNew;
  patch: NewPatch;
  sort: NewsSort;
}

const newsFields: Fields = {
  version: { type: "integer", required: true },
  touched: { type: "datetime", required: true },
};
export const news = defineTable<NewsTypes>("notes", "news", newsFields);
export const {
  useList: useNews,
  useInfinite: useInfiniteNews,
  useGroups: useNewGroups,
  useOne: useNew,
  useCreate: useCreateNew,
  useUpdate: useUpdateNew,
  useRemove: useRemoveNew,
  useBatch: useBatchNews,
} = news.hooks;
