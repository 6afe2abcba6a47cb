import type { Draft, DraftStore } from "../src/saving/draft-store.ts";
import { NoteSession, type SessionServices } from "../src/saving/note-session.ts";
import { FakeServer, noteOf } from "./fake-server.ts";

export const id = "0192a000-0000-7000-8000-000000000001";

/** Drafts of a browser that keeps them in memory, and nothing when it is `broken`. */
export class MemoryDrafts implements DraftStore {
  readonly drafts = new Map<string, Draft>();
  broken = false;
  put(draft: Draft): Promise<void> {
    if (this.broken) return Promise.reject(new Error("full"));
    this.drafts.set(draft.note, structuredClone(draft));
    return Promise.resolve();
  }
  putNow(draft: Draft): boolean {
    if (this.broken) return false;
    this.drafts.set(draft.note, structuredClone(draft));
    return true;
  }
  remove({ note }: Pick<Draft, "note">): Promise<void> {
    this.drafts.delete(note);
    return Promise.resolve();
  }
  all(): Promise<Draft[]> {
    return Promise.resolve([...this.drafts.values()]);
  }
}

/** A server with one note, a browser, and sessions with the note. */
export class SessionWorld {
  readonly server = new FakeServer();
  readonly drafts = new MemoryDrafts();
  /** Versions that sessions have saved. */
  readonly saved: number[] = [];

  services(): SessionServices {
    return {
      user: "u1",
      window: "w1",
      drafts: this.drafts,
      change: this.server.change,
      create: this.server.create,
      load: this.server.note,
      onSaved: (note) => this.saved.push(note.version),
    };
  }

  open(text = "one", title = "Title"): NoteSession {
    const note = noteOf({ id, title, text });
    this.server.notes.set(id, note);
    return new NoteSession(id, note, this.services());
  }
}

export const kind = (session: NoteSession) => session.state.get().status.kind;
export const type = (session: NoteSession, text: string) => session.editText(() => text);
