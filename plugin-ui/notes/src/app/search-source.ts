import type { SearchSource } from "@tenon/host";
import { plainSegments } from "@tenon/ui";
import { notePath } from "../model/location.ts";
import { notesApi } from "../model/notes-api.ts";
import { pathText } from "../model/notebook-tree.ts";
import type { Notebook, SearchResult, Segment } from "../model/types.ts";

const maxHits = 6;
/** Milliseconds that the names of notebooks are used without reading them again. */
const maxNamesAge = 30_000;

const joined = (segments: readonly Segment[]) => segments.map(({ text }) => text).join("");

let names: { readAt: number; items: readonly Notebook[] } | null = null;

/** The notebooks; those that were read a moment ago, if they have all ids. */
async function notebooksWith(ids: readonly string[], signal: AbortSignal) {
  const isKnown = (id: string) => names?.items.some((notebook) => notebook.id === id);
  if (ids.length === 0) return [];
  if (!names || Date.now() - names.readAt > maxNamesAge || !ids.every(isKnown)) {
    const { items } = await notesApi.notebooks({ signal });
    names = { readAt: Date.now(), items };
  }
  return names.items;
}

/** The text around the match. The beginning of the note, if only its title or its front matter matches. */
function snippetOf({ note, snippet }: SearchResult, title: string): string {
  const at = snippet.segments.findIndex(({ match }) => match);
  const before = joined(snippet.segments.slice(0, at));
  const isInFrontMatter = /^\uFEFF?---\s/.test(before) && !/\n---\s/.test(before);
  if (at < 0 || isInFrontMatter) return note.excerpt;
  const text = joined(plainSegments(snippet.segments));
  // The heading of a note is its title: once is enough.
  return text.startsWith(`${title} `) ? text.slice(title.length + 1) : text;
}

/** Returns notes for the shell's palette. */
export const searchNotes: SearchSource = async (query, { signal }) => {
  const { items } = await notesApi.search(query, { limit: maxHits }, { signal });
  const notebookIds = items.flatMap(({ note }) => note.notebook ?? []);
  // A note is found without the name of its notebook, too.
  const notebooks = await notebooksWith(notebookIds, signal).catch(() => []);
  return items.map((result) => {
    const title = joined(result.title.segments);
    return {
      id: result.note.id,
      title: title || "Untitled",
      path: notePath(result.note.id),
      context: pathText(notebooks, result.note.notebook) || undefined,
      snippet: snippetOf(result, title) || undefined,
    };
  });
};
