import { Problem } from "@tenon/ui";
import { fileTargets, resolveTarget } from "../model/files.ts";
import { newId } from "../model/uuid.ts";
import { SourceError, tooLong, type Source, type SourceFile } from "./source.ts";
import { importState, type FileReport, type ImportState } from "./transfer-state.ts";

interface ImportFile {
  path: string;
  text: string;
  modified?: string;
}

export interface ImportBatch {
  import: string;
  notebook: string | null;
  files: readonly ImportFile[];
}

interface BatchResult {
  path: string;
  result: FileReport["result"];
  note?: string;
  file?: string;
  code?: string;
  message?: string;
}

export interface ImportResponse {
  results: readonly BatchResult[];
}

export interface ImportOptions {
  notebook: string | null;
  send(batch: ImportBatch, signal: AbortSignal): Promise<ImportResponse>;
  /** Adds a file to a note. */
  attach?(
    note: string,
    target: string,
    name: string,
    content: Blob,
    signal: AbortSignal,
  ): Promise<void>;
  /** Notes have come. */
  onBatch?(): void;
  /** Waits between attempts, milliseconds; replaced in tests. */
  pauses?: readonly number[];
}

export const batchLimits = {
  files: 100,
  /** Bytes of JSON; the host takes 1 MiB. */
  bytes: 900_000,
} as const;

const pauses = [1_000, 3_000, 8_000];

const reasons: Record<string, string> = {
  "notes.not_markdown": "Not a Markdown or text file",
  "notes.hidden": "Hidden",
  "notes.text_too_long": tooLong,
  "notes.binary": "Not a text file",
  "notes.path_invalid": "The folder names are not valid notebook names",
  "notes.too_deep": "Folders are nested too deeply",
};

const encoder = new TextEncoder();

/** Text of a file, the bytes kept: nothing is dropped or replaced. */
function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * Imports what a source gives, in batches. A batch that fails is tried again; when that does not help the job waits
 * with everything it has until it is resumed. A batch that came through without a response makes nothing twice.
 */
