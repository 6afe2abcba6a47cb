export interface Content {
  title: string;
  text: string;
}

/** What the server was last known to hold. */
export interface Base extends Content {
  /** 0: it is not on the server yet. */
  version: number;
}

/** Properties that a note needs in addition to its text, before it is on the server. */
export interface Creation {
  notebook: string | null;
  tags: readonly string[];
}

/** A change that the server has not confirmed. */
export interface Draft {
  user: string;
  note: string;
  /** The window it was typed in. */
  window: string;
  base: Base;
  create: Creation | null;
  /** Contents sent without a response: the server may hold one of them. */
  unanswered: readonly Content[];
  title: string;
  text: string;
  /** Milliseconds since 1970. */
  changed: number;
}

/** Keeps drafts in this browser, so that they outlive the tab. */
export interface DraftStore {
  /** Rejects when the browser keeps nothing. */
  put(draft: Draft): Promise<void>;
  /** At once, for a page that goes away. Returns whether it was kept. */
  putNow(draft: Draft): boolean;
  remove(draft: Pick<Draft, "user" | "note" | "window">): Promise<void>;
  /** Drafts of a user, the oldest first. */
  all(user: string): Promise<Draft[]>;
}

const databaseName = "tenon-notes";
const storeName = "drafts";
const prefix = "tenon.notes.draft.";

const keyOf = ({ user, note, window }: Pick<Draft, "user" | "note" | "window">) =>
  `${user}/${note}/${window}`;

function completed<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("storage failed"));
  });
}

function finished(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error("storage failed"));
  });
}

async function openDatabase(factory: IDBFactory): Promise<IDBDatabase> {
  const request = factory.open(databaseName, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(storeName);
  return completed(request);
}

function isDraft(value: unknown): value is Draft {
  const draft = value as Partial<Draft> | null;
  return (
    typeof draft === "object" &&
    draft !== null &&
    typeof draft.user === "string" &&
    typeof draft.note === "string" &&
    typeof draft.text === "string" &&
    typeof draft.title === "string" &&
    typeof draft.base?.version === "number"
  );
}

export interface DraftStoreOptions {
  factory?: IDBFactory;
  /** Written synchronously when the page goes; smaller, and slower to use always. */
  lastMoment?: Storage;
}

/** Drafts in IndexedDB, and in local storage in the last moment or when there is nothing else. */
export function createDraftStore({
  factory = globalThis.indexedDB,
  lastMoment = globalThis.localStorage,
}: DraftStoreOptions = {}): DraftStore {
  let opening: Promise<IDBDatabase> | null = null;
  const database = () => {
    opening ??= openDatabase(factory).then((opened) => {
      opened.onversionchange = opened.onclose = () => (opening = null);
      return opened;
    });
    opening.catch(() => (opening = null));
    return opening;
  };

  const writeLast = (draft: Draft) => {
    try {
      lastMoment.setItem(prefix + keyOf(draft), JSON.stringify(draft));
      return true;
    } catch {
      return false;
    }
  };
  const removeLast = (key: string) => {
    try {
      lastMoment.removeItem(prefix + key);
    } catch {
      // Storage is switched off: nothing was kept there.
    }
  };

  async function write(change: (store: IDBObjectStore) => void): Promise<void> {
    const transaction = (await database()).transaction(storeName, "readwrite");
    const done = finished(transaction);
    change(transaction.objectStore(storeName));
    await done;
  }

  function readLast(user: string): Draft[] {
    const drafts: Draft[] = [];
    try {
      for (let index = 0; index < lastMoment.length; index++) {
        const key = lastMoment.key(index);
        if (!key?.startsWith(`${prefix}${user}/`)) continue;
        const draft: unknown = JSON.parse(lastMoment.getItem(key) ?? "null");
        if (isDraft(draft)) drafts.push(draft);
      }
    } catch {
      // Unreadable entries hold no text of a user.
    }
    return drafts;
  }

  return {
    async put(draft) {
      try {
        await write((store) => store.put(draft, keyOf(draft)));
      } catch (error) {
        if (!writeLast(draft)) throw error;
        return;
      }
      removeLast(keyOf(draft));
    },
    putNow: writeLast,
    async remove(draft) {
      removeLast(keyOf(draft));
      await write((store) => store.delete(keyOf(draft))).catch(() => undefined);
    },
    async all(user) {
      const stored = await database()
        .then((opened) => completed(opened.transaction(storeName).objectStore(storeName).getAll()))
        .catch((): unknown[] => []);
      const newest = new Map<string, Draft>();
      for (const draft of [...stored.filter(isDraft), ...readLast(user)]) {
        const known = newest.get(keyOf(draft));
        if (draft.user === user && (!known || known.changed <= draft.changed)) {
          newest.set(keyOf(draft), draft);
        }
      }
      return [...newest.values()].sort((a, b) => a.changed - b.changed);
    },
  };
}
