import { createStore, type PluginContext, type Store } from "@tenon/host";
import { Problem } from "@tenon/ui";
import { notesApi, type NotesApi } from "../model/notes-api.ts";
import type { Note, SavedNote } from "../model/types.ts";
import { createDraftStore, type Creation, type Draft, type DraftStore } from "./draft-store.ts";
import { NoteSession, type SessionServices } from "./note-session.ts";
import { joinWindows, type WindowPresence } from "./window-presence.ts";

/** A note whose draft needs a person. */
export interface Unresolved {
  note: string;
  title: string;
}

export interface SavingOptions {
  user: string;
  api?: Pick<NotesApi, "change" | "create" | "note">;
  drafts?: DraftStore;
  presence?: WindowPresence;
}

/** Every note that is edited in this window, and the drafts that earlier windows have left. */
export class Saving {
  /** Drafts that could not be saved by themselves. */
  readonly unresolved: Store<readonly Unresolved[]> = createStore<readonly Unresolved[]>([]);
  private readonly user: string;
  private readonly api;
  private readonly drafts: DraftStore;
  private readonly presence: WindowPresence;
  private readonly sessions = new Map<string, NoteSession>();
  private readonly held = new Map<string, number>();
  private readonly savedListeners = new Set<(note: SavedNote) => void>();
  private readonly cleanUp: (() => void)[] = [];
  private ended = false;

  constructor({ user, api = notesApi, drafts, presence }: SavingOptions) {
    this.user = user;
    this.api = api;
    this.drafts = drafts ?? createDraftStore();
    this.presence = presence ?? joinWindows();
    this.listen();
  }

  private listen(): void {
    const on = (target: EventTarget, type: string, listener: () => void) => {
      target.addEventListener(type, listener);
      this.cleanUp.push(() => target.removeEventListener(type, listener));
    };
    const each = (act: (session: NoteSession) => void) => () => this.sessions.forEach(act);
    on(
      window,
      "pagehide",
      each((session) => session.leave()),
    );
    on(
      window,
      "online",
      each((session) => session.retry()),
    );
    on(document, "visibilitychange", () => {
      if (document.hidden) each((session) => void session.flush())();
    });
  }

  /** Calls `listener` for every response of the server that holds a note. */
  onSaved(listener: (note: SavedNote) => void): () => void {
    this.savedListeners.add(listener);
    return () => this.savedListeners.delete(listener);
  }

  private async servicesFor(): Promise<SessionServices> {
    return {
      user: this.user,
      window: await this.presence.id,
      drafts: this.drafts,
      change: (id, change, version, options) => this.api.change(id, change, version, options),
      create: (note, options) => this.api.create(note, options),
      load: (id) => this.api.note(id),
      onSaved: (note) => {
        for (const listener of [...this.savedListeners]) listener(note);
      },
    };
  }

  /** The session of a note, when it is edited in this window. */
  find(id: string): NoteSession | undefined {
    return this.sessions.get(id);
  }

  /**
   * Opens a note for editing, with what an earlier window left unsaved. `start` is what the server holds, or what a
   * new note is begun with. Call `release` when it is not shown any more.
   */
  async open(id: string, start: Note | Creation): Promise<NoteSession> {
    const existing = this.sessions.get(id);
    if (existing) {
      this.hold(id);
      if ("version" in start) existing.refresh(start);
      return existing;
    }
    const services = await this.servicesFor();
    const draft = (await this.orphans()).findLast(({ note }) => note === id);
    const concurrent = this.sessions.get(id);
    if (concurrent) {
      this.hold(id);
      return concurrent;
    }
    const session = draft
      ? await this.adopt(draft, services)
      : new NoteSession(id, start, services);
    this.sessions.set(id, session);
    this.hold(id);
    if (draft) void session.flush();
    return session;
  }

  /** Whether an earlier window left something of this note unsaved. */
  async hasDraft(id: string): Promise<boolean> {
    return (await this.orphans()).some(({ note }) => note === id);
  }

