import type { SearchSource } from "@tenon/host";
import { notePath } from "../model/place.ts";
import { notesApi } from "../model/notes-api.ts";
import type { Segment } from "../model/types.ts";

const most = 6;

const plain = (segments: readonly Segment[]) => segments.map(({ text }) => text).join("");

/** Answers the shell's palette. */
export const searchNotes: SearchSource = async (query, { signal }) => {
  const { items } = await notesApi.search(query, { limit: most }, { signal });
  return items.map(({ note, title, snippet }) => ({
    id: note.id,
    title: plain(title.segments) || "Untitled",
    path: notePath(note.id),
    snippet: plain(snippet.segments),
  }));
};
