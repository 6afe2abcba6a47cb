/** A file on its way into an import: its bytes, or why it stays out. */
export type SourceFile =
  | { kind: "file"; path: string; bytes: Uint8Array; modified?: number }
  | { kind: "skipped" | "failed"; path: string; reason: string };

/** A file that a note of an import shows or leads to. */
export interface AttachedFile {
  path: string;
  /** Null: it could not be read. */
  content: Blob | null;
}

/** The browser's type of a picture by its name; what the server finds in the content counts. */
export function typeOf(path: string): string {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
  const types: Record<string, string> = { jpg: "image/jpeg", jpeg: "image/jpeg" };
  for (const image of ["png", "gif", "webp", "avif"]) types[image] = `image/${image}`;
  return types[ending] ?? "";
}

/** Files one by one. Nothing is read ahead of who takes them. */
export interface Source {
  /** Name of the folder or archive. */
  name: string;
  files(signal: AbortSignal): AsyncIterable<SourceFile>;
  /** Files of notes at these paths, read once more from the start. */
  attachments?(paths: ReadonlySet<string>, signal: AbortSignal): AsyncIterable<AttachedFile>;
  /** How far the source is read, 0 to 1. */
  progress(): number;
}

export const importLimits = {
  /** Bytes of an archive. */
  archive: 1_073_741_824,
  /** Files and folders in an archive or a folder. */
  entries: 50_000,
  /** Bytes of one file when it is unpacked: what a note can hold. */
  file: 786_432,
  /** Bytes of all files when they are unpacked. */
  unpacked: 536_870_912,
  /** Bytes of all files of notes when they are unpacked. */
  attached: 4_294_967_296,
} as const;

/** The import cannot continue: the source is broken or too large. */
export class SourceError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SourceError";
  }
}

const markdown = /\.(?:md|markdown|mdown|mkd|txt)$/i;

/** Matches the paths at which an export puts the files of notes. */
const ofNote = /(?:^|\/)attachments\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[^/]+$/;

/** Why a file stays out, by its name alone. `null`: it may come in. */
export function skippedByName(path: string): string | null {
  const segments = path.split("/");
  if (segments.some((segment) => segment.startsWith(".") || segment === "__MACOSX"))
    return "Hidden";
  if (ofNote.test(path)) return "Attachment";
  if (!markdown.test(path)) return "Not a Markdown or text file";
  return null;
}

export const tooLong = "Larger than 768 KiB, the maximum size of a note";

/** A path as the server takes it; archives from Windows may have the other slash. */
export function cleanPath(path: string): string {
  const slashes = path.includes("/") ? path : path.replaceAll("\\", "/");
  return slashes.replace(/^(?:\.?\/)+/, "");
}
