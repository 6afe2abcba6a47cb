import "fake-indexeddb/auto";
import { IDBFactory } from "fake-indexeddb";
import { Problem } from "@tenon/ui";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createDraftStore, type Draft, type DraftStore } from "../src/saving/draft-store.ts";
import { NoteSession, type SessionServices } from "../src/saving/note-session.ts";
import { saveTimes } from "../src/saving/save-times.ts";
import { FakeServer, noteOf, offline } from "./fake-server.ts";

const id = "0192a000-0000-7000-8000-000000000001";

class MemoryDrafts implements DraftStore {
  readonly drafts = new Map<string, Draft>();
  broken = false;
  put(draft: Draft): Promise<void> {
    if (this.broken) return Promise.reject(new Error("full"));
    this.drafts.set(draft.note, structuredClone(draft));
    return Promise.resolve();
  }
  putNow(draft: Draft): boolean {
    if (this.broken) return false;
    this.drafts.set(draft.note, structuredClone(draft));
    return true;
  }
  remove({ note }: Pick<Draft, "note">): Promise<void> {
    this.drafts.delete(note);
    return Promise.resolve();
  }
  all(): Promise<Draft[]> {
    return Promise.resolve([...this.drafts.values()]);
  }
}

let server: FakeServer;
let drafts: MemoryDrafts;
let saved: number[];

const services = (): SessionServices => ({
  user: "u1",
  window: "w1",
  drafts,
  change: server.change,
  create: server.create,
  load: server.note,
  onSaved: (note) => saved.push(note.version),
});

function open(text = "one", title = "Title"): NoteSession {
  const note = noteOf({ id, title, text });
  server.notes.set(id, note);
  return new NoteSession(id, note, services());
}

const kind = (session: NoteSession) => session.state.get().status.kind;
const type = (session: NoteSession, text: string) => session.editText(() => text);
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
  drafts = new MemoryDrafts();
  saved = [];
});
afterEach(() => vi.useRealTimers());

describe("autosave", () => {
  it("sends nothing for a note that is only looked at", async () => {
    const session = open();
    await pass(60_000);
    expect(server.log).toEqual([]);
    expect(drafts.drafts.size).toBe(0);
    expect(kind(session)).toBe("saved");
  });

  it("keeps a draft first, then saves after a pause, then drops the draft", async () => {
    const session = open();
    type(session, "one two");
    expect(kind(session)).toBe("edited");
    await pass(saveTimes.draft);
    expect(drafts.drafts.get(id)?.text).toBe("one two");
    expect(server.log).toEqual([]);
    await pass(saveTimes.pause);
    expect(server.log).toEqual([`change ${id} v1 text`]);
    expect(server.notes.get(id)?.text).toBe("one two");
    expect(kind(session)).toBe("saved");
    expect(session.state.get().version).toBe(2);
    expect(drafts.drafts.size).toBe(0);
    expect(saved).toEqual([2]);
  });

  it("saves within five seconds of typing without a pause", async () => {
    const session = open();
    for (let step = 0; step < 20; step++) {
      type(session, `one ${step}`);
      await pass(300);
    }
    expect(server.log.length).toBe(1);
  });

  it("has one request under way, and sends what was typed meanwhile after it", async () => {
    const session = open();
    let go: () => void = () => undefined;
    server.gate = new Promise((resolve) => (go = resolve));
    type(session, "a");
    await pass(saveTimes.pause);
    type(session, "ab");
    await pass(saveTimes.longest);
    expect(server.log.length).toBe(1);
    expect(kind(session)).toBe("saving");
    server.gate = null;
    go();
    await pass(saveTimes.pause);
    expect(server.log).toEqual([`change ${id} v1 text`, `change ${id} v2 text`]);
    expect(server.notes.get(id)?.text).toBe("ab");
    expect(kind(session)).toBe("saved");
  });

  it("sends nothing when a change was taken back", async () => {
    const session = open("one");
    type(session, "one!");
    await pass(200);
    type(session, "one");
    await pass(saveTimes.pause);
    expect(server.log).toEqual([]);
    expect(kind(session)).toBe("saved");
    expect(drafts.drafts.size).toBe(0);
  });

  it("sends a title when it is finished, and a text without waiting for it", async () => {
    const session = open();
    session.editTitle("Ti");
    type(session, "text");
    await pass(saveTimes.pause);
    expect(server.log).toEqual([`change ${id} v1 text`]);
    session.editTitle("Title two");
    await pass(saveTimes.pause);
    expect(server.log.length).toBe(1);
    session.finishTitle();
    await pass(0);
    expect(server.log.at(-1)).toBe(`change ${id} v2 title`);
    expect(kind(session)).toBe("saved");
  });

  it("flushes at once and says whether the server has it", async () => {
    const session = open();
    type(session, "x");
    await expect(session.flush()).resolves.toBe(true);
    type(session, "y");
    server.failBefore = offline;
    await expect(session.flush()).resolves.toBe(false);
  });
});

