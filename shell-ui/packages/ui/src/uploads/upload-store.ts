/** An upload as the browser stores it when the page closes. */
export interface StoredUpload<C> {
  id: string;
  /** The plugin and the user. */
  scope: string;
  file: Blob;
  name: string;
  context: C;
  /** Address of the upload, once the server has given one. */
  url: string | null;
}

/** The unfinished uploads in this browser. */
export interface UploadStore {
  put<C>(kept: StoredUpload<C>): Promise<void>;
  delete(id: string): Promise<void>;
  of<C>(scope: string): Promise<StoredUpload<C>[]>;
}

const database = "tenon-uploads";
const store = "files";

function asked<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("the browser's storage failed"));
  });
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(database, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(store, { keyPath: "id" });
  return asked(request);
}

/** Stores uploads in IndexedDB. If that fails, an upload ends with its page. */
export function createUploadStore(): UploadStore {
  const run = async <T>(
    mode: IDBTransactionMode,
    work: (files: IDBObjectStore) => IDBRequest<T>,
    otherwise: T,
  ): Promise<T> => {
    try {
      const opened = await open();
      try {
        return await asked(work(opened.transaction(store, mode).objectStore(store)));
      } finally {
        opened.close();
      }
    } catch {
      return otherwise;
    }
  };
  return {
    put: async (kept) => void (await run<IDBValidKey>("readwrite", (files) => files.put(kept), "")),
    delete: async (id) => void (await run("readwrite", (files) => files.delete(id), undefined)),
    of: async <C>(scope: string) => {
      const all = await run<unknown[]>("readonly", (files) => files.getAll(), []);
      return (all as StoredUpload<C>[]).filter((kept) => kept.scope === scope);
    },
  };
}
