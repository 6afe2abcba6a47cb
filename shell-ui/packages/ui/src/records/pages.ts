import type { InfiniteData } from "@tanstack/react-query";
import type { ListPage } from "../client/client.ts";
import { order, type Known } from "./match.ts";

export type Page = ListPage<Known & { id: string }>;
export type Pages = InfiniteData<Page, string | null>;

/** The data of a list query: one page, or several. */
export type CachedList = Page | Pages;

const isPages = (kept: CachedList): kept is Pages => "pages" in kept;

const pagesOf = (kept: CachedList): readonly Page[] => (isPages(kept) ? kept.pages : [kept]);

/** With other pages; the same object where none is another. */
export function withPages(kept: CachedList, change: (page: Page) => Page): CachedList {
  if (!isPages(kept)) return change(kept);
  const pages = kept.pages.map(change);
  return pages.every((page, at) => page === kept.pages[at]) ? kept : { ...kept, pages };
}

export function find(kept: CachedList, id: string): (Known & { id: string }) | undefined {
  for (const { items } of pagesOf(kept)) {
    const found = items.find((item) => item.id === id);
    if (found) return found;
  }
  return undefined;
}

/** Replaces the values of an item; only the fields that it already has. */
export function put(kept: CachedList, record: Known & { id: string }): CachedList {
  return withPages(kept, (page) => {
    const at = page.items.findIndex(({ id }) => id === record.id);
    const item = page.items[at];
    if (!item) return page;
    const fresh: Record<string, unknown> & { id: string } = { ...item };
    for (const field of Object.keys(item)) {
      if (field in record) fresh[field] = record[field];
    }
    return { ...page, items: page.items.with(at, fresh) };
  });
}

const counted = (page: Page, more: number): Page =>
  page.total === undefined || page.total_is === "at_least"
    ? page
    : { ...page, total: page.total + more };

/** Without an item; totals go with it. */
export function without(kept: CachedList, id: string): CachedList {
  if (!find(kept, id)) return kept;
  return withPages(kept, (page) => {
    const items = page.items.filter((item) => item.id !== id);
    return { ...counted(page, -1), items };
  });
}

/** With an item where its order puts it, unless that is on a page that was not read. */
export function insert(
  kept: CachedList,
  record: Known & { id: string },
  sort: readonly string[] | undefined,
): CachedList {
  const compare = order(sort);
  let isIn = false;
  return withPages(kept, (page) => {
    if (isIn) return counted(page, 1);
    const following = page.items.findIndex((item) => sort?.length && compare(record, item) < 0);
    if (following < 0 && page.next !== null) return counted(page, 1);
    isIn = true;
    const at = following < 0 ? page.items.length : following;
    return { ...counted(page, 1), items: page.items.toSpliced(at, 0, record) };
  });
}
