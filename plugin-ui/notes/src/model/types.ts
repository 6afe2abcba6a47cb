/** The shapes of `plugins/notes/README.md`. */

export interface Person {
  id: string;
  /** Empty when the user is gone. */
  name: string;
}

/** Access of a person to a note or notebook. */
export type Access = "reader" | "writer" | "owner";

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
  access: Access;
  /** Others may see it too. */
  shared: boolean;
}

/** A file of a note. */
export interface Attachment {
  id: string;
  /** Its destination in the text, as in a link. */
  target: string;
  name: string;
  /** Media type of an image; empty for all else. */
  type: string;
  bytes: number;
  width: number | null;
  height: number | null;
  created: string;
}

/** Another person who may read or write. */
export interface Share {
  kind: "user" | "group" | "everyone";
  id: string | null;
  level: "reader" | "writer";
}

export interface Shares {
  owner: Person | null;
  /** Whether this person decides. */
  mine: boolean;
  shares: readonly Share[];
  /** By the notebooks around. */
  inherited: readonly (Share & { notebook: { id: string; name: string } })[];
}

/** A distinct link of a text; `note` is null while it leads nowhere. */
export interface NoteLink {
  kind: "title" | "path";
  /** As written in the text. */
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
  attachments: readonly Attachment[];
}

/** The response to a PATCH. */
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
  /** Null if it belongs to everyone. */
  owner: Person | null;
  access: Access;
  shared: boolean;
}

export interface NotebookList {
  items: readonly Notebook[];
  totals: Totals;
}

export interface Totals {
  notes: number;
  /** One's own in no notebook. */
  unfiled: number;
  pinned: number;
  /** Made by others. */
  shared: number;
  trash: number;
  /** Those of the trash that one may delete for ever. */
  trash_own: number;
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
  /** Bytes of a file, and files of a note. */
  file: 268_435_456,
  files: 200,
  shares: 100,
} as const;
