import { limits, type Attachment } from "./types.ts";

/** The files of a note, by `fileKey` of their destinations in the text. */
export type FileTable = ReadonlyMap<string, Attachment>;

/** Destinations of links are written with and without percent signs: the same file. */
export function fileKey(target: string): string {
  const bare = target.replace(/^<|>$/g, "");
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare;
  }
}

export function fileTable(files: readonly Attachment[]): FileTable {
  return new Map(files.map((file) => [fileKey(file.target), file]));
}

/** Whether a destination names a file that was added here, uploaded yet or not. */
export function isOwnTarget(target: string): boolean {
  return /^attachments\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\//.test(target);
}

/** A name as the server takes it. */
export function cleanFileName(name: string): string {
  const clean = name
    .replace(/[\\/\p{Cc}\u2028\u2029]/gu, "-")
    .trim()
    .slice(-limits.title);
  return clean === "" || clean === "." || clean === ".." ? "file" : clean;
}

const encode = (part: string) =>
  encodeURIComponent(part).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Returns the destination of a new file in the text: a path that is valid in an exported folder too. */
export function targetFor(id: string, name: string): string {
  const folder = `attachments/${id}/`;
  const whole = encode(name);
  // The server takes 1,024 bytes.
  return folder + (whole.length <= 900 ? whole : encode(name.slice(-60)));
}

export function markdownFor(name: string, target: string, isPicture: boolean): string {
  const shown = name.replace(/[[\]\\`*_<>!]/g, "\\$&");
  return `${isPicture ? "!" : ""}[${shown}](${target})`;
}

const anyLink =
  /!?\[(?:[^[\]\\]|\\.)*\]\(\s*(<[^<>\n]*>|[^\s()<>]+)(?:\s+(?:"[^"\n]*"|'[^'\n]*'))?\s*\)/g;

/** The text without the links and pictures of a file. */
export function withoutFile(text: string, target: string): string {
  const key = fileKey(target);
  return text.replace(anyLink, (whole, destination: string) =>
    fileKey(destination) === key ? "" : whole,
  );
}

/** Relative destinations of links and pictures that are no notes, as they are written, each once. */
export function fileTargets(text: string): string[] {
  const found = new Map<string, string>();
  for (const [, destination = ""] of text.matchAll(anyLink)) {
    const target = destination.replace(/^<|>$/g, "");
    if (
      target.length > 1_024 ||
      /^[a-z][a-z0-9+.-]*:|^[/\\#]|[?#]/i.test(target) ||
      (/\.(?:md|markdown|mdown|mkd|txt)$/i.test(target) && !isOwnTarget(target))
    )
      continue;
    found.set(fileKey(target), target);
  }
  return [...found.values()];
}

/** Where a relative target leads from a note at `path`; null where that is above the top. */
export function resolveTarget(path: string, target: string): string | null {
  const parts = path.split("/").slice(0, -1);
  for (const part of fileKey(target).split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/");
}