describe("when saving fails", () => {
  it("says offline, keeps the draft and tries again later and later", async () => {
    const session = open();
    server.failBefore = offline;
    type(session, "x");
    await pass(saveTimes.pause);
    expect(kind(session)).toBe("offline");
    expect(session.state.get().kept).toBe(true);
    expect(drafts.drafts.get(id)?.text).toBe("x");
    await pass(saveTimes.firstRetry);
    await pass(saveTimes.firstRetry * 2);
    expect(server.log.length).toBe(3);
    server.failBefore = null;
    await pass(saveTimes.firstRetry * 4);
    expect(kind(session)).toBe("saved");
    expect(drafts.drafts.size).toBe(0);
  });

  it("tries at once when told to", async () => {
    const session = open();
    server.failBefore = offline;
    type(session, "x");
    await pass(saveTimes.pause);
    server.failBefore = null;
    session.retry();
    await pass(0);
    expect(kind(session)).toBe("saved");
  });

  it("does not repeat what the server refuses until something changes", async () => {
    const session = open();
    server.failBefore = () =>
      new Problem({ status: 422, code: "notes.validation", message: "Too long" });
    type(session, "x".repeat(10));
    await pass(saveTimes.pause);
    expect(kind(session)).toBe("refused");
    await pass(10 * saveTimes.longestRetry);
    expect(server.log.length).toBe(1);
    server.failBefore = null;
    type(session, "x");
    await pass(saveTimes.pause);
    expect(kind(session)).toBe("saved");
  });

  it("waits for a plugin that is switched off", async () => {
    const session = open();
    server.failBefore = () => new Problem({ status: 404, code: "plugins.not_active", message: "" });
    type(session, "x");
    await pass(saveTimes.pause);
    expect(kind(session)).toBe("failed");
    server.failBefore = null;
    await pass(saveTimes.firstRetry);
    expect(kind(session)).toBe("saved");
  });

  it("says when the browser keeps nothing", async () => {
    const session = open();
    drafts.broken = true;
    server.failBefore = offline;
    type(session, "x");
    await pass(saveTimes.pause);
    expect(session.state.get()).toMatchObject({ kept: false, status: { kind: "offline" } });
  });

  it("takes a lost answer for no conflict with itself", async () => {
    const session = open();
    server.failAfter = offline;
    type(session, "first");
    await pass(saveTimes.pause);
    expect(server.notes.get(id)?.version).toBe(2);
    server.failAfter = null;
    type(session, "first second");
    await pass(saveTimes.firstRetry);
    await pass(saveTimes.pause);
    expect(server.notes.get(id)).toMatchObject({ text: "first second", version: 3 });
    expect(kind(session)).toBe("saved");
  });

  it("goes on after a new note was made and the answer lost", async () => {
    const session = new NoteSession(id, { notebook: null, tags: [] }, services());
    server.failAfter = offline;
    type(session, "new");
    await pass(saveTimes.pause);
    server.failAfter = null;
    type(session, "new note");
    await pass(saveTimes.firstRetry);
    await pass(saveTimes.pause);
    expect(server.notes.get(id)).toMatchObject({ text: "new note", version: 2 });
    expect(kind(session)).toBe("saved");
  });

  it("says that a note lies in the trash, or is gone", async () => {
    const session = open();
    server.edit(id, { deleted: "2026-01-02T00:00:00.000Z" });
    type(session, "x");
    await pass(saveTimes.pause);
    expect(kind(session)).toBe("trashed");
    server.notes.delete(id);
    const other = new NoteSession(id, noteOf({ id, text: "" }), services());
    type(other, "x");
    await pass(saveTimes.pause);
    expect(kind(other)).toBe("gone");
    expect(drafts.drafts.get(id)?.text).toBe("x");
  });
});

