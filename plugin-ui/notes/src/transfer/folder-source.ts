import {
  cleanPath,
  importLimits,
  skippedByName,
  SourceError,
  tooLong,
  type AttachedFile,
  type Source,
  type SourceFile,
} from "./source.ts";
import { zipSource } from "./zip-source.ts";

interface FoundFile {
  path: string;
  file: () => Promise<File>;
}

/** Files that were picked: a folder's, with their paths, or single ones. */
export function pickedSource(files: readonly File[]): Source {
  const archive = files.length === 1 ? files[0] : undefined;
  if (archive && isZip(archive.name)) return zipSource(archive);
  const name = files[0]?.webkitRelativePath.split("/")[0] || files[0]?.name || "Files";
  return listSource(
    name,
    files.map((file) => ({
      path: cleanPath(file.webkitRelativePath || file.name),
      file: () => Promise.resolve(file),
    })),
  );
}

/** What was dropped: folders with all inside them, archives, single files. */
export function droppedSource(entries: readonly FileSystemEntry[]): Source {
  const name = entries.length === 1 ? (entries[0]?.name ?? "Files") : `${entries.length} items`;
  let current: Source | null = null;
  const parts: Source[] = [];
  let done = 0;
  return {
    name,
    progress: () => (done + (current?.progress() ?? 0)) / Math.max(1, entries.length),
    async *attachments(paths, signal) {
      for (const part of parts) if (part.attachments) yield* part.attachments(paths, signal);
    },
    async *files(signal) {
      for (const entry of entries) {
        const files: FoundFile[] = [];
        await walk(entry, files, signal);
        const single = files[0];
        current =
          entry.isFile && single && isZip(entry.name)
            ? zipSource(await single.file())
            : listSource(entry.name, files);
        parts.push(current);
        yield* current.files(signal);
        current = null;
        done += 1;
      }
    },
  };
}

function isZip(name: string): boolean {
  return /\.zip$/i.test(name);
}

async function walk(entry: FileSystemEntry, into: FoundFile[], signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (into.length >= importLimits.entries) {
    throw new SourceError(
      `The folder has more than ${importLimits.entries.toLocaleString("en")} files. Import parts of it.`,
    );
  }
  if (entry.isFile) {
    const path = cleanPath(entry.fullPath);
    into.push({
      path,
      file: () =>
        new Promise((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)),
    });
    return;
  }
  // Hidden folders hold many files that are no notes.
  if (entry.name.startsWith(".")) return;
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A folder is given in parts of a hundred.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return;
    for (const inside of part) await walk(inside, into, signal);
  }
}

async function* contentsOf(
  found: readonly FoundFile[],
  paths: ReadonlySet<string>,
  signal: AbortSignal,
): AsyncGenerator<AttachedFile> {
  for (const { path, file } of found) {
    if (!paths.has(path)) continue;
    signal.throwIfAborted();
    yield { path, content: await file().catch(() => null) };
  }
}

function listSource(name: string, found: readonly FoundFile[]): Source {
  const sorted = [...found].sort((a, b) => (a.path < b.path ? -1 : 1));
  let done = 0;
  return {
    name,
    progress: () => done / Math.max(1, sorted.length),
    attachments: (paths, signal) => contentsOf(sorted, paths, signal),
    async *files(signal) {
      for (const { path, file } of sorted) {
        signal.throwIfAborted();
        yield await read(path, file);
        done += 1;
      }
    },
  };
}

async function read(path: string, open: () => Promise<File>): Promise<SourceFile> {
  const reason = skippedByName(path);
  if (reason !== null) return { kind: "skipped", path, reason };
  try {
    const file = await open();
    if (file.size > importLimits.file) return { kind: "failed", path, reason: tooLong };
    const bytes = new Uint8Array(await file.arrayBuffer());
    return { kind: "file", path, bytes, modified: file.lastModified };
  } catch {
    return { kind: "failed", path, reason: "Could not read the file" };
  }
}
