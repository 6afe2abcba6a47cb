import { QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { editNote } from "../src/model/note-changes.ts";
import type { NoteChange } from "../src/model/notes-api.ts";
import { noteQuery } from "../src/model/queries.ts";
import type { Note, SavedNote } from "../src/model/types.ts";
import { noteOf } from "./fake-server.ts";

const id = "n1";
const { queryKey } = noteQuery(id);
const adding = (tag: string) => (note: { tags: readonly string[] }) => ({
  tags: [...note.tags, tag],
});

/** A server that sends its responses one by one, on request. */
function server(tags: readonly string[]) {
  let kept = noteOf({ id, tags });
  const waiting: (() => void)[] = [];
  const send = vi.fn(
    (_: string, change: NoteChange) =>
      new Promise<SavedNote>((resolve) => {
        waiting.push(() => resolve((kept = { ...kept, ...change } as Note)));
      }),
  );
  const respond = async () => {
    await vi.waitFor(() => expect(waiting.length).toBeGreaterThan(0));
    waiting.shift()?.();
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { send, respond, tags: () => kept.tags };
}

function memory(tags: readonly string[]) {
  const client = new QueryClient();
  const note = noteOf({ id, tags });
  client.setQueryData(queryKey, note);
  return { client, note, shown: () => client.getQueryData(queryKey)?.tags };
}

it("shows overlapping changes at once", async () => {
  const { send, respond, tags } = server(["a"]);
  const { client, note, shown } = memory(["a"]);
  const first = editNote(client, note, adding("b"), send);
  await vi.waitFor(() => expect(shown()).toEqual(["a", "b"]));
  const second = editNote(client, note, adding("c"), send);
  await vi.waitFor(() => expect(shown()).toEqual(["a", "b", "c"]));
  await respond();
  expect(shown()).toEqual(["a", "b", "c"]);
  await respond();
  await Promise.all([first, second]);
  expect(tags()).toEqual(["a", "b", "c"]);
  expect(send).toHaveBeenCalledTimes(2);
});

it("keeps a change despite an older read", async () => {
  const { send, respond, tags } = server(["a"]);
  const { client, note, shown } = memory(["a"]);
  let late: (note: Note) => void = () => undefined;
  const reading = client
    .fetchQuery({ queryKey, queryFn: () => new Promise<Note>((resolve) => (late = resolve)) })
    .catch(() => undefined);
  const first = editNote(client, note, adding("b"), send);
  await respond();
  late(noteOf({ id, tags: ["a"] }));
  await reading;
  await first;
  expect(shown()).toEqual(["a", "b"]);
  const second = editNote(client, note, adding("c"), send);
  await respond();
  await second;
  expect(tags()).toEqual(["a", "b", "c"]);
});

it("builds on the response, not on other reads", async () => {
  const { send, respond, tags } = server(["a"]);
  const { client, note } = memory(["a"]);
  const first = editNote(client, note, adding("b"), send);
  await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(1));
  client.setQueryData(queryKey, note);
  const second = editNote(client, note, adding("c"), send);
  await respond();
  await respond();
  await Promise.all([first, second]);
  expect(tags()).toEqual(["a", "b", "c"]);
});

it("rejects a refused change and continues", async () => {
  const { send, respond, tags } = server(["a"]);
  const { client, note } = memory(["a"]);
  send.mockRejectedValueOnce(new Error("refused"));
  const first = editNote(client, note, adding("b"), send);
  const second = editNote(client, note, () => ({ pinned: true }), send);
  await expect(first).rejects.toThrow("refused");
  await respond();
  await second;
  expect(tags()).toEqual(["a"]);
  expect(client.getQueryData(queryKey)?.pinned).toBe(true);
});
