import { createStore, type ReadableStore } from "@tenon/host";
import { DetailedError, Upload, type HttpResponse } from "tus-js-client";
import { Problem, problemFrom } from "../client/problem.ts";
import { createUploadStore, type StoredUpload, type UploadStore } from "./upload-store.ts";

export type UploadState = "waiting" | "sending" | "finishing" | "failed";

/** An unfinished upload. */
export interface UploadItem<C> {
  id: string;
  name: string;
  /** Bytes, and how many of them are there. */
  bytes: number;
  sent: number;
  state: UploadState;
  /** Why it failed; `retry` continues it. */
  error: Error | null;
  context: C;
}

/** A file that has arrived. */
export interface UploadedFile {
  /** Its upload's id, which a record's file field takes. */
  upload: string;
  blob: string;
  bytes: number;
  /** Media type of an image, as the server found it in the content; empty for all else. */
  type: string;
}

export interface UploadsOptions<C> {
  /** The path of the plugin for uploads: `/api/notes/blobs`. */
  endpoint: string;
  /** The plugin and the user, to find the uploads that a closed page has left. */
  scope: string;
  /** Attaches the uploaded file to its record. Runs again after a failure, so it must be idempotent. */
  finish(context: C, file: UploadedFile): Promise<void>;
  kept?: UploadStore;
  /** Waits between attempts by itself, milliseconds. */
  pauses?: readonly number[];
}

/** Sent at the same time. */
const atOnce = 3;
const pauses = [0, 1_000, 3_000, 10_000];

interface Entry<C> {
  item: UploadItem<C>;
  file: Blob;
  url: string | null;
  upload: Upload | null;
  /** Ends this window's hold on it. */
  release(): void;
}

/**
 * Resumable uploads to a plugin (tus). This browser stores them, too, so that a page that is opened later continues the
 * uploads of a closed one.
 */
export class Uploads<C> {
  private readonly all = createStore<readonly UploadItem<C>[]>([]);
  private readonly entries = new Map<string, Entry<C>>();
  private readonly options;
  private readonly kept: UploadStore;
  private readonly stop: () => void;
  private ended = false;

  constructor(options: UploadsOptions<C>) {
    this.options = options;
    this.kept = options.kept ?? createUploadStore();
    const again = () => {
      for (const { item } of this.entries.values())
        if (item.error instanceof Problem && item.error.status === 0) this.retry(item.id);
    };
    window.addEventListener("online", again);
    this.stop = () => window.removeEventListener("online", again);
  }

  /** In the order in which they came. */
  get items(): ReadableStore<readonly UploadItem<C>[]> {
    return this.all;
  }

  /** Begins with a file. `id` is the caller's, unique. */
  async add(id: string, file: Blob, name: string, context: C): Promise<void> {
    const release = await hold(id);
    if (this.ended || !release) return;
    this.take({ id, scope: this.options.scope, file, name, context, url: null }, release);
    await this.kept.put({ id, scope: this.options.scope, file, name, context, url: null });
    // It may have been cancelled, or be through, by now.
    if (!this.entries.has(id)) await this.kept.delete(id);
  }

  /** Continues the uploads that closed pages have left. */
  async resume(): Promise<void> {
    for (const kept of await this.kept.of<C>(this.options.scope)) {
      if (this.ended || this.entries.has(kept.id)) continue;
      const release = await hold(kept.id);
      if (release) this.take(kept, release);
    }
  }

  retry(id: string): void {
    const entry = this.entries.get(id);
    if (entry?.item.state !== "failed") return;
    this.show(entry, { state: "waiting", error: null });
    this.next();
  }

  /** Gives a file up, on the server too. */
  async cancel(id: string): Promise<void> {
    const entry = this.entries.get(id);
    if (!entry) return;
    this.drop(entry);
    await entry.upload?.abort(entry.upload.url !== null).catch(() => undefined);
  }

  /** Stops all uploads; those stored in the browser stay there. */
  dispose(): void {
    this.ended = true;
    this.stop();
    for (const entry of this.entries.values()) {
      void entry.upload?.abort().catch(() => undefined);
      entry.release();
    }
    this.entries.clear();
    this.all.set([]);
  }

  private take(kept: StoredUpload<C>, release: () => void): void {
    const { id, file, name, context, url } = kept;
    const item: UploadItem<C> = {
      id,
      name,
      bytes: file.size,
      sent: 0,
      state: "waiting",
      error: null,
      context,
    };
    this.entries.set(id, { item, file, url, upload: null, release });
    this.notify();
    this.next();
  }

  private next(): void {
    const running = [...this.entries.values()].filter(
      ({ item }) => item.state === "sending" || item.state === "finishing",
    ).length;
    let room = atOnce - running;
    for (const entry of this.entries.values()) {
      if (room <= 0) return;
      if (entry.item.state !== "waiting") continue;
      room -= 1;
      this.send(entry);
    }
  }

