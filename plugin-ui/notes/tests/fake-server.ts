import { Problem } from "@tenon/ui";
import type { NewNote, NoteChange } from "../src/model/notes-api.ts";
import type { Note } from "../src/model/types.ts";

const person = { id: "u1", name: "Ada" };

export function noteOf(part: Partial<Note> & { id: string }): Note {
  return {
    notebook: null,
    title: "",
    text: "",
    excerpt: "",
    version: 1,
    pinned: false,
    tags: [],
    file: "note.md",
    created: "2026-01-01T00:00:00.000Z",
    updated: "2026-01-01T00:00:00.000Z",
    deleted: null,
    trashed_from: null,
    author: person,
    editor: person,
    links: [],
    backlinks: [],
    backlinks_more: false,
    attachments: [],
    access: "owner",
    shared: false,
    ...part,
  };
}

const problem = (status: number, code: string, body: Record<string, unknown> = {}) =>
  new Problem({ status, code, message: code, body });

export const offline = () => problem(0, "client.offline");

/** Keeps notes as `plugins/notes/README.md` says, and fails on request. */
export class FakeServer {
  readonly notes = new Map<string, Note>();
  /** Requests that came in. */
  readonly log: string[] = [];
  /** Before the next request is handled: the request is lost. */
  failBefore: (() => Error) | null = null;
  /** After the next request was handled: the response is lost. */
  failAfter: (() => Error) | null = null;
  /** Requests wait for it. */
  gate: Promise<void> | null = null;

  private async handle<T>(what: string, run: () => T): Promise<T> {
    this.log.push(what);
    if (this.gate) await this.gate;
    else await Promise.resolve();
    const before = this.failBefore;
    if (before) throw before();
    const response = run();
    const after = this.failAfter;
    if (after) throw after();
    return structuredClone(response);
  }

  note = (id: string): Promise<Note> =>
    this.handle(`get ${id}`, () => {
      const note = this.notes.get(id);
      if (!note) throw problem(404, "notes.not_found");
      return note;
    });

  create = ({ id, ...rest }: NewNote): Promise<Note> =>
    this.handle(`create ${id}`, () => {
      const existing = this.notes.get(id);
      if (existing && (existing.text !== rest.text || existing.title !== rest.title)) {
        throw problem(409, "notes.exists");
      }
      const note = existing ?? noteOf({ id, ...rest } as Partial<Note> & { id: string });
      this.notes.set(id, note);
      return note;
    });

  change = (id: string, change: NoteChange, version?: number): Promise<Note> =>
    this.handle(`change ${id} v${version} ${Object.keys(change).sort().join(",")}`, () => {
      const note = this.notes.get(id);
      if (!note) throw problem(404, "notes.not_found");
      if (note.deleted) throw problem(409, "notes.in_trash");
      const same =
        (change.title ?? note.title) === note.title && (change.text ?? note.text) === note.text;
      if (same) return note;
      if (version !== note.version) {
        const { title, text, editor, updated } = note;
        throw problem(412, "notes.conflict", {
          current: { version: note.version, title, text, editor, updated },
        });
      }
      const next = { ...note, ...change, version: note.version + 1 } as Note;
      this.notes.set(id, next);
      return next;
    });

  /** As another person would. */
  edit(id: string, change: Partial<Note>): void {
    const note = this.notes.get(id);
    if (note) this.notes.set(id, { ...note, ...change, version: note.version + 1 });
  }
}
