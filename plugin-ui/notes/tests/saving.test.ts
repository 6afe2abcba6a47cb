// @vitest-environment jsdom
import { IDBFactory } from "fake-indexeddb";
import { beforeEach, describe, expect, it } from "vitest";
import { createDraftStore, type Draft, type DraftStore } from "../src/saving/draft-store.ts";
import { Saving } from "../src/saving/saving.ts";
import { joinWindows, type WindowPresence } from "../src/saving/window-presence.ts";
import { FakeServer, noteOf, offline } from "./fake-server.ts";

const id = "0192a000-0000-7000-8000-000000000001";
const other = "0192a000-0000-7000-8000-000000000002";

let server: FakeServer;
let drafts: DraftStore;

const presence = (own: string, active: readonly string[] = []): WindowPresence => ({
  id: Promise.resolve(own),
  activeWindows: () => Promise.resolve(new Set([own, ...active])),
  end: () => undefined,
});
const savingIn = (window: string, active: readonly string[] = [], user = "u1") =>
  new Saving({ user, api: server, drafts, presence: presence(window, active) });

const draft = (part: Partial<Draft> = {}): Draft => ({
  user: "u1",
  note: id,
  window: "gone",
  base: { version: 1, title: "Title", text: "one" },
  create: null,
  unanswered: [],
  title: "Title",
  text: "one, unsaved",
  changed: 1,
  ...part,
});

beforeEach(() => {
  server = new FakeServer();
  server.notes.set(id, noteOf({ id, title: "Title", text: "one" }));
  drafts = createDraftStore({ factory: new IDBFactory(), lastMoment: localStorage });
  localStorage.clear();
});

describe("draft of an earlier window", () => {
  it("is saved, reported and removed", async () => {
    await drafts.put(draft());
    await expect(savingIn("now").recover()).resolves.toEqual(["Title"]);
    expect(server.notes.get(id)?.text).toBe("one, unsaved");
    expect(await drafts.all("u1")).toEqual([]);
  });

  it("is kept while that window is open", async () => {
    await drafts.put(draft({ window: "alive" }));
    await expect(savingIn("now", ["alive"]).recover()).resolves.toEqual([]);
    expect(server.log).toEqual([]);
    expect((await drafts.all("u1")).length).toBe(1);
  });

  it("is not touched for another user", async () => {
    await drafts.put(draft());
    await expect(savingIn("now", [], "u2").recover()).resolves.toEqual([]);
    expect(server.log).toEqual([]);
    expect((await drafts.all("u1")).length).toBe(1);
  });

  it("is removed silently if already saved", async () => {
    await drafts.put(draft());
    server.edit(id, { text: "one, unsaved" });
    await expect(savingIn("now").recover()).resolves.toEqual([]);
    expect(server.notes.get(id)?.version).toBe(2);
    expect(await drafts.all("u1")).toEqual([]);
  });

  it("waits for a decision after a remote change", async () => {
    await drafts.put(draft());
    server.edit(id, { text: "theirs" });
    const saving = savingIn("now");
    await saving.recover();
    expect(saving.unresolved.get()).toEqual([{ note: id, title: "Title" }]);
    expect(server.notes.get(id)?.text).toBe("theirs");
    const session = await saving.open(
      id,
      noteOf({ id, title: "Title", text: "theirs", version: 2 }),
    );
    expect(session.state.get().status.kind).toBe("conflict");
    expect(session.text).toBe("one, unsaved");
    session.keepTheirs();
    expect(saving.unresolved.get()).toEqual([]);
  });

  it("is merged with remote changes and saved", async () => {
    await drafts.put(
      draft({ base: { version: 1, title: "Title", text: "one\n\ntwo" }, text: "one\n\nTWO" }),
    );
    server.edit(id, { text: "ONE\n\ntwo" });
    await expect(savingIn("now").recover()).resolves.toEqual(["Title"]);
    expect(server.notes.get(id)?.text).toBe("ONE\n\nTWO");
  });

  it("creates a note that did not exist", async () => {
    const create = { notebook: "n1", tags: [] };
    await drafts.put(draft({ note: other, create, base: { version: 0, title: "", text: "" } }));
    await savingIn("now").recover();
    expect(server.notes.get(other)).toMatchObject({ text: "one, unsaved", notebook: "n1" });
  });

  it("opens with its note and is saved", async () => {
    await drafts.put(draft());
    const saving = savingIn("now");
    expect(await saving.hasDraft(id)).toBe(true);
    const session = await saving.open(id, noteOf({ id, title: "Title", text: "one" }));
    expect(session.text).toBe("one, unsaved");
    await expect.poll(() => server.notes.get(id)?.text).toBe("one, unsaved");
  });

  it("is kept when the server is unreachable", async () => {
    await drafts.put(draft());
    server.failBefore = offline;
    const saving = savingIn("now");
    await expect(saving.recover()).resolves.toEqual([]);
    expect(saving.unresolved.get()).toEqual([]);
    expect((await drafts.all("u1")).map(({ text }) => text)).toEqual(["one, unsaved"]);
    saving.end();
    expect((await drafts.all("u1")).map(({ text }) => text)).toEqual(["one, unsaved"]);
  });
});

describe("window identity", () => {
  /** Locks as a browser has them: of one holder, first come first served. */
  class FakeLocks {
    private readonly held = new Set<string>();
    request = async (name: string, { signal }: LockOptions, hold: () => Promise<void>) => {
      while (this.held.has(name)) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        signal?.throwIfAborted();
      }
      this.held.add(name);
      await hold();
      this.held.delete(name);
    };
    query = () => Promise.resolve({ held: [...this.held].map((name) => ({ name })) });
  }

  const memory = (): Storage => {
    const items = new Map<string, string>();
    return {
      get length() {
        return items.size;
      },
      key: (index) => [...items.keys()][index] ?? null,
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, value) => void items.set(key, value),
      removeItem: (key) => void items.delete(key),
      clear: () => items.clear(),
    };
  };

  it("survives a reload and differs in duplicates", async () => {
    const locks = new FakeLocks() as unknown as LockManager;
    const session = memory();
    const first = joinWindows({ locks, session });
    const name = await first.id;
    expect(await first.activeWindows()).toEqual(new Set([name]));
    first.end();
    const reloaded = joinWindows({ locks, session });
    expect(await reloaded.id).toBe(name);
    const copied = memory();
    copied.setItem("tenon.notes.window", name);
    const duplicate = joinWindows({ locks, session: copied });
    expect(await duplicate.id).not.toBe(name);
    expect((await reloaded.activeWindows()).size).toBe(2);
  });

  it("uses a heartbeat without locks", async () => {
    const local = memory();
    let now = 1_000_000;
    const join = (session: Storage) =>
      joinWindows({ locks: undefined, session, local, now: () => now });
    const session = memory();
    const first = join(session);
    const second = join(memory());
    expect((await second.activeWindows()).size).toBe(2);
    first.end();
    expect(await second.activeWindows()).toEqual(new Set([await second.id]));
    const reloaded = join(session);
    expect(await reloaded.id).toBe(await first.id);
    now += 100_000;
    expect((await reloaded.activeWindows()).has(await second.id)).toBe(false);
    for (const window of [reloaded, second]) window.end();
  });
});
