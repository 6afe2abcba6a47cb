import { type QueryClient } from "@tanstack/react-query";
import { notesApi, type NoteChange } from "./notes-api.ts";
import { countsChanged, noteChanged, noteQuery } from "./queries.ts";
import type { Note, NoteRow } from "./types.ts";

/** Computes a note's new notebook, pin or tags from the present ones. */
export type NoteEdit = (note: NoteRow) => Pick<NoteChange, "notebook" | "pinned" | "tags">;

interface Line {
  waiting: number;
  /** The last response of the server; null after a failure. */
  last: Promise<Note | null>;
}

const lines = new WeakMap<QueryClient, Map<string, Line>>();

function linesOf(client: QueryClient): Map<string, Line> {
  const known = lines.get(client) ?? new Map<string, Line>();
  lines.set(client, known);
  return known;
}

/**
 * Changes all of a note but its title and text: shown at once, sent one after another.
 *
 * Each is made from the response to the one before, because what is in memory may have been read
 * before that: a tag added quickly after another would remove the first one. Rejects when the
 * server refuses; what is in memory is wrong then.
 */
export async function editNote(
  client: QueryClient,
  note: NoteRow,
  edit: NoteEdit,
  send: typeof notesApi.change = notesApi.change,
): Promise<void> {
  const { queryKey } = noteQuery(note.id);
  // A read under way would restore the old value.
  await client.cancelQueries({ queryKey });
  const shown: NoteRow = client.getQueryData(queryKey) ?? note;
  noteChanged(client, { ...shown, ...edit(shown) });

  const all = linesOf(client);
  const line = all.get(note.id) ?? { waiting: 0, last: Promise.resolve(null) };
  all.set(note.id, line);
  line.waiting++;
  const before = line.last;
  const sent = (async () => send(note.id, edit((await before) ?? shown)))();
  line.last = sent.catch(() => null);
  try {
    const response = await sent;
    if (line.waiting === 1) {
      noteChanged(client, response);
      countsChanged(client);
    }
  } finally {
    if (--line.waiting === 0) all.delete(note.id);
  }
}
