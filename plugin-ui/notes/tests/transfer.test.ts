// @vitest-environment node
import { Problem } from "@tenon/ui";
import { strToU8, unzipSync, zipSync, type Zippable } from "fflate";
import { beforeEach, describe, expect, it } from "vitest";
import { IncompleteExport, packExport } from "../src/transfer/export-job.ts";
import { batchLimits, runImport, type ImportBatch } from "../src/transfer/import-job.ts";
import { readLines } from "../src/transfer/ndjson.ts";
import {
  importLimits,
  skippedByName,
  type Source,
  type SourceFile,
} from "../src/transfer/source.ts";
import { importState } from "../src/transfer/transfer-state.ts";
import { zipSource } from "../src/transfer/zip-source.ts";

const zipOf = (files: Zippable, level: 0 | 9 = 9) =>
  Object.assign(new Blob([zipSync(files, { level }) as Uint8Array<ArrayBuffer>]), {
    name: "notes.zip",
  });

async function read(source: Source): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for await (const file of source.files(new AbortController().signal)) files.push(file);
  return files;
}

const text = (file: SourceFile | undefined) =>
  file?.kind === "file" ? new TextDecoder().decode(file.bytes) : `${file?.kind}: ${file?.reason}`;

describe("zip archive", () => {
  it("returns texts byte for byte with their paths", async () => {
    const odd = new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a, 0x62]);
    for (const level of [0, 9] as const) {
      const files = await read(
        zipSource(zipOf({ "a/b/ü.md": strToU8("# Ü"), "bom.md": odd }, level)),
      );
      expect(files.map(({ path }) => path)).toEqual(["a/b/ü.md", "bom.md"]);
      expect(text(files[0])).toBe("# Ü");
      expect(files[1]?.kind === "file" && [...files[1].bytes]).toEqual([...odd]);
    }
  });

  it("skips other files with a reason", async () => {
    const files = await read(
      zipSource(
        zipOf({
          "x.png": strToU8("p"),
          ".git/a.md": strToU8("x"),
          "__MACOSX/a.md": strToU8("x"),
          "d/": new Uint8Array(),
          "a.md": strToU8("a"),
        }),
      ),
    );
    expect(files.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      "skipped x.png",
      "skipped .git/a.md",
      "skipped __MACOSX/a.md",
      "file a.md",
    ]);
  });

  it("stops at a bomb of one file", async () => {
    const bomb = zipOf({ "bomb.md": new Uint8Array(64 * 1_048_576), "good.md": strToU8("good") });
    expect(bomb.size).toBeLessThan(200_000);
    const files = await read(zipSource(bomb));
    expect(text(files[0])).toMatch(/^failed: Larger/);
    expect(text(files[1])).toBe("good");
  });

  it("ignores the declared size of a bomb", async () => {
    const honest = zipSync({ "bomb.md": new Uint8Array(8 * 1_048_576) }, { level: 9 });
    // The size in the local header.
    new DataView(honest.buffer).setUint32(22, 10, true);
    const files = await read(
      zipSource(Object.assign(new Blob([honest as Uint8Array<ArrayBuffer>]), { name: "x.zip" })),
    );
    expect(text(files[0])).toMatch(/^failed: Larger/);
  });

  it("stops at a bomb of many files", async () => {
    const part = new Uint8Array(500_000).fill(97);
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`${index}.md`, part]),
    );
    const limits = { ...importLimits, unpacked: 5_000_000 };
    const taken: SourceFile[] = [];
    await expect(async () => {
      for await (const file of zipSource(zipOf(files), limits).files(new AbortController().signal))
        taken.push(file);
    }).rejects.toThrow(/has more than/);
    expect(taken.length).toBeLessThan(12);
  });

  it("rejects too many files and large archives", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`${index}.md`, strToU8("x")]),
    );
    await expect(read(zipSource(zipOf(files), { ...importLimits, entries: 20 }))).rejects.toThrow(
      /more than 20 files/,
    );
    await expect(read(zipSource(zipOf(files), { ...importLimits, archive: 100 }))).rejects.toThrow(
      /larger than/,
    );
  });

  it("reports damaged entries", async () => {
    const whole = zipSync({ "a.md": strToU8("hello ".repeat(5_000)) }, { level: 9 });
    const named = (bytes: Uint8Array) =>
      Object.assign(new Blob([bytes as Uint8Array<ArrayBuffer>]), { name: "x.zip" });
    await expect(read(zipSource(named(strToU8("this is no archive"))))).rejects.toThrow(
      /not a zip archive/,
    );
    await expect(read(zipSource(named(whole.slice(0, 60))))).rejects.toThrow(/incomplete|damaged/);
    const damaged = whole.slice();
    damaged.fill(0xff, 40, 60);
    const [file] = await read(zipSource(named(damaged))).catch((error: Error) => [
      { kind: "failed", path: "", reason: error.message } satisfies SourceFile,
    ]);
    expect(file?.kind).toBe("failed");
  });

  it("stops when cancelled", async () => {
    const controller = new AbortController();
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`${index}.md`, strToU8("x".repeat(99))]),
    );
    let count = 0;
    await expect(async () => {
      for await (const _file of zipSource(zipOf(files, 0)).files(controller.signal)) {
        count += 1;
        await new Promise((resolve) => setTimeout(resolve, 15));
        controller.abort(new Error("enough"));
      }
    }).rejects.toThrow("enough");
    expect(count).toBeLessThanOrEqual(30);
  });

  it("recognizes notes by name", () => {
    expect(skippedByName("a/b.md")).toBeNull();
    expect(skippedByName("a/B.MARKDOWN")).toBeNull();
    expect(skippedByName("readme.txt")).toBeNull();
    expect(skippedByName("a/b.mdx")).not.toBeNull();
    expect(skippedByName("a/.hidden/b.md")).toBe("Hidden");
  });
});

