import { Problem } from "@tenon/ui";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Draft } from "../src/saving/draft-store.ts";
import { NoteSession } from "../src/saving/note-session.ts";
import { saveTimes } from "../src/saving/save-times.ts";
import { noteOf, offline } from "./fake-server.ts";
import { id, kind, SessionWorld, type } from "./session-world.ts";

let world: SessionWorld;
let server: SessionWorld["server"];
let drafts: SessionWorld["drafts"];
let saved: SessionWorld["saved"];

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const open = (text?: string, title?: string) => world.open(text, title);
const services = () => world.services();

beforeEach(() => {
  vi.useFakeTimers();
  world = new SessionWorld();
  ({ server, drafts, saved } = world);
});
afterEach(() => vi.useRealTimers());

describe("autosave", () => {
  it("sends nothing for an unchanged note", async () => {
    const session = open();
    await pass(60_000);
    expect(server.log).toEqual([]);
    expect(drafts.drafts.size).toBe(0);
    expect(kind(session)).toBe("saved");
  });

  it("stores a draft, saves, then removes it", async () => {
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

  it("saves within five seconds of continuous typing", async () => {
    const session = open();
    for (let step = 0; step < 20; step++) {
      type(session, `one ${step}`);
      await pass(300);
    }
    expect(server.log.length).toBe(1);
  });

  it("sends one request at a time", async () => {
    const session = open();
    let go: () => void = () => undefined;
    server.gate = new Promise((resolve) => (go = resolve));
    type(session, "a");
    await pass(saveTimes.pause);
    type(session, "ab");
    await pass(saveTimes.maxDelay);
    expect(server.log.length).toBe(1);
    expect(kind(session)).toBe("saving");
    server.gate = null;
    go();
    await pass(saveTimes.pause);
    expect(server.log).toEqual([`change ${id} v1 text`, `change ${id} v2 text`]);
    expect(server.notes.get(id)?.text).toBe("ab");
    expect(kind(session)).toBe("saved");
  });

  it("sends nothing after an undone change", async () => {
    const session = open("one");
    type(session, "one!");
    await pass(200);
    type(session, "one");
    await pass(saveTimes.pause);
    expect(server.log).toEqual([]);
    expect(kind(session)).toBe("saved");
    expect(drafts.drafts.size).toBe(0);
  });

  it("sends text without waiting for the title", async () => {
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

  it("flushes and reports whether it was saved", async () => {
    const session = open();
    type(session, "x");
    await expect(session.flush()).resolves.toBe(true);
    type(session, "y");
    server.failBefore = offline;
    await expect(session.flush()).resolves.toBe(false);
  });
});

describe("failed save", () => {
  it("keeps the draft and retries with backoff", async () => {
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

  it("retries at once on request", async () => {
    const session = open();
    server.failBefore = offline;
    type(session, "x");
    await pass(saveTimes.pause);
    server.failBefore = null;
    session.retry();
    await pass(0);
    expect(kind(session)).toBe("saved");
  });

  it("does not resend a refused change", async () => {
    const session = open();
    server.failBefore = () =>
      new Problem({ status: 422, code: "notes.validation", message: "Too long" });
    type(session, "x".repeat(10));
    await pass(saveTimes.pause);
    expect(kind(session)).toBe("refused");
    await pass(10 * saveTimes.maxRetry);
    expect(server.log.length).toBe(1);
    server.failBefore = null;
    type(session, "x");
    await pass(saveTimes.pause);
    expect(kind(session)).toBe("saved");
  });

  it("waits for a disabled plugin", async () => {
    const session = open();
    server.failBefore = () => new Problem({ status: 404, code: "plugins.not_active", message: "" });
    type(session, "x");
    await pass(saveTimes.pause);
    expect(kind(session)).toBe("failed");
    server.failBefore = null;
    await pass(saveTimes.firstRetry);
    expect(kind(session)).toBe("saved");
  });

  it("reports that the browser stores nothing", async () => {
    const session = open();
    drafts.broken = true;
    server.failBefore = offline;
    type(session, "x");
    await pass(saveTimes.pause);
    expect(session.state.get()).toMatchObject({ kept: false, status: { kind: "offline" } });
  });

  it("sees no conflict after a lost response", async () => {
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

  it("continues after a lost response to a create", async () => {
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

  it("reports a trashed or deleted note", async () => {
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

describe("session lifetime", () => {
  it("takes newer server text while idle", () => {
    const session = open("one");
    session.refresh(noteOf({ id, title: "Other", text: "two", version: 2 }));
    expect(session.text).toBe("two");
    expect(session.state.get()).toMatchObject({
      title: "Other",
      version: 2,
      given: { text: "two" },
    });
  });

  it("keeps typed text over newer server text", async () => {
    const session = open("one");
    type(session, "mine");
    session.refresh(noteOf({ id, title: "Title", text: "two", version: 2 }));
    expect(session.text).toBe("mine");
    await pass(0);
  });

  it("stores and sends when the page closes", async () => {
    const session = open();
    type(session, "last words");
    session.leave();
    expect(drafts.drafts.get(id)?.text).toBe("last words");
    await pass(0);
    expect(server.notes.get(id)?.text).toBe("last words");
    expect(drafts.drafts.size).toBe(0);
  });

  it("stops timers and keeps unsaved text", async () => {
    const session = open();
    type(session, "x");
    session.end();
    expect(vi.getTimerCount()).toBe(0);
    await pass(saveTimes.maxDelay);
    expect(server.log).toEqual([]);
    expect(drafts.drafts.get(id)?.text).toBe("x");
  });

  it("resumes from a draft and saves it", async () => {
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

  it("shows a conflict for an outdated draft", async () => {
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

  it("creates a note only when text is written", async () => {
    const session = new NoteSession(id, { notebook: "n1", tags: ["work"] }, services());
    await pass(saveTimes.maxDelay);
    expect(server.log).toEqual([]);
    type(session, "hello");
    await pass(saveTimes.pause);
    expect(server.notes.get(id)).toMatchObject({ notebook: "n1", tags: ["work"], text: "hello" });
    expect(session.state.get().version).toBe(1);
  });
});