describe("a conflict", () => {
  async function conflict(): Promise<NoteSession> {
    const session = open("base", "Title");
    server.edit(id, { text: "theirs" });
    type(session, "mine");
    await pass(saveTimes.pause);
    expect(session.state.get().status).toMatchObject({
      kind: "conflict",
      theirs: { text: "theirs", version: 2 },
    });
    return session;
  }

  it("sends nothing more and changes nothing", async () => {
    const session = await conflict();
    type(session, "mine, more");
    await pass(10 * saveTimes.longestRetry);
    await session.flush();
    expect(server.log.length).toBe(1);
    expect(server.notes.get(id)?.text).toBe("theirs");
    expect(drafts.drafts.get(id)?.text).toBe("mine, more");
  });

  it("keeps mine when told", async () => {
    const session = await conflict();
    session.resolve({ title: "Title", text: session.text });
    await pass(0);
    expect(server.notes.get(id)).toMatchObject({ text: "mine", version: 3 });
    expect(kind(session)).toBe("saved");
  });

  it("takes theirs when told, and hands the text to the editor", async () => {
    const session = await conflict();
    const { count } = session.state.get().given;
    session.takeTheirs();
    expect(session.text).toBe("theirs");
    expect(session.state.get().given).toEqual({ text: "theirs", count: count + 1 });
    await pass(saveTimes.longest);
    expect(server.log.length).toBe(1);
    expect(kind(session)).toBe("saved");
    expect(drafts.drafts.size).toBe(0);
  });

  it("saves a merged text", async () => {
    const session = await conflict();
    session.resolve({ title: "Title", text: "both" });
    await pass(0);
    expect(server.notes.get(id)?.text).toBe("both");
  });

  it("is told again when the server moved on meanwhile", async () => {
    const session = await conflict();
    server.edit(id, { text: "theirs again" });
    session.resolve({ title: "Title", text: session.text });
    await pass(0);
    expect(session.state.get().status).toMatchObject({
      kind: "conflict",
      theirs: { text: "theirs again" },
    });
    expect(server.notes.get(id)?.text).toBe("theirs again");
  });

  it("is none when only the title changed there and only the text here", async () => {
    const session = open("base", "Title");
    server.edit(id, { title: "Their title" });
    type(session, "mine");
    await pass(saveTimes.pause);
    await pass(saveTimes.pause);
    expect(server.notes.get(id)).toMatchObject({ title: "Their title", text: "mine" });
    expect(session.state.get()).toMatchObject({ title: "Their title", status: { kind: "saved" } });
  });

  it("is none when only the text changed there and only the title here", async () => {
    const session = open("base", "Title");
    server.edit(id, { text: "their text" });
    session.editTitle("Mine");
    session.finishTitle();
    await pass(0);
    await pass(saveTimes.pause);
    expect(server.notes.get(id)).toMatchObject({ title: "Mine", text: "their text" });
    expect(session.text).toBe("their text");
    expect(kind(session)).toBe("saved");
  });

  it("is none when both typed the same", async () => {
    const session = open("base");
    server.edit(id, { text: "same" });
    type(session, "same");
    await pass(saveTimes.pause);
    expect(kind(session)).toBe("saved");
  });
});

