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

/** The state of an import on the host. */
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
const maxInline = 1024 * 1024 - 16 * 1024;
const [firstPause, maxPause] = [150, 1_000];

const pause = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });

const mayHelp = (error: unknown) =>
  error instanceof Problem && (error.status === 0 || error.status >= 500);

/** Uploads the file to the plugin. Returns the id of the upload. The code for uploads loads with the first large file. */
async function upload(endpoint: string, content: Blob, signal: AbortSignal): Promise<string> {
  const { uploadFile } = await import("../uploads/uploads.ts");
  try {
    return (await uploadFile(endpoint, content, "import", { signal })).upload;
  } catch (error) {
    // Only the request that begins an upload shows whether the plugin takes uploads.
    if (!(error instanceof Problem) || error.status !== 404 || !error.request?.startsWith("POST "))
      throw error;
    throw new Problem({
      status: 413,
      code: "client.no_uploads",
      message: "The file is larger than 1 MB, the maximum here. Split the file.",
    });
  }
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
  if (source.content.size <= maxInline) {
    body = { ...asked, text: await source.content.text() };
    // Quotes and breaks take two bytes each.
    if (new Blob([JSON.stringify(body)]).size > maxInline) body = null;
  }
  body ??= { ...asked, upload: await upload(client.url("blobs"), source.content, signal) };
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
      // The job continues without this page, even after a restart of the server.
      if (!mayHelp(error)) throw error;
    }
    await pause(wait, signal);
    wait = Math.min(wait * 1.5, maxPause);
  }
}

/** Asks an import to stop; what it made by then stays. */
export async function stopImport(path: string): Promise<void> {
  await clientFor("").delete(path);
}
