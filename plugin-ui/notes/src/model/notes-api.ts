import { clientFor, type ListPage } from "@tenon/ui";
import { canSort, type Sort, type View } from "./location.ts";
import type {
  Attachment,
  Note,
  Notebook,
  NotebookList,
  NoteRow,
  Revision,
  RevisionText,
  SavedNote,
  SearchResult,
  Share,
  Shares,
  Suggestion,
  Tag,
} from "./types.ts";

const client = clientFor("/api/notes");

export interface NewNote {
  id: string;
  notebook?: string | null;
  title?: string;
  text?: string;
  tags?: readonly string[];
  pinned?: boolean;
}

export interface NoteChange {
  title?: string;
  text?: string;
  notebook?: string | null;
  pinned?: boolean;
  tags?: readonly string[];
}

interface Options {
  signal?: AbortSignal;
  keepalive?: boolean;
}

const tag = (version: number) => `"${version}"`;

function viewQuery(view: View, sort: Sort) {
  const order = canSort(view) && sort === "title" ? { sort } : {};
  switch (view.kind) {
    case "notebook":
      return { view: "all", notebook: view.id, ...order };
    case "tag":
      return { view: "all", tag: view.name, ...order };
    case "unfiled":
      return { view: "all", notebook: "none", ...order };
    default:
      return { view: view.kind, ...order };
  }
}

/** The routes of the notes plugin. */
export const notesApi = {
  url: client.url,

  list: (view: View, sort: Sort, cursor: string | null, { signal }: Options = {}) =>
    client.get<ListPage<NoteRow>>("notes", { query: { ...viewQuery(view, sort), cursor }, signal }),
  note: (id: string, { signal }: Options = {}) => client.get<Note>(`notes/${id}`, { signal }),
  create: (note: NewNote, { keepalive }: Options = {}) =>
    client.post<Note>("notes", note, { keepalive }),
  /** `version` is needed with a title or a text: the one that the change was made from. */
  change: (id: string, change: NoteChange, version?: number, { keepalive }: Options = {}) =>
    client.patch<SavedNote>(`notes/${id}`, change, {
      ifMatch: version === undefined ? undefined : tag(version),
      keepalive,
    }),
  trash: (id: string) => client.delete(`notes/${id}`),
  deleteForever: (id: string) => client.delete(`notes/${id}`, { query: { forever: true } }),
  restore: (id: string) => client.post<Note>(`notes/${id}/restore`),
  emptyTrash: () => client.delete<{ deleted: number; left: number }>("trash"),

  revisions: (id: string, cursor: string | null, { signal }: Options = {}) =>
    client.get<ListPage<Revision>>(`notes/${id}/revisions`, {
      query: { cursor, limit: 50 },
      signal,
    }),
  revision: (id: string, revision: string, { signal }: Options = {}) =>
    client.get<RevisionText>(`notes/${id}/revisions/${revision}`, { signal }),
  restoreRevision: (id: string, revision: string, version: number) =>
    client.post<SavedNote>(`notes/${id}/revisions/${revision}/restore`, undefined, {
      ifMatch: tag(version),
    }),

  attach: (
    id: string,
    file: {
      id: string;
      blob: string;
      target: string;
      name: string;
      width: number | null;
      height: number | null;
    },
  ) => client.post<Attachment>(`notes/${id}/attachments`, file),
  detach: (attachment: string) => client.delete(`attachments/${attachment}`),
  fileUrl: (attachment: string, save = false) =>
    client.url(`attachments/${attachment}`, save ? { save } : {}),

  shares: (kind: "notes" | "notebooks", id: string, { signal }: Options = {}) =>
    client.get<Shares>(`${kind}/${id}/shares`, { signal }),
  share: (kind: "notes" | "notebooks", id: string, shares: readonly Share[]) =>
    client.put<Shares>(`${kind}/${id}/shares`, { shares }),

  notebooks: ({ signal }: Options = {}) => client.get<NotebookList>("notebooks", { signal }),
  createNotebook: (notebook: { id: string; name: string; parent?: string | null }) =>
    client.post<Notebook>("notebooks", notebook),
  changeNotebook: (
    id: string,
    change: { name?: string; parent?: string | null; before?: string | null },
  ) => client.patch<Notebook>(`notebooks/${id}`, change),
  deleteNotebook: (id: string) => client.delete<{ trashed: number }>(`notebooks/${id}`),

  tags: ({ signal }: Options = {}) => client.get<ListPage<Tag>>("tags", { signal }),
  renameTag: (id: string, name: string, merge: boolean) =>
    client.patch<Tag>(`tags/${id}`, merge ? { name, merge } : { name }),
  deleteTag: (id: string) => client.delete(`tags/${id}`),

  search: (
    q: string,
    query: { tag?: string; cursor?: string | null; limit?: number },
    { signal }: Options = {},
  ) => client.get<ListPage<SearchResult>>("search", { query: { q, ...query }, signal }),
  suggest: (q: string, query: { except?: string; limit?: number } = {}, { signal }: Options = {}) =>
    client.get<{ items: readonly Suggestion[] }>("suggest", { query: { q, ...query }, signal }),
};

export type NotesApi = typeof notesApi;
