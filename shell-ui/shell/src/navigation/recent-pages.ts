import { createStore, useStore, useUser, type Store } from "@tenon/host";

export interface RecentPage {
  path: string;
  title: string;
  plugin: string;
  /** RFC 3339. */
  time: string;
}

const maxPages = 30;
const stores = new Map<string, Store<readonly RecentPage[]>>();

/** One list a user and browser. */
function storeOf(user: string): Store<readonly RecentPage[]> {
  let store = stores.get(user);
  if (!store) {
    let pages: readonly RecentPage[] = [];
    try {
      const value: unknown = JSON.parse(localStorage.getItem(`tenon.recent.${user}`) ?? "[]");
      if (Array.isArray(value)) pages = value as RecentPage[];
    } catch {
      // Not the format of this version: start over.
    }
    stores.set(user, (store = createStore(pages)));
  }
  return store;
}

export function recordPage(user: string, page: Omit<RecentPage, "time">): void {
  const store = storeOf(user);
  const others = store.get().filter((other) => other.path !== page.path);
  store.set([{ ...page, time: new Date().toISOString() }, ...others].slice(0, maxPages));
  localStorage.setItem(`tenon.recent.${user}`, JSON.stringify(store.get()));
}

export function useRecentPages(): readonly RecentPage[] {
  return useStore(storeOf(useUser().id));
}
