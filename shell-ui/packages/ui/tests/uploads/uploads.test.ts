import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { formatBytes } from "../../src/uploads/format-bytes.ts";
import type { StoredUpload, UploadStore } from "../../src/uploads/upload-store.ts";
import { uploadFile, Uploads, type UploadedFile } from "../../src/uploads/uploads.ts";
import { TusServer } from "./tus-server.ts";

class Memory implements UploadStore {
  readonly all = new Map<string, StoredUpload<unknown>>();
  put<C>(kept: StoredUpload<C>): Promise<void> {
    this.all.set(kept.id, kept);
    return Promise.resolve();
  }
  delete(id: string): Promise<void> {
    this.all.delete(id);
    return Promise.resolve();
  }
  of<C>(scope: string): Promise<StoredUpload<C>[]> {
    return Promise.resolve(
      [...this.all.values()].filter((kept) => kept.scope === scope) as StoredUpload<C>[],
    );
  }
}

describe("file uploads", () => {
  let server: TusServer;
  let endpoint: string;
  let kept: Memory;
  let finished: [string, UploadedFile][];
  let opened: Uploads<string>[];
  const file = (size = 100_000) => new Blob([new Uint8Array(size).fill(7)]);

  beforeEach(async () => {
    server = new TusServer();
    endpoint = await server.start();
    kept = new Memory();
    finished = [];
    opened = [];
  });
  afterEach(() => {
    opened.forEach((uploads) => uploads.dispose());
    server.stop();
  });

  function open(finish?: () => Promise<void>): Uploads<string> {
    const uploads = new Uploads<string>({
      endpoint,
      scope: "notes ada",
      kept,
      pauses: [10, 10],
      finish: async (context, arrived) => {
        await finish?.();
        finished.push([context, arrived]);
      },
    });
    opened.push(uploads);
    return uploads;
  }
  const stateOf = (uploads: Uploads<string>) => uploads.items.get()[0]?.state;

  it("arrive complete and are reported", async () => {
    const uploads = open();
    await uploads.add("1", file(), "a.png", "note");
    await vi.waitFor(() => expect(finished).toHaveLength(1));
    expect(finished[0]).toEqual([
      "note",
      { upload: "1", blob: "b".repeat(64), bytes: 100_000, type: "image/png" },
    ]);
    expect(server.uploads.get("1")?.bytes.equals(Buffer.alloc(100_000, 7))).toBe(true);
    await vi.waitFor(() => expect([uploads.items.get(), kept.all.size]).toEqual([[], 0]));
  });

  it("resume after a lost connection", async () => {
    server.cutAfter = 30_000;
    const uploads = open();
    await uploads.add("1", file(), "a.png", "note");
    await vi.waitFor(() => expect(finished).toHaveLength(1));
    expect(server.log).toEqual(["POST ", "PATCH /1", "HEAD /1", "PATCH /1"]);
    expect(server.uploads.get("1")?.bytes.length).toBe(100_000);
  });

  it("resume in a page opened later", async () => {
    const left = { file: file(), name: "a.png", context: "note", url: `${endpoint}/1` };
    await kept.put({ ...left, id: "1", scope: "notes ada" });
    await kept.put({ ...left, id: "2", scope: "notes bob" });
    server.uploads.set("1", { length: 100_000, bytes: Buffer.alloc(40_000, 7) });
    await open().resume();
    await vi.waitFor(() => expect(finished).toHaveLength(1));
    expect(server.log).toEqual(["HEAD /1", "PATCH /1"]);
    expect([...kept.all.keys()]).toEqual(["2"]);
  });

  it("report a refusal and retry on request", async () => {
    server.refuse = { status: 507, code: "blobs.quota", detail: "The quota is used up." };
    const uploads = open();
    await uploads.add("1", file(), "a.png", "note");
    await vi.waitFor(() => expect(stateOf(uploads)).toBe("failed"));
    expect(uploads.items.get()[0]?.error).toMatchObject({
      code: "blobs.quota",
      message: "The quota is used up.",
    });
    server.refuse = null;
    uploads.retry("1");
    await vi.waitFor(() => expect(finished).toHaveLength(1));
  });

  it("are not sent twice after a failed report", async () => {
    let fails = true;
    const uploads = open(() => (fails ? Promise.reject(new Error("no")) : Promise.resolve()));
    await uploads.add("1", file(), "a.png", "note");
    await vi.waitFor(() => expect(stateOf(uploads)).toBe("failed"));
    expect(kept.all.get("1")?.url).toContain("/1");
    fails = false;
    uploads.retry("1");
    await vi.waitFor(() => expect(finished).toHaveLength(1));
    expect(server.log.filter((line) => line.startsWith("PATCH"))).toHaveLength(1);
  });

  it("can be cancelled on client and server", async () => {
    const uploads = open(() => new Promise(() => undefined));
    await uploads.add("1", file(), "a.png", "note");
    await vi.waitFor(() => expect(stateOf(uploads)).toBe("finishing"));
    await uploads.cancel("1");
    expect([uploads.items.get(), kept.all.size, finished]).toEqual([[], 0, []]);
    await vi.waitFor(() => expect(server.uploads.size).toBe(0));
  });

  it("do not restart after they were cancelled", async () => {
    const over = AbortSignal.abort(new Error("enough"));
    await expect(uploadFile(endpoint, file(), "a.csv", { signal: over })).rejects.toThrow("enough");
    expect(server.log).toEqual([]);
    const later = new AbortController();
    const { upload } = await uploadFile(endpoint, file(), "a.csv", { signal: later.signal });
    later.abort();
    await uploadFile(endpoint, file(), "b.csv");
    expect(server.log).toEqual(["POST ", "PATCH /1", "POST ", "PATCH /2"]);
    expect(server.uploads.has(upload)).toBe(true);
  });

  it("run three at a time", async () => {
    const uploads = open(() => new Promise(() => undefined));
    for (const id of ["1", "2", "3", "4"]) await uploads.add(id, file(10), id, id);
    await vi.waitFor(() =>
      expect(uploads.items.get().map(({ state }) => state)).toEqual([
        "finishing",
        "finishing",
        "finishing",
        "waiting",
      ]),
    );
    await uploads.cancel("2");
    await vi.waitFor(() => expect(uploads.items.get().at(-1)?.state).toBe("finishing"));
  });
});

it("formats sizes", () => {
  expect([0, 1, 999, 1_000, 9_960, 1_234_567, 268_435_456].map(formatBytes)).toEqual([
    "0 bytes",
    "1 byte",
    "999 bytes",
    "1.0 KB",
    "10 KB",
    "1.2 MB",
    "268 MB",
  ]);
});
