import { Problem } from "../client/problem.ts";
import { clientFor } from "../client/use-api.ts";
import type { Mapping } from "./mapping.ts";
import type { Source } from "./source.ts";

export interface RowError {
  line: number;
  field: string;
  code: string;
  message: string;
}

/** How an import stands, as the host says it. */
export interface ImportState {
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  dry_run: boolean;
  /** Bytes of the file. */
  progress: { done: number; total: number };
  rows: number;
  created: number;
  changed: number;
  wrong: number;
  error: string;
  errors: readonly RowError[];
}

export interface ImportRequest {
  source: Source;
  mapping: Mapping;
  /** Of records that are changed; without it all are made. */
  key?: string;
  dryRun: boolean;
}

export interface ImportOptions {
  signal: AbortSignal;
  /** The address of the job, as soon as there is one. */
  onStart(path: string): void;
  onState(state: ImportState): void;
}

/** Bytes of a request; a longer file is uploaded first. */
const mostInline = 1024 * 1024 - 16 * 1024;
const pieceBytes = 8 * 1024 * 1024;
const attempts = 4;
const [firstPause, longestPause] = [150, 1_000];

const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });

const mayHelp = (error: unknown) =>
  error instanceof Problem && (error.status === 0 || error.status === 409 || error.status >= 500);

/** By tus 1.0.0, in pieces, from where it stood after a break. Its id. */
async function upload(plugin: string, content: Blob, signal: AbortSignal): Promise<string> {
  const client = clientFor(`/api/${plugin}`);
  const tus = { "Tus-Resumable": "1.0.0" };
  let location: string;
  try {
    const { headers } = await client.request<void>("POST", "blobs", undefined, {
      headers: { ...tus, "Upload-Length": String(content.size) },
      signal,
    });
    location = new URL(headers.get("location") ?? "", document.baseURI).pathname;
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw error;
    throw new Problem({
      status: 413,
      code: "client.no_uploads",
      message: "Files of more than 1 MB cannot be imported here. Split the file.",
    });
  }
  let offset = 0;
  let failures = 0;
  while (offset < content.size) {
    const piece = content.slice(offset, offset + pieceBytes);
    try {
      const headers = {
        ...tus,
        "Content-Type": "application/offset+octet-stream",
        "Upload-Offset": String(offset),
      };
      await client.request<void>("PATCH", location, piece, { headers, signal });
      offset += piece.size;
      failures = 0;
    } catch (error) {
      if (!mayHelp(error) || ++failures >= attempts) throw error;
      await pause(firstPause * 4 ** failures, signal);
      const { headers } = await client.request<void>("HEAD", location, undefined, {
        headers: tus,
        signal,
      });
      offset = Number(headers.get("upload-offset") ?? 0);
    }
  }
  return location.slice(location.lastIndexOf("/") + 1);
}

/** Has the host import a file, and follows it to its end. */
export async function runImport(
  plugin: string,
  table: string,
  { source, mapping, key, dryRun }: ImportRequest,
  { signal, onStart, onState }: ImportOptions,
): Promise<ImportState> {
  const client = clientFor(`/api/${plugin}`);
  const asked = {
    format: source.format,
    mode: key ? "upsert" : "create",
    key,
    mapping,
    dry_run: dryRun,
  };
  let body: object | null = null;
  if (source.content.size <= mostInline) {
    body = { ...asked, text: await source.content.text() };
    // Quotes and breaks take two bytes each.
    if (new Blob([JSON.stringify(body)]).size > mostInline) body = null;
  }
  body ??= { ...asked, upload: await upload(plugin, source.content, signal) };
  const { job } = await client.post<{ job: string }>(`${table}/import`, body, { signal });
  const path = client.url(`${table}/import/${job}`);
  onStart(path);
  let wait = firstPause;
  for (;;) {
    try {
      const state = await client.get<ImportState>(path, { signal });
      onState(state);
      if (state.state !== "waiting" && state.state !== "running") return state;
    } catch (error) {
      // The job goes on without us, also over a restart of the server.
      if (!mayHelp(error)) throw error;
    }
    await pause(wait, signal);
    wait = Math.min(wait * 1.5, longestPause);
  }
}

/** Asks an import to stop; what it made by then stays. */
export async function stopImport(path: string): Promise<void> {
  await clientFor("").delete(path);
}