  private send(entry: Entry<C>): void {
    const { endpoint, scope, pauses: waits = pauses } = this.options;
    const { id, name, context } = entry.item;
    this.show(entry, { state: "sending" });
    const upload = new Upload(entry.file, {
      endpoint,
      uploadUrl: entry.url,
      metadata: { filename: name },
      retryDelays: [...waits],
      onShouldRetry: mayHelp,
      storeFingerprintForResuming: false,
      onProgress: (sent) => this.show(entry, { sent }),
      onUploadUrlAvailable: () => {
        entry.url = upload.url;
        if (this.entries.has(id))
          void this.kept.put({ id, scope, file: entry.file, name, context, url: entry.url });
      },
      onError: (error) => this.fail(entry, problemOf(error)),
      onSuccess: ({ lastResponse }) => {
        void this.finish(entry, arrived(lastResponse, upload.url, entry.file.size));
      },
    });
    entry.upload = upload;
    upload.start();
  }

  private async finish(entry: Entry<C>, file: UploadedFile): Promise<void> {
    this.show(entry, { state: "finishing", sent: entry.file.size });
    try {
      await this.options.finish(entry.item.context, file);
    } catch (error) {
      this.fail(entry, error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.drop(entry);
    this.next();
  }

  private fail(entry: Entry<C>, error: Error): void {
    this.show(entry, { state: "failed", error });
    this.next();
  }

  private drop(entry: Entry<C>): void {
    const { id } = entry.item;
    if (!this.entries.delete(id)) return;
    entry.release();
    this.notify();
    void this.kept.delete(id);
    this.next();
  }

  private show(entry: Entry<C>, change: Partial<UploadItem<C>>): void {
    if (this.entries.get(entry.item.id) !== entry) return;
    entry.item = { ...entry.item, ...change };
    this.notify();
  }

  private notify(): void {
    this.all.set([...this.entries.values()].map(({ item }) => item));
  }
}

const arrived = (
  response: Pick<HttpResponse, "getHeader">,
  url: string | null,
  bytes: number,
): UploadedFile => ({
  upload: url?.split("/").at(-1) ?? "",
  blob: response.getHeader("Blob-Id") ?? "",
  bytes: Number(response.getHeader("Blob-Size") ?? bytes),
  type: response.getHeader("Blob-Type") ?? "",
});

/** Whether the same request may go better later: a server without room will not have any in a second. */
function mayHelp(error: Error | DetailedError): boolean {
  const status = "originalResponse" in error ? (error.originalResponse?.getStatus() ?? 0) : 0;
  return status === 0 || [409, 423, 429].includes(status) || (status >= 500 && status !== 507);
}

export interface UploadFileOptions {
  /** Ends it; what was sent is thrown away. */
  signal?: AbortSignal;
  /** The part that is there, 0 to 1. */
  onProgress?(part: number): void;
}

/** Uploads one file to a plugin in a resumable way; the browser stores nothing. */
export function uploadFile(
  endpoint: string,
  file: Blob,
  name: string,
  { signal, onProgress }: UploadFileOptions = {},
): Promise<UploadedFile> {
  return new Promise<UploadedFile>((resolve, reject) => {
    // Its event has been.
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const stop = () => {
      void upload.abort(true).catch(() => undefined);
      reject(signal?.reason as Error);
    };
    const upload = new Upload(file, {
      endpoint,
      metadata: { filename: name },
      retryDelays: [...pauses],
      onShouldRetry: mayHelp,
      storeFingerprintForResuming: false,
      onProgress: (sent) => onProgress?.(file.size === 0 ? 1 : sent / file.size),
      onError(error) {
        signal?.removeEventListener("abort", stop);
        reject(problemOf(error));
      },
      onSuccess({ lastResponse }) {
        signal?.removeEventListener("abort", stop);
        resolve(arrived(lastResponse, upload.url, file.size));
      },
    });
    signal?.addEventListener("abort", stop, { once: true });
    upload.start();
  });
}

/** Locks the file for this window. Returns the release, or null if another window has it. Without Web Locks, always succeeds. */
async function hold(id: string): Promise<(() => void) | null> {
  // Not there outside of secure contexts, whatever the types say.
  const locks = navigator.locks as LockManager | undefined;
  if (!locks) return () => undefined;
  return new Promise((resolve) => {
    void locks.request(`tenon-upload ${id}`, { ifAvailable: true }, (lock) => {
      if (!lock) {
        resolve(null);
        return undefined;
      }
      return new Promise<void>((release) => resolve(release));
    });
  });
}

/** Returns the error of the server, or that it did not respond. */
function problemOf(error: Error | DetailedError): Error {
  if (!(error instanceof DetailedError)) return error;
  const request = error.originalRequest
    ? `${error.originalRequest.getMethod()} ${error.originalRequest.getURL()}`
    : "upload";
  const response = error.originalResponse;
  if (response) {
    const headers = { get: (name: string) => response.getHeader(name) ?? null };
    return problemFrom(response.getStatus(), headers, response.getBody(), request);
  }
  return new Problem({
    status: 0,
    code: "client.offline",
    message: "The server cannot be reached. Check your connection.",
    request,
  });
}
