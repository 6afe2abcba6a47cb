import { useSyncExternalStore } from "react";

/** Ends what a registration began. Safe to call twice. */
export type Dispose = () => void;

/** A value that others can read, follow and replace. Values are immutable: set a new one. */
export interface Store<T> {
  get(): T;
  /** Notifies the subscribers only if the value differs (`Object.is`). */
  set(next: T | ((previous: T) => T)): void;
  subscribe(listener: () => void): Dispose;
}

export type ReadableStore<T> = Omit<Store<T>, "set">;

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      const updated = typeof next === "function" ? (next as (previous: T) => T)(value) : next;
      if (Object.is(updated, value)) return;
      value = updated;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The store's value, or a part of it. `select` must return the same object for the same value. */
export function useStore<T>(store: ReadableStore<T>): T;
export function useStore<T, S>(store: ReadableStore<T>, select: (value: T) => S): S;
export function useStore<T, S>(store: ReadableStore<T>, select?: (value: T) => S): T | S {
  const snapshot = () => (select ? select(store.get()) : store.get());
  return useSyncExternalStore<T | S>(store.subscribe, snapshot, snapshot);
}
