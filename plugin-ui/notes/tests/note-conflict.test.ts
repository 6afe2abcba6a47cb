import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { NoteSession } from "../src/saving/note-session.ts";
import { saveTimes } from "../src/saving/save-times.ts";
import { id, kind, SessionWorld, type } from "./session-world.ts";

let world: SessionWorld;
let server: SessionWorld["server"];
let drafts: SessionWorld["drafts"];

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const open = (text?: string, title?: string) => world.open(text, title);

beforeEach(() => {
  vi.useFakeTimers();
  world = new SessionWorld();
  ({ server, drafts } = world);
});
afterEach(() => vi.useRealTimers());

describe("non-overlapping changes", () => {
  const base = "one\n\ntwo\n\nthree";

  it("are merged, saved and shown in the editor", async () => {
    const session = open(base);
    const { count } = session.state.get().given;
    server.edit(id, { text: "ONE\n\ntwo\n\nthree" });
    type(session, "one\n\ntwo\n\nTHREE");
    await pass(saveTimes.pause);
    const merged = "ONE\n\ntwo\n\nTHREE";
    expect(server.log).toEqual([`change ${id} v1 text`, `change ${id} v2 text`]);
    expect(server.notes.get(id)).toMatchObject({ text: merged, version: 3 });
    expect(session.text).toBe(merged);
    expect(session.state.get()).toMatchObject({
      status: { kind: "saved" },
      version: 3,
      given: { text: merged, count: count + 1 },
      mergedWith: { name: "Ada" },
    });
    expect(drafts.drafts.size).toBe(0);
  });

  it("are reported until the next plain save", async () => {
    const session = open(base);
    server.edit(id, { text: "ONE\n\ntwo\n\nthree" });
    type(session, "one\n\ntwo\n\nTHREE");
    await pass(saveTimes.pause);
    type(session, `${session.text}!`);
    expect(session.state.get().mergedWith).not.toBeNull();
    await pass(saveTimes.pause);
    expect(server.notes.get(id)?.text).toBe("ONE\n\ntwo\n\nTHREE!");
    expect(session.state.get().mergedWith).toBeNull();
  });

  it("are merged with text typed during the request", async () => {
    const session = open(base);
    server.edit(id, { text: "ONE\n\ntwo\n\nthree" });
    let respond = () => undefined as void;
    server.gate = new Promise<void>((resolve) => (respond = resolve));
    type(session, "one\n\nTWO\n\nthree");
    await pass(saveTimes.pause);
    type(session, "one\n\nTWO\n\nTHREE");
    respond();
    await pass(0);
    expect(server.notes.get(id)?.text).toBe("ONE\n\nTWO\n\nTHREE");
    expect(kind(session)).toBe("saved");
  });

  it("are merged again after another remote change", async () => {
    const { change } = server;
    server.change = (...parameters) => {
      if (parameters[2] === 2) server.edit(id, { text: "ONE\n\nTWO\n\nthree" });
      return change(...parameters);
    };
    const session = open(base);
    server.edit(id, { text: "ONE\n\ntwo\n\nthree" });
    type(session, "one\n\ntwo\n\nTHREE");
    await pass(saveTimes.pause);
    expect(kind(session)).toBe("saved");
    expect(server.notes.get(id)).toMatchObject({ text: "ONE\n\nTWO\n\nTHREE", version: 4 });
  });

  it("are kept in both versions of a conflict", async () => {
    for (const choice of ["mine", "theirs"] as const) {
      const session = open(base);
      server.edit(id, { text: "ONE\n\ntheirs\n\nthree" });
      type(session, "one\n\nmine\n\nTHREE");
      await pass(saveTimes.pause);
      expect(kind(session)).toBe("conflict");
      expect(session.text).toBe("ONE\n\nmine\n\nTHREE");
      if (choice === "theirs") session.keepTheirs();
      else session.resolve({ title: "Title", text: session.text });
      await pass(0);
      expect(server.notes.get(id)?.text).toBe(`ONE\n\n${choice}\n\nTHREE`);
      expect(kind(session)).toBe("saved");
    }
  });
});

describe("conflict", () => {
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

  it("blocks saving and changes nothing", async () => {
    const session = await conflict();
    type(session, "mine, more");
    await pass(10 * saveTimes.maxRetry);
    await session.flush();
    expect(server.log.length).toBe(1);
    expect(server.notes.get(id)?.text).toBe("theirs");
    expect(drafts.drafts.get(id)?.text).toBe("mine, more");
  });

  it("keeps my version on request", async () => {
    const session = await conflict();
    session.resolve({ title: "Title", text: session.text });
    await pass(0);
    expect(server.notes.get(id)).toMatchObject({ text: "mine", version: 3 });
    expect(kind(session)).toBe("saved");
  });

  it("takes their version and updates the editor", async () => {
    const session = await conflict();
    const { count } = session.state.get().given;
    session.keepTheirs();
    expect(session.text).toBe("theirs");
    expect(session.state.get().given).toEqual({ text: "theirs", count: count + 1 });
    await pass(saveTimes.maxDelay);
    expect(server.log.length).toBe(1);
    expect(kind(session)).toBe("saved");
    expect(drafts.drafts.size).toBe(0);
  });

  it("saves merged text", async () => {
    const session = await conflict();
    session.resolve({ title: "Title", text: "both" });
    await pass(0);
    expect(server.notes.get(id)?.text).toBe("both");
  });

  it("is reported again after another remote change", async () => {
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

  it("is avoided if only the remote title changed", async () => {
    const session = open("base", "Title");
    server.edit(id, { title: "Their title" });
    type(session, "mine");
    await pass(saveTimes.pause);
    await pass(saveTimes.pause);
    expect(server.notes.get(id)).toMatchObject({ title: "Their title", text: "mine" });
    expect(session.state.get()).toMatchObject({ title: "Their title", status: { kind: "saved" } });
  });

  it("is avoided if only the remote text changed", async () => {
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

  it("is avoided if both typed the same", async () => {
    const session = open("base");
    server.edit(id, { text: "same" });
    type(session, "same");
    await pass(saveTimes.pause);
    expect(kind(session)).toBe("saved");
  });
});
