import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { describe, expect, it } from "vitest";
import { createDraftStore, type Draft } from "../src/saving/draft-store.ts";
import { id } from "./session-world.ts";

describe("draft store", () => {
  const draft = (part: Partial<Draft> = {}): Draft => ({
    user: "u1",
    note: id,
    window: "w1",
    base: { version: 1, title: "", text: "" },
    create: null,
    unanswered: [],
    title: "T",
    text: "kept",
    changed: 1,
    ...part,
  });

  const storage = (): Storage => {
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

  it("returns a draft only to its user", async () => {
    const factory = new IDBFactory();
    const store = createDraftStore({ factory, lastMoment: storage() });
    await store.put(draft());
    await store.put(draft({ user: "u2", text: "secret" }));
    const again = createDraftStore({ factory, lastMoment: storage() });
    expect((await again.all("u1")).map(({ text }) => text)).toEqual(["kept"]);
  });

  it("returns the newest of storage and database", async () => {
    const store = createDraftStore({ factory: new IDBFactory(), lastMoment: storage() });
    await store.put(draft());
    expect(store.putNow(draft({ text: "last", changed: 2 }))).toBe(true);
    expect((await store.all("u1")).map(({ text }) => text)).toEqual(["last"]);
    await store.remove(draft());
    expect(await store.all("u1")).toEqual([]);
  });

  it("falls back to local storage, else rejects", async () => {
    const factory = {
      open: () => {
        throw new DOMException("denied");
      },
    } as unknown as IDBFactory;
    const store = createDraftStore({ factory, lastMoment: storage() });
    await store.put(draft());
    expect((await store.all("u1")).length).toBe(1);
    const full = {
      ...storage(),
      setItem: () => {
        throw new DOMException("full");
      },
    };
    await expect(createDraftStore({ factory, lastMoment: full }).put(draft())).rejects.toThrow();
  });
});
