import {
  Inflate,
  Unzip,
  UnzipPassThrough,
  type AsyncFlateStreamHandler,
  type UnzipDecoder,
} from "fflate";
import {
  cleanPath,
  importLimits,
  skippedByName,
  SourceError,
  tooLong,
  typeOf,
  type AttachedFile,
  type Source,
  type SourceFile,
} from "./source.ts";
import { limits } from "../model/types.ts";

export interface ZipLimits {
  archive: number;
  entries: number;
  file: number;
  unpacked: number;
}

/** Compressed bytes that are unpacked at once: at the best ratio of deflate they become 8 MiB. */
const step = 8_192;
/** The page may run after this, milliseconds. */
const breath = 12;

class Budget {
  left: number;
  constructor(left: number) {
    this.left = left;
  }
}

/** Unpacks no more than a note can hold; what is beyond is not even looked at. */
function boundedInflate(fileLimit: number, budget: Budget) {
  return class BoundedInflate implements UnzipDecoder {
    static compression = 8;
    ondata: AsyncFlateStreamHandler = () => undefined;
    private size = 0;
    private over = false;
    private readonly inflate = new Inflate((chunk, final) => {
      this.size += chunk.length;
      budget.left -= chunk.length;
      if (this.size > fileLimit || budget.left < 0) this.stop();
      else this.ondata(null, chunk, final);
    });

    push(chunk: Uint8Array, final: boolean): void {
      if (this.over) return;
      try {
        this.inflate.push(chunk, final);
      } catch {
        this.over = true;
        this.ondata(Object.assign(new Error("damaged"), { code: -1 }), new Uint8Array(), true);
      }
    }

    private stop(): void {
      if (this.over) return;
      this.over = true;
      this.ondata(Object.assign(new Error("too long"), { code: -2 }), new Uint8Array(), true);
    }
  };
}

/** Files of a zip archive, unpacked as it is read, within limits that no archive can talk its way around. */
export function zipSource(
  archive: Pick<Blob, "size" | "stream"> & { name: string },
  bounds: ZipLimits = importLimits,
): Source {
  let read = 0;
  return {
    name: archive.name,
    progress: () => (archive.size > 0 ? Math.min(1, read / archive.size) : 1),
    attachments: (paths, signal) => attachedFiles(archive, paths, signal),
    async *files(signal) {
      if (archive.size > bounds.archive) {
        throw new SourceError(
          `The archive is larger than ${Math.round(bounds.archive / 1_048_576)} MiB.`,
        );
      }
      const ready: SourceFile[] = [];
      const budget = new Budget(bounds.unpacked);
      let entries = 0;
      let unfinished = 0;
      const unzip = new Unzip((file) => {
        entries += 1;
        const path = cleanPath(file.name);
        if (entries > bounds.entries || file.name.endsWith("/")) return;
        const reason = skippedByName(path);
        if (reason !== null) {
          ready.push({ kind: "skipped", path, reason });
          return;
        }
        if ((file.originalSize ?? 0) > bounds.file) {
          ready.push({ kind: "failed", path, reason: tooLong });
          return;
        }
        const parts: Uint8Array[] = [];
        let size = 0;
        unfinished += 1;
        file.ondata = (error, chunk, final) => {
          if (error) {
            unfinished -= 1;
            const reason = error.message === "too long" ? tooLong : "Damaged in the archive";
            ready.push({ kind: "failed", path, reason });
            file.ondata = () => undefined;
            return;
          }
          size += chunk.length;
          if (size > bounds.file) {
            unfinished -= 1;
            ready.push({ kind: "failed", path, reason: tooLong });
            file.ondata = () => undefined;
            return;
          }
          parts.push(chunk.slice());
          if (!final) return;
          unfinished -= 1;
          ready.push({ kind: "file", path, bytes: join(parts, size) });
        };
        try {
          file.start();
        } catch {
          unfinished -= 1;
          ready.push({ kind: "failed", path, reason: "Unsupported compression" });
        }
      });
      unzip.register(UnzipPassThrough);
      unzip.register(boundedInflate(bounds.file, budget));

      const reader = archive.stream().getReader();
      let lastBreath = performance.now();
      const push = (chunk: Uint8Array, final: boolean) => {
        try {
          unzip.push(chunk, final);
        } catch {
          throw new SourceError("This is not a zip archive, or it is damaged.");
        }
        if (budget.left < 0) {
          throw new SourceError(
            `The archive has more than ${Math.round(bounds.unpacked / 1_048_576)} MiB of text. Import parts of it.`,
          );
        }
        if (entries > bounds.entries) {
          throw new SourceError(
            `The archive has more than ${bounds.entries.toLocaleString("en")} files. Import parts of it.`,
          );
        }
      };
      try {
        for (;;) {
          signal.throwIfAborted();
          const { done, value } = await reader.read();
          if (done) break;
          for (let at = 0; at < value.length; at += step) {
            push(value.subarray(at, at + step), false);
            read += Math.min(step, value.length - at);
            yield* ready.splice(0);
            if (performance.now() - lastBreath < breath) continue;
            await new Promise((resolve) => setTimeout(resolve));
            signal.throwIfAborted();
            lastBreath = performance.now();
          }
        }
        push(new Uint8Array(), true);
        yield* ready.splice(0);
      } finally {
        await reader.cancel().catch(() => undefined);
      }
      if (entries === 0) throw new SourceError("This is not a zip archive, or it is empty.");
      if (unfinished > 0) throw new SourceError("The archive is incomplete. Download it again.");
    },
  };
}

/** Bytes that are handed to the browser at once, which keeps them where it wants. */
const handedOver = 4_194_304;

/** The files at some paths, one after the other; what is too large or damaged has no content. */
async function* attachedFiles(
  archive: Pick<Blob, "stream">,
  paths: ReadonlySet<string>,
  signal: AbortSignal,
): AsyncGenerator<AttachedFile> {
  const ready: AttachedFile[] = [];
  const budget = new Budget(importLimits.attached);
  const unzip = new Unzip((file) => {
    const path = cleanPath(file.name);
    if (!paths.has(path)) return;
    let blobs: Blob[] = [];
    let parts: Uint8Array<ArrayBuffer>[] = [];
    let pending = 0;
    const end = (content: Blob | null) => {
      ready.push({ path, content });
      file.ondata = () => undefined;
      blobs = [];
      parts = [];
    };
    file.ondata = (error, chunk, final) => {
      if (error) {
        end(null);
        return;
      }
      parts.push(chunk.slice());
      pending += chunk.length;
      if (pending >= handedOver || final) {
        blobs.push(new Blob(parts));
        parts = [];
        pending = 0;
      }
      if (final) end(new Blob(blobs, { type: typeOf(path) }));
    };
    try {
      file.start();
    } catch {
      end(null);
    }
  });
  unzip.register(UnzipPassThrough);
  unzip.register(boundedInflate(limits.file, budget));
  const reader = archive.stream().getReader();
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      for (let at = 0; value && at < value.length; at += step) {
        unzip.push(value.subarray(at, at + step), false);
        yield* ready.splice(0);
      }
      if (done) break;
    }
    unzip.push(new Uint8Array(), true);
    yield* ready.splice(0);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function join(parts: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