export async function runImport(source: Source, options: ImportOptions): Promise<ImportState> {
  const id = newId();
  const controller = new AbortController();
  const { signal } = controller;
  const reports: FileReport[] = [];
  const counts = { created: 0, unchanged: 0, attached: 0, skipped: 0, failed: 0 };
  /** Files that are no notes, until it is known whether one of the notes has them. */
  const aside = new Map<string, FileReport>();
  /** By path of a file: the notes that show it, by their paths, and its destination in their text. */
  const wanted = new Map<string, { from: string; target: string }[]>();
  const made = new Map<string, string>();
  let found = 0;
  let lastShown = 0;

  const show = (change: Partial<ImportState>, isUrgent = true) => {
    const now = performance.now();
    if (!isUrgent && now - lastShown < 100) return;
    lastShown = now;
    importState.set((state) => ({
      phase: "reading",
      name: source.name,
      isComplete: false,
      error: undefined,
      cancel: () => controller.abort(new DOMException("cancelled", "AbortError")),
      ...state,
      found,
      counts: { ...counts },
      reports: [...reports],
      progress: source.progress(),
      ...change,
    }));
  };
  const report = (entry: FileReport) => {
    reports.push(entry);
    counts[entry.result] += 1;
  };
  importState.set(null);
  show({ phase: "reading" });

  const resumed = (error: unknown) =>
    new Promise<void>((resolve, reject) => {
      const stop = () => reject(signal.reason as Error);
      signal.addEventListener("abort", stop, { once: true });
      show({
        phase: "failed",
        error,
        resume() {
          signal.removeEventListener("abort", stop);
          show({ phase: "sending", error: undefined, resume: undefined });
          resolve();
        },
      });
    });

  const send = async (files: readonly ImportFile[]): Promise<void> => {
    for (let attempt = 0; ; attempt++) {
      signal.throwIfAborted();
      try {
        const response = await options.send(
          { import: id, notebook: options.notebook, files },
          signal,
        );
        response.results.forEach(({ path, result, note, code, message, file }) => {
          const why = code ? (reasons[code] ?? message ?? code) : file ? `As ${file}` : undefined;
          report({ path, result, note, reason: why });
          if (result === "created" && note) made.set(path, note);
        });
        options.onBatch?.();
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Problem && error.status === 413) {
          await sendSmaller(files);
          return;
        }
        const wait = (options.pauses ?? pauses)[attempt];
        const mayHelp =
          error instanceof Problem &&
          (error.status === 0 || error.status === 429 || error.status >= 500);
        if (wait !== undefined && mayHelp) {
          await sleep(Math.max(wait, (error.retryAfter ?? 0) * 1_000), signal);
        } else {
          await resumed(error);
          attempt = -1;
        }
      }
    }
  };
  const sendSmaller = async (files: readonly ImportFile[]): Promise<void> => {
    const [only] = files;
    if (files.length === 1 && only) {
      report({ path: only.path, result: "failed", reason: tooLong });
      return;
    }
    const half = Math.ceil(files.length / 2);
    await send(files.slice(0, half));
    await send(files.slice(half));
  };

  let batch: ImportFile[] = [];
  let bytes = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    const files = batch;
    batch = [];
    bytes = 0;
    show({ phase: "sending" });
    await send(files);
    show({ phase: "reading" });
  };
  const take = async (file: SourceFile) => {
    found += 1;
    if (file.kind === "skipped" && options.attach && source.attachments) {
      aside.set(file.path, { path: file.path, result: "skipped", reason: file.reason });
      return;
    }
    if (file.kind !== "file") {
      report({ path: file.path, result: file.kind, reason: file.reason });
      return;
    }
    const text = decode(file.bytes);
    if (text === null) {
      report({ path: file.path, result: "failed", reason: "Not UTF-8 text" });
      return;
    }
    if (text.includes("\0")) {
      // The host takes no JSON with a NUL in it, which would hold up the whole batch.
      report({ path: file.path, result: "failed", reason: "Not a text file" });
      return;
    }
    for (const target of options.attach ? fileTargets(text) : []) {
      const path = resolveTarget(file.path, target);
      if (path) wanted.set(path, [...(wanted.get(path) ?? []), { from: file.path, target }]);
    }
    const entry: ImportFile = { path: file.path, text };
    if (file.modified) entry.modified = new Date(file.modified).toISOString();
    const size = encoder.encode(JSON.stringify(entry)).length + 1;
    if (batch.length >= batchLimits.files || bytes + size > batchLimits.bytes) await flush();
    batch.push(entry);
    bytes += size;
  };

  /** The source is read once more for what its notes show and lead to. */
  const attachFiles = async () => {
    const paths = new Set([...aside.keys()].filter((path) => wanted.has(path)));
    const { attach } = options;
    if (attach && source.attachments && paths.size > 0) {
      show({ phase: "sending" });
      for await (const { path, content } of source.attachments(paths, signal)) {
        const uses = (wanted.get(path) ?? []).flatMap(({ from, target }) => {
          const note = made.get(from);
          return note ? { note, target } : [];
        });
        if (uses.length === 0) continue;
        aside.delete(path);
        const name = path.split("/").at(-1) ?? path;
        try {
          if (!content) throw new Error("Could not read the file");
          for (const { note, target } of uses) await attach(note, target, name, content, signal);
          report({ path, result: "attached", note: uses[0]?.note });
        } catch (error) {
          signal.throwIfAborted();
          const reason = error instanceof Error ? error.message : String(error);
          report({ path, result: "failed", reason });
        }
        show({}, false);
      }
    }
    aside.forEach(report);
  };

  try {
    for await (const file of source.files(signal)) {
      await take(file);
      show({}, false);
    }
    show({ isComplete: true });
    await flush();
    await attachFiles();
    show({ phase: "done", isComplete: true, progress: 1 });
  } catch (error) {
    if (signal.aborted) show({ phase: "cancelled" });
    else {
      // Files read before the source broke are good.
      try {
        await flush();
      } catch {
        // It was cancelled meanwhile.
      }
      show({
        phase: "broken",
        error: error instanceof SourceError ? error : new SourceError("Could not read the files."),
      });
    }
  }
  return importState.get() as ImportState;
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      },
      { once: true },
    );
  });
}