describe("coming and going", () => {
  it("takes a newer text of the server while nothing is typed", () => {
    const session = open("one");
    session.refresh(noteOf({ id, title: "Other", text: "two", version: 2 }));
    expect(session.text).toBe("two");
    expect(session.state.get()).toMatchObject({
      title: "Other",
      version: 2,
      given: { text: "two" },
    });
  });

  it("leaves typed text alone when the server's is newer", async () => {
    const session = open("one");
    type(session, "mine");
    session.refresh(noteOf({ id, title: "Title", text: "two", version: 2 }));
    expect(session.text).toBe("mine");
    await pass(0);
  });

  it("keeps and sends at once when the page goes", async () => {
    const session = open();
    type(session, "last words");
    session.leave();
    expect(drafts.drafts.get(id)?.text).toBe("last words");
    await pass(0);
    expect(server.notes.get(id)?.text).toBe("last words");
    expect(drafts.drafts.size).toBe(0);
  });

  it("stops all timers at its end and keeps what is not saved", async () => {
    const session = open();
    type(session, "x");
    session.end();
    expect(vi.getTimerCount()).toBe(0);
    await pass(saveTimes.longest);
    expect(server.log).toEqual([]);
    expect(drafts.drafts.get(id)?.text).toBe("x");
  });

  it("begins again from a draft and saves it", async () => {
    const first = open("one");
    server.failBefore = offline;
    type(first, "one, not saved");
    await pass(saveTimes.pause);
    first.end();
    server.failBefore = null;
    const [draft] = await drafts.all();
    const second = new NoteSession(id, draft as Draft, services());
    expect(second.text).toBe("one, not saved");
    await expect(second.flush()).resolves.toBe(true);
    expect(server.notes.get(id)?.text).toBe("one, not saved");
    expect(drafts.drafts.size).toBe(0);
  });

  it("shows a conflict for a draft whose note has moved on", async () => {
    const first = open("one");
    server.failBefore = offline;
    type(first, "mine");
    await pass(saveTimes.pause);
    first.end();
    server.failBefore = null;
    server.edit(id, { text: "theirs" });
    const [draft] = await drafts.all();
    const second = new NoteSession(id, draft as Draft, services());
    await expect(second.flush()).resolves.toBe(false);
    expect(second.state.get().status).toMatchObject({
      kind: "conflict",
      theirs: { text: "theirs" },
    });
    expect(server.notes.get(id)?.text).toBe("theirs");
  });

  it("makes a new note only when something is written", async () => {
    const session = new NoteSession(id, { notebook: "n1", tags: ["work"] }, services());
    await pass(saveTimes.longest);
    expect(server.log).toEqual([]);
    type(session, "hello");
    await pass(saveTimes.pause);
    expect(server.notes.get(id)).toMatchObject({ notebook: "n1", tags: ["work"], text: "hello" });
    expect(session.state.get().version).toBe(1);
  });
});

describe("the draft store", () => {
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

  beforeEach(() => vi.useRealTimers());

  it("gives back what was put, for its user only", async () => {
    const factory = new IDBFactory();
    const store = createDraftStore({ factory, lastMoment: storage() });
    await store.put(draft());
    await store.put(draft({ user: "u2", text: "secret" }));
    const again = createDraftStore({ factory, lastMoment: storage() });
    expect((await again.all("u1")).map(({ text }) => text)).toEqual(["kept"]);
  });

  it("takes the newer of the last moment and the database", async () => {
    const store = createDraftStore({ factory: new IDBFactory(), lastMoment: storage() });
    await store.put(draft());
    expect(store.putNow(draft({ text: "last", changed: 2 }))).toBe(true);
    expect((await store.all("u1")).map(({ text }) => text)).toEqual(["last"]);
    await store.remove(draft());
    expect(await store.all("u1")).toEqual([]);
  });

  it("uses local storage without a database, and rejects without both", async () => {
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