  private hold(id: string): void {
    this.held.set(id, (this.held.get(id) ?? 0) + 1);
  }

  /** The note is not shown any more; it is saved all the same. */
  release(session: NoteSession): void {
    const { id } = session;
    this.held.set(id, (this.held.get(id) ?? 1) - 1);
    if (this.ended) return;
    void session.flush().then(() => this.forgetComplete(session));
  }

  private forgetComplete(session: NoteSession): void {
    const { id } = session;
    if ((this.held.get(id) ?? 0) > 0 || this.sessions.get(id) !== session) return;
    if (session.isComplete) {
      session.end();
      this.sessions.delete(id);
      this.held.delete(id);
      return;
    }
    const stop = session.state.subscribe(() => {
      if (!session.isComplete && !this.ended) return;
      stop();
      this.forgetComplete(session);
    });
  }

  /** The note is gone, and nothing of it shall be kept. */
  forget(id: string): void {
    const session = this.sessions.get(id);
    session?.giveUp();
    session?.end();
    this.sessions.delete(id);
    this.unresolved.set((all) => all.filter(({ note }) => note !== id));
  }

  /** Drafts of windows that live no more, the oldest first. */
  private async orphans(): Promise<Draft[]> {
    const [drafts, active, self] = await Promise.all([
      this.drafts.all(this.user),
      this.presence.activeWindows(),
      this.presence.id,
    ]);
    return drafts.filter(({ note, window }) =>
      window === self ? !this.sessions.has(note) : !active.has(window),
    );
  }

  /** Makes a draft this window's own. */
  private async adopt(draft: Draft, services: SessionServices): Promise<NoteSession> {
    const own = { ...draft, window: services.window };
    if (draft.window !== services.window) {
      await this.drafts.put(own);
      await this.drafts.remove(draft);
    }
    return new NoteSession(draft.note, own, services);
  }

  /**
   * Saves what earlier windows left. Returns the titles of the notes that were saved; those that the server has
   * changed since become `unresolved`.
   */
  async recover(): Promise<string[]> {
    const services = await this.servicesFor();
    const saved: string[] = [];
    for (const draft of await this.orphans()) {
      if (this.ended || this.sessions.has(draft.note)) continue;
      if (await this.isKnown(draft)) {
        await this.drafts.remove(draft);
        continue;
      }
      if (this.ended || this.sessions.has(draft.note)) continue;
      const session = await this.adopt(draft, services);
      this.sessions.set(draft.note, session);
      if (await session.flush()) saved.push(session.state.get().title);
      else this.watch(session);
      this.forgetComplete(session);
    }
    return saved;
  }

  private async isKnown({ note, title, text }: Draft): Promise<boolean> {
    try {
      const current = await this.api.note(note);
      return current.title === title && current.text === text;
    } catch (error) {
      // Never made and nothing in it: nothing to keep.
      return error instanceof Problem && error.status === 404 && title === "" && text.trim() === "";
    }
  }

  private watch(session: NoteSession): void {
    const { id: note } = session;
    const update = () => {
      const { status, title } = session.state.get();
      const needsChoice = ["conflict", "trashed", "gone", "refused"].includes(status.kind);
      this.unresolved.set((all) => {
        const others = all.filter((other) => other.note !== note);
        return needsChoice ? [...others, { note, title }] : others;
      });
    };
    update();
    this.cleanUp.push(session.state.subscribe(update));
  }

  /** Stops all timers. What is not saved stays kept in this browser. */
  end(): void {
    this.ended = true;
    this.cleanUp.splice(0).forEach((dispose) => dispose());
    this.sessions.forEach((session) => session.end());
    this.sessions.clear();
    this.presence.end();
    if (current === this) current = null;
  }
}

let current: Saving | null = null;

/** The window's one `Saving`, which ends with the plugin. */
export function savingFor(context: PluginContext): Saving {
  if (current) return current;
  const saving = new Saving({ user: context.session.get().user?.id ?? "" });
  current = saving;
  context.onDispose(() => saving.end());
  return saving;
}
