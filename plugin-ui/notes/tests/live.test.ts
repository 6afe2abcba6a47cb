import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LiveNotes, pause } from "../src/app/use-live.ts";
import { noteQuery } from "../src/model/queries.ts";
import { belongs } from "../src/model/rows.ts";
import { noteOf } from "./fake-server.ts";

describe("note events", () => {
  let client: QueryClient;
  let live: LiveNotes;
  let asked: string[];

  beforeEach(() => {
    vi.useFakeTimers();
    client = new QueryClient();
    asked = [];
    vi.spyOn(client, "invalidateQueries").mockImplementation((filters) => {
      asked.push((filters?.queryKey ?? []).join(" "));
      return Promise.resolve();
    });
    live = new LiveNotes(client);
  });
  afterEach(() => {
    live.end();
    vi.useRealTimers();
  });

  const update = (id: string, version: number) =>
    live.take({ action: "update", id, record: { version } });

  it("are read in batches", () => {
    client.setQueryData(noteQuery("a").queryKey, noteOf({ id: "a", version: 1 }));
    for (let version = 2; version < 50; version++) update("a", version);
    expect(asked).toEqual([]);
    vi.advanceTimersByTime(pause);
    expect(asked).toEqual(["notes note a", "notes list", "notes search"]);
  });

  it("are throttled", () => {
    update("a", 2);
    vi.advanceTimersByTime(pause);
    asked.length = 0;
    update("a", 3);
    vi.advanceTimersByTime(pause / 4);
    expect(asked).toEqual([]);
    vi.advanceTimersByTime(pause);
    expect(asked).toContain("notes note a");
  });

  it("refresh counts only when they can change", () => {
    client.setQueryData(noteQuery("a").queryKey, noteOf({ id: "a", version: 3 }));
    for (const take of [
      () => live.take({ action: "create", id: "b", record: { version: 1 } }),
      () => live.take({ action: "delete", id: "b" }),
      () => update("a", 3),
    ]) {
      asked.length = 0;
      take();
      vi.advanceTimersByTime(2 * pause);
      expect(asked).toContain("notes notebooks");
    }
  });

  it("refetch everything after missed events", () => {
    live.take({ action: "resync" });
    expect(asked).toEqual(["notes"]);
  });

  it("are ignored after the end", () => {
    update("a", 2);
    live.end();
    vi.advanceTimersByTime(2 * pause);
    expect(asked).toEqual([]);
  });
});

it("treat foreign notes as shared, not unfiled", () => {
  const theirs = noteOf({ id: "a", access: "writer", shared: true });
  const mine = noteOf({ id: "b", shared: true });
  expect([belongs({ kind: "shared" }, theirs), belongs({ kind: "shared" }, mine)]).toEqual([
    true,
    false,
  ]);
  expect([belongs({ kind: "unfiled" }, theirs), belongs({ kind: "unfiled" }, mine)]).toEqual([
    false,
    true,
  ]);
});