describe("import", () => {
  const sourceOf = (files: SourceFile[]): Source => ({
    name: "test",
    progress: () => 0.5,
    async *files(signal) {
      for (const file of files) {
        await Promise.resolve();
        signal.throwIfAborted();
        yield file;
      }
    },
  });
  const file = (path: string, content: string | Uint8Array): SourceFile => ({
    kind: "file",
    path,
    bytes: typeof content === "string" ? strToU8(content) : content,
  });
  const accept = (batch: ImportBatch) => ({
    results: batch.files.map(({ path }) => ({
      path,
      result: "created" as const,
      note: `id of ${path}`,
    })),
  });

  beforeEach(() => importState.set(null));

  it("sends ordered batches under one id", async () => {
    const batches: ImportBatch[] = [];
    const files = Array.from({ length: 250 }, (_, index) => file(`${index}.md`, "text"));
    const state = await runImport(sourceOf(files), {
      notebook: null,
      send: (batch) => {
        batches.push(batch);
        return Promise.resolve(accept(batch));
      },
    });
    expect(batches.map((batch) => batch.files.length)).toEqual([100, 100, 50]);
    expect(new Set(batches.map((batch) => batch.import)).size).toBe(1);
    expect(state).toMatchObject({ phase: "done", counts: { created: 250, failed: 0 }, found: 250 });
  });

  it("keeps batches below the host's limit", async () => {
    const sizes: number[] = [];
    const files = Array.from({ length: 12 }, (_, index) =>
      file(`${index}.md`, 'ä"\n'.repeat(60_000)),
    );
    await runImport(sourceOf(files), {
      notebook: null,
      send: (batch) => {
        sizes.push(strToU8(JSON.stringify(batch)).length);
        return Promise.resolve(accept(batch));
      },
    });
    expect(Math.max(...sizes)).toBeLessThan(1_048_576);
    expect(sizes.length).toBeGreaterThan(2);
    expect(batchLimits.files).toBe(100);
  });

  it("keeps every byte and rejects non-UTF-8", async () => {
    const sent: string[] = [];
    const state = await runImport(
      sourceOf([
        file("bom.md", new Uint8Array([0xef, 0xbb, 0xbf, 0x61])),
        file("crlf.md", "a\r\nb"),
        file("latin1.md", new Uint8Array([0x61, 0xe9, 0x62])),
      ]),
      {
        notebook: null,
        send: (batch) => {
          sent.push(...batch.files.map(({ text: content }) => content));
          return Promise.resolve(accept(batch));
        },
      },
    );
    expect(sent).toEqual(["\uFEFFa", "a\r\nb"]);
    expect(state.reports.find(({ path }) => path === "latin1.md")).toMatchObject({
      result: "failed",
      reason: "Not UTF-8 text",
    });
  });

  it("retries, then resumes with the same batch", async () => {
    let fails = 5;
    const batches: ImportBatch[] = [];
    const done = runImport(sourceOf([file("a.md", "a"), file("b.md", "b")]), {
      notebook: "n1",
      pauses: [1, 1],
      send: (batch) => {
        batches.push(batch);
        fails -= 1;
        return fails >= 0
          ? Promise.reject(new Problem({ status: 0, code: "client.offline", message: "offline" }))
          : Promise.resolve(accept(batch));
      },
    });
    while (importState.get()?.phase !== "failed")
      await new Promise((resolve) => setTimeout(resolve, 2));
    expect(batches.length).toBe(3);
    importState.get()?.resume?.();
    const state = await done;
    expect(state).toMatchObject({ phase: "done", counts: { created: 2 } });
    expect(new Set(batches.map((batch) => JSON.stringify(batch))).size).toBe(1);
  });

  it("splits a batch the host finds too large", async () => {
    const state = await runImport(
      sourceOf([file("a.md", "a"), file("big.md", "x".repeat(1_000)), file("c.md", "c")]),
      {
        notebook: null,
        send: (batch) =>
          JSON.stringify(batch).length > 900
            ? Promise.reject(new Problem({ status: 413, code: "http.too_large", message: "" }))
            : Promise.resolve(accept(batch)),
      },
    );
    expect(state.counts).toMatchObject({ created: 2, failed: 1 });
    expect(state.reports.find(({ result }) => result === "failed")?.path).toBe("big.md");
  });

  it("keeps imported notes when cancelled", async () => {
    const files = Array.from({ length: 300 }, (_, index) => file(`${index}.md`, "text"));
    const state = await runImport(sourceOf(files), {
      notebook: null,
      send: (batch) => {
        importState.get()?.cancel();
        return Promise.resolve(accept(batch));
      },
    });
    expect(state).toMatchObject({ phase: "cancelled", counts: { created: 100 } });
  });

  it("sends what was read before an archive error", async () => {
    const whole = zipSync(
      { "a.md": strToU8("a"), "b.md": strToU8("hello ".repeat(9_000)) },
      { level: 0 },
    );
    const cut = Object.assign(new Blob([whole.slice(0, 20_000) as Uint8Array<ArrayBuffer>]), {
      name: "x.zip",
    });
    const state = await runImport(zipSource(cut), {
      notebook: null,
      send: (batch) => Promise.resolve(accept(batch)),
    });
    expect(state).toMatchObject({ phase: "broken", counts: { created: 1 } });
  });
});

