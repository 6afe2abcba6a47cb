import { createStore, type Store } from "@tenon/host";

/** A choice that this browser remembers. */
export function preference<T>(
  name: string,
  initial: T,
  isValid: (value: unknown) => boolean,
): Store<T> {
  const key = `tenon.notes.${name}`;
  let value = initial;
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    if (isValid(stored)) value = stored as T;
  } catch {
    // Nothing is remembered, or it cannot be read.
  }
  const store = createStore(value);
  store.subscribe(() => {
    try {
      localStorage.setItem(key, JSON.stringify(store.get()));
    } catch {
      // The choice holds until the page is left.
    }
  });
  return store;
}

export type EditorMode = "write" | "split" | "read";
const modes: readonly unknown[] = ["write", "split", "read"] satisfies EditorMode[];

export const editorMode = preference<EditorMode>("mode", "write", (value) => modes.includes(value));

/** Ids of the notebooks whose inside is shown. */
export const openNotebooks = preference<readonly string[]>(
  "open-notebooks",
  [],
  (value) => Array.isArray(value) && value.every((id) => typeof id === "string"),
);
