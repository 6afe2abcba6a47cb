import { Problem, problemFrom } from "@tenon/ui";
import { strToU8, Zip, ZipDeflate, ZipPassThrough } from "fflate";
import { fileKey, targetFor } from "../model/files.ts";
import { notesApi } from "../model/notes-api.ts";
import { readLines } from "./ndjson.ts";

export interface ExportProgress {
  done: number;
  total: number;
  /** Bytes of the archive so far. */
  bytes: number;
}

export interface ExportResult {
  archive: Blob;
  notes: number;
  /** Files of notes in it. */
  files: number;
  /** Above 1: the reader was too slow for one consistent picture. */
  snapshots: number;
}

/** The response ended before its last line: the archive would lack notes. */
export class IncompleteExport extends Error {
  constructor() {
    super("The connection was lost before the export finished. Nothing was saved. Try again.");
    this.name = "IncompleteExport";
  }
}

/** More cannot be in one archive of this kind. */
export const maxNotes = 65_535;

/** The page may run after this, milliseconds; parts of this size are handed to the browser. */
const breath = 12;
const part = 4_194_304;

interface Line {
  format?: string;
  count?: number;
  path?: string;
  text?: string;
  updated?: string;
  attachments?: readonly {
    id: string;
    /** Null: the text puts it outside of the archive. */
    path: string | null;
    target: string;
    name: string;
    content: string;
  }[];
  end?: boolean;
  snapshots?: number;
}

/** Packs a streamed export into a zip archive of Markdown files. */
export async function packExport(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onProgress: (progress: ExportProgress) => void,
  read: (attachment: string, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>> = readFile,
): Promise<ExportResult> {
  const progress: ExportProgress = { done: 0, total: 0, bytes: 0 };
  const blobs: Blob[] = [];
  let pending: Uint8Array<ArrayBuffer>[] = [];
  let pendingBytes = 0;
  let failure: Error | null = null;
  const handOver = () => {
    blobs.push(new Blob(pending));
    pending = [];
    pendingBytes = 0;
  };
  const zip = new Zip((error, chunk) => {
    if (error) failure = error;
    if (chunk.length === 0) return;
    pending.push(chunk as Uint8Array<ArrayBuffer>);
    pendingBytes += chunk.length;
    progress.bytes += chunk.length;
    if (pendingBytes >= part) handOver();
  });

  /** The contents of the archive, by path. */
  const contents = new Map<string, string>();
  let files = 0;
  /** Puts the files of a note where its text says; where something else lies, the text says otherwise. */
  const addFiles = async (line: Line): Promise<string> => {
    let text = line.text ?? "";
    const folder = (line.path ?? "")
      .split("/")
      .slice(0, -1)
      .map((part) => `${part}/`)
      .join("");
    for (const { id, path, target, name, content } of line.attachments ?? []) {
      let destination = path;
      if (destination === null || (contents.get(destination) ?? content) !== content) {
        const other = targetFor(id, name);
        text = text.replaceAll(`](${target})`, `](${other})`);
        destination = folder + fileKey(other);
      }
      if (contents.has(destination)) continue;
      contents.set(destination, content);
      files += 1;
      if (progress.total + files > maxNotes) throw tooMany();
      const file = new ZipPassThrough(destination);
      zip.add(file);
      const reader = (await read(id, signal)).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        signal.throwIfAborted();
        file.push(value ?? new Uint8Array(), done);
        onProgress({ ...progress });
        if (done) break;
      }
    }
    return text;
  };
  const tooMany = () =>
    new RangeError(
      `An archive can hold at most ${maxNotes.toLocaleString("en")} notes and files. Export the notebooks one by one.`,
    );

  let end: Line | null = null;
  let lastBreath = performance.now();
  try {
    for await (const value of readLines(stream, signal)) {
      const line = value as Line;
      if (line.format !== undefined) {
        progress.total = line.count ?? 0;
        if (progress.total > maxNotes) {
          throw tooMany();
        }
      } else if (line.end) end = line;
      else if (line.path !== undefined) {
        contents.set(line.path, "");
        const text = await addFiles(line);
        const file = new ZipDeflate(line.path, { level: 6 });
        file.mtime = timeOf(line.updated);
        zip.add(file);
        file.push(strToU8(text), true);
        progress.done += 1;
      }
      if (failure) throw failure as Error;
      if (performance.now() - lastBreath < breath) continue;
      onProgress({ ...progress });
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
      lastBreath = performance.now();
    }
  } catch (error) {
    zip.terminate();
    signal.throwIfAborted();
    throw error instanceof RangeError ? error : new IncompleteExport();
  }
  if (!end || end.count !== progress.done) {
    zip.terminate();
    throw new IncompleteExport();
  }
  zip.end();
  handOver();
  onProgress({ ...progress });
  return {
    archive: new Blob(blobs, { type: "application/zip" }),
    notes: progress.done,
    files,
    snapshots: end.snapshots ?? 1,
  };
}

/** Zip knows times from 1980 to 2099. */
function timeOf(updated: string | undefined): Date | undefined {
  const time = updated ? new Date(updated) : null;
  const year = time?.getFullYear() ?? 0;
  return time && year >= 1980 && year <= 2099 ? time : undefined;
}

/** The bytes of a file, as they come. */
async function readFile(
  attachment: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const response = await fetch(notesApi.fileUrl(attachment), {
    signal,
    credentials: "same-origin",
  });
  if (!response.ok || !response.body) throw new Error(`a file: ${response.status}`);
  return response.body;
}

/** Asks for the export of everything, or of a notebook. */
export async function requestExport(
  url: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const request = `GET ${url}`;
  let response: Response;
  try {
    response = await fetch(url, { signal, credentials: "same-origin" });
  } catch (error) {
    signal.throwIfAborted();
    throw new Problem({
      status: 0,
      code: "client.offline",
      message: "The server cannot be reached. Check your connection.",
      request,
      body: { reason: String(error) },
    });
  }
  if (!response.ok || !response.body) {
    throw problemFrom(response.status, response.headers, await response.text(), request);
  }
  return response.body;
}