describe("export", () => {
  const streamOf = (lines: readonly unknown[], size = 7) => {
    const bytes = strToU8(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return new ReadableStream<Uint8Array>({
      start(controller) {
        // Pieces that end in the middle of lines and of characters.
        for (let at = 0; at < bytes.length; at += size)
          controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
  };
  const { signal } = new AbortController();
  const notes = [
    { path: "a.md", text: "# Ä\r\n" },
    { path: "Küche/ü 日.md", text: "\uFEFFx" },
  ];
  const head = { format: "tenon.notes/1", count: 2 };

  it("packs every note byte for byte", async () => {
    const stream = streamOf([head, ...notes, { end: true, count: 2, snapshots: 1 }]);
    const { archive, notes: count } = await packExport(stream, signal, () => undefined);
    const files = unzipSync(new Uint8Array(await archive.arrayBuffer()));
    expect(count).toBe(2);
    expect(Object.keys(files)).toEqual(["a.md", "Küche/ü 日.md"]);
    expect([...(files["a.md"] ?? [])]).toEqual([...strToU8("# Ä\r\n")]);
    expect([...(files["Küche/ü 日.md"] ?? [])]).toEqual([0xef, 0xbb, 0xbf, 0x78]);
  });

  it("fails when lines or notes are missing", async () => {
    await expect(packExport(streamOf([head, ...notes]), signal, () => undefined)).rejects.toThrow(
      IncompleteExport,
    );
    await expect(
      packExport(streamOf([head, notes[0], { end: true, count: 2 }]), signal, () => undefined),
    ).rejects.toThrow(IncompleteExport);
    const cut = strToU8('{"format":"tenon.notes/1","count":1}\n{"path":"a.md","te');
    const stream = new Blob([cut as Uint8Array<ArrayBuffer>]).stream();
    await expect(packExport(stream, signal, () => undefined)).rejects.toThrow(IncompleteExport);
  });

  it("stops when cancelled", async () => {
    const controller = new AbortController();
    controller.abort(new Error("enough"));
    await expect(
      packExport(streamOf([head, ...notes]), controller.signal, () => undefined),
    ).rejects.toThrow("enough");
  });

  it("parses lines split across chunks", async () => {
    for (const size of [1, 3, 64]) {
      const values: unknown[] = [];
      for await (const value of readLines(streamOf(notes, size), signal)) values.push(value);
      expect(values).toEqual(notes);
    }
  });
});

describe("note attachments", () => {
  const stream = (...lines: unknown[]) =>
    new Blob(lines.map((line) => `${JSON.stringify(line)}\n`)).stream();
  const attachment = (id: string, path: string | null, target: string, content: string) => ({
    id,
    path,
    target,
    name: "p.png",
    content,
  });
  const note = (path: string, text: string, ...attachments: unknown[]) => ({
    path,
    text,
    attachments,
  });
  const id = "0192f000-0000-7000-8000-000000000001";

  it("are packed once at unique paths", async () => {
    const { archive, notes, files } = await packExport(
      stream(
        { format: "tenon.notes/1", count: 3 },
        note("w/a.md", "![p](i/p.png)", attachment("1", "w/i/p.png", "i/p.png", "x")),
        note("w/b.md", "![p](i/p.png)", attachment("2", "w/i/p.png", "i/p.png", "x")),
        note(
          "w/c.md",
          "![p](i/p.png) [q](../../q.png)",
          attachment(id, "w/i/p.png", "i/p.png", "y"),
          attachment("4", null, "../../q.png", "z"),
        ),
        { end: true, count: 3, snapshots: 1 },
      ),
      new AbortController().signal,
      () => undefined,
      (attached) => Promise.resolve(new Blob([`bytes of ${attached}`]).stream()),
    );
    const packed = unzipSync(new Uint8Array(await archive.arrayBuffer()));
    const texts = Object.fromEntries(
      Object.entries(packed).map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]),
    );
    expect(texts).toEqual({
      "w/i/p.png": "bytes of 1",
      "w/a.md": "![p](i/p.png)",
      "w/b.md": "![p](i/p.png)",
      [`w/attachments/${id}/p.png`]: `bytes of ${id}`,
      "w/attachments/4/p.png": "bytes of 4",
      "w/c.md": `![p](attachments/${id}/p.png) [q](attachments/4/p.png)`,
    });
    expect([notes, files]).toEqual([3, 3]);
  });

  it("are imported with their notes only", async () => {
    const archive = zipOf({
      "w/i/p.png": strToU8("picture"),
      "w/note.md": strToU8("![p](i/p.png) ![gone](i/gone.png)"),
      "w/other.png": strToU8("not shown"),
    });
    const attached: string[] = [];
    const state = await runImport(zipSource(archive), {
      notebook: null,
      send: ({ files }) =>
        Promise.resolve({
          results: files.map(({ path }) => ({
            path,
            result: "created" as const,
            note: `id ${path}`,
          })),
        }),
      attach: async (to, target, name, content) => {
        attached.push(`${to}: ${target} ${name} ${content.type} ${await content.text()}`);
      },
    });
    expect(attached).toEqual(["id w/note.md: i/p.png p.png image/png picture"]);
    expect(state.counts).toEqual({ created: 1, unchanged: 0, attached: 1, skipped: 1, failed: 0 });
    expect(state.reports.map(({ path, result }) => `${result} ${path}`)).toEqual([
      "created w/note.md",
      "attached w/i/p.png",
      "skipped w/other.png",
    ]);
  });

  it("are reported when missing, and notes are kept", async () => {
    const archive = zipOf({ "p.png": strToU8("picture"), "note.md": strToU8("![p](p.png)") });
    const state = await runImport(zipSource(archive), {
      notebook: null,
      send: ({ files }) =>
        Promise.resolve({
          results: files.map(({ path }) => ({ path, result: "created" as const, note: "1" })),
        }),
      attach: () => Promise.reject(new Error("The disk is full.")),
    });
    expect([state.phase, state.counts.created, state.counts.failed]).toEqual(["done", 1, 1]);
    expect(state.reports.at(-1)).toMatchObject({ path: "p.png", reason: "The disk is full." });
  });
});
