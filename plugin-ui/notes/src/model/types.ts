/** The shapes of `plugins/notes/README.md`. */

export interface Person {
  id: string;
  /** Empty when the user is gone. */
  name: string;
}

/** A note in a list: all but its text. */
export interface NoteRow {
  id: string;
  notebook: string | null;
  title: string;
  excerpt: string;
  /** Counts changes of title and text. */
  version: number;
  pinned: boolean;
  tags: readonly string[];
  file: string;
  created: string;
  /** Time of the last change of title or text. */
  updated: string;
  /** Set while it is in the trash. */
  deleted: string | null;
  trashed_from: string | null;
  author: Person;
  editor: Person;
}

/** A distinct link of a text; `note` is null while it leads nowhere. */
export interface NoteLink {
  kind: "title" | "path";
  /** As it stands in the text. */
  target: string;
  note: { id: string; title: string; deleted: boolean } | null;
}

export interface Backlink {
  id: string;
  title: string;
  excerpt: string;
}

export interface Note extends NoteRow {
  text: string;
  links: readonly NoteLink[];
  backlinks: readonly Backlink[];
  backlinks_more: boolean;
}

/** What a PATCH answers. */
export interface SavedNote extends Note {
  /** Linking notes that a new title has changed. */
  rewritten?: number;
  left?: number;
}

/** What the server holds when a save came too late. */
export interface CurrentNote {
  version: number;
  title: string;
  text: string;
  editor: Person;
  updated: string;
}

export interface Notebook {
  id: string;
  parent: string | null;
  name: string;
  /** Without those of the notebooks inside it. */
  notes: number;
}

export interface NotebookList {
  items: readonly Notebook[];
  totals: { notes: number; unfiled: number; pinned: number; trash: number };
}

export interface Tag {
  id: string;
  name: string;
  notes: number;
}

export interface Revision {
  id: string;
  version: number;
  title: string;
  /** Bytes. */
  size: number;
  kind: "edit" | "import" | "restore" | "rename";
  author: Person;
  created: string;
  updated: string;
}

export interface RevisionText extends Revision {
  text: string;
}

export interface Segment {
  text: string;
  match: boolean;
}

export interface SearchResult {
  note: NoteRow;
  title: { segments: readonly Segment[] };
  snippet: { segments: readonly Segment[] };
}

export interface Suggestion {
  id: string;
  title: string;
  notebook: string | null;
}

export const limits = {
  /** Bytes of UTF-8. */
  text: 786_432,
  title: 200,
  tags: 50,
  tag: 64,
  notebookName: 200,
} as const;
