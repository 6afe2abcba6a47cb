import { createStore, type LeaveGuard, type LeaveGuards, type ReadableStore } from "@tenon/host";
import { createPath, parsePath, type NavigateOptions, type To } from "react-router";

export interface AppLocation {
  pathname: string;
  search: string;
  hash: string;
  state: unknown;
  key: string;
}

export interface HistoryState {
  location: AppLocation;
  action: "POP" | "PUSH" | "REPLACE";
}

/** The browser's history, which asks guards before a page is left. */
export interface AppHistory {
  readonly state: ReadableStore<HistoryState>;
  readonly guards: LeaveGuards;
  /** Something of the page is not saved. */
  isGuarded(): boolean;
  /** All unsaved changes of the page are kept in this browser, and there are some. */
  readonly keepsChanges: ReadableStore<boolean>;
  /** The page has guards, active or not. */
  isWatched(): boolean;
  /** Asks the guards; `false` where one of them keeps the page. */
  mayLeave(): Promise<boolean>;
  createHref(to: To): string;
  encodeLocation(to: To): { pathname: string; search: string; hash: string };
  go(delta: number): void;
  push(to: To, state?: unknown, options?: NavigateOptions): void;
  replace(to: To, state?: unknown, options?: NavigateOptions): void;
}

interface EntryState {
  usr: unknown;
  key: string;
  idx: number;
}

const newKey = () => Math.random().toString(36).slice(2, 10);

export function createHistory(view: Window = window): AppHistory {
  const entry = () => (view.history.state ?? null) as EntryState | null;
  const read = (): AppLocation => {
    const { pathname, search, hash } = view.location;
    return { pathname, search, hash, state: entry()?.usr ?? null, key: entry()?.key ?? "first" };
  };
  const state = createStore<HistoryState>({ location: read(), action: "POP" });
  const guards = new Set<LeaveGuard>();
  const keepsChanges = createStore(false);
  let watching = 0;
  let keeping = 0;
  const updateKept = () => keepsChanges.set(keeping > 0 && guards.size === 0);
  let index = entry()?.idx ?? 0;
  // A pop that only restores the entry that a guard kept.
  let isRestoring = false;

  async function mayLeave(): Promise<boolean> {
    for (const guard of [...guards]) if (!(await guard())) return false;
    return true;
  }

  function navigate(action: "PUSH" | "REPLACE", to: To, usr: unknown): void {
    const { pathname, search, hash } = view.location;
    const path = createPath({
      pathname,
      search,
      hash,
      ...(typeof to === "string" ? parsePath(to) : to),
    });
    const commit = () => {
      if (action === "PUSH") index += 1;
      const next: EntryState = { usr, key: newKey(), idx: index };
      if (action === "PUSH") view.history.pushState(next, "", path);
      else view.history.replaceState(next, "", path);
      state.set({ location: read(), action });
    };
    if (guards.size === 0) commit();
    else void mayLeave().then((may) => may && commit());
  }

  view.addEventListener("popstate", () => {
    if (isRestoring) {
      isRestoring = false;
      return;
    }
    const next = entry()?.idx ?? 0;
    const delta = next - index;
    const commit = () => {
      index = next;
      state.set({ location: read(), action: "POP" });
    };
    if (guards.size === 0) {
      commit();
      return;
    }
    void mayLeave().then((may) => {
      if (may || delta === 0) {
        commit();
      } else {
        isRestoring = true;
        view.history.go(-delta);
      }
    });
  });
  view.addEventListener("beforeunload", (event) => {
    if (guards.size > 0) event.preventDefault();
  });

  return {
    state,
    guards: {
      add(guard) {
        guards.add(guard);
        updateKept();
        return () => {
          guards.delete(guard);
          updateKept();
        };
      },
      keep() {
        keeping += 1;
        updateKept();
        return () => {
          keeping -= 1;
          updateKept();
        };
      },
      watch() {
        watching += 1;
        return () => (watching -= 1);
      },
    },
    isGuarded: () => guards.size > 0,
    keepsChanges,
    isWatched: () => watching > 0,
    mayLeave,
    createHref: (to) => (typeof to === "string" ? to : createPath(to)),
    encodeLocation(to) {
      const { pathname, search, hash } = new URL(
        typeof to === "string" ? to : createPath(to),
        view.location.href,
      );
      return { pathname, search, hash };
    },
    go: (delta) => view.history.go(delta),
    push: (to, usr) => navigate("PUSH", to, usr ?? null),
    replace: (to, usr) => navigate("REPLACE", to, usr ?? null),
  };
}
