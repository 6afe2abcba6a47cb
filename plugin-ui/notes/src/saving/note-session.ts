import { createStore, type ReadableStore } from "@tenon/host";
import { Problem } from "@tenon/ui";
import type { CurrentNote, Note, SavedNote } from "../model/types.ts";
import type { NewNote, NoteChange } from "../model/notes-api.ts";
import type { Base, Content, Creation, Draft, DraftStore } from "./draft-store.ts";
import { DraftWriter } from "./draft-writer.ts";
import { mergeRemote } from "./merge-remote.ts";
import { saveTimes } from "./save-times.ts";
import type { SaveStatus, SessionState } from "./session-state.ts";

export interface SessionServices {
  user: string;
  window: string;
  drafts: DraftStore;
  change(id: string, change: NoteChange, version: number, options: SendOptions): Promise<SavedNote>;
  create(note: NewNote, options: SendOptions): Promise<Note>;
  load(id: string): Promise<Note>;
  /** Runs when the server has returned the note. */
  onSaved(note: SavedNote): void;
  now?(): number;
}

interface SendOptions {
  keepalive?: boolean;
}

/** Maximum number of contents kept of requests without a response. */
const maxPending = 3;

type Timer = ReturnType<typeof setTimeout>;

/**
 * Saves one note by itself.
 *
 * 1. Every change is first kept as a draft in this browser, then sent with the version it was made from.
 * 2. One request is under way at a time; what changes meanwhile is sent next.
 * 3. When the server has a newer version, its changes and those made here are merged by lines and sent. If both
 *    changed the same lines, nothing is sent until a person has chosen.
 * 4. The draft goes when the server has confirmed the same text.
 */
export class NoteSession {
  readonly id: string;
  readonly state: ReadableStore<SessionState>;
  /** Number of changes of the text so far, by any user. */
  readonly edits: ReadableStore<number>;
  private readonly store;
  private readonly editStore = createStore(0);
  private readonly services: SessionServices;
  private base: Base;
  private creation: Creation | null;
  private title: string;
  private read: () => string;
  private pending: readonly Content[];
  private hasUnsavedMerge = false;
  private titleFinished = true;
  private firstChange = 0;
  private retries = 0;
  private running: Promise<void> | null = null;
  private saveTimer: Timer | undefined;
  private titleTimer: Timer | undefined;
  private retryTimer: Timer | undefined;
  private readonly writer: DraftWriter;
  private ended = false;

  constructor(id: string, start: Note | Draft | Creation, services: SessionServices) {
    this.id = id;
    this.services = services;
    let given: Content;
    this.pending = [];
    if ("base" in start) {
      given = start;
      this.base = start.base;
      this.creation = start.create;
      this.pending = start.unanswered;
    } else if ("version" in start) {
      given = start;
      this.base = { version: start.version, title: start.title, text: start.text };
      this.creation = null;
    } else {
      given = { title: "", text: "" };
      this.base = { version: 0, title: "", text: "" };
      this.creation = start;
    }
    this.title = given.title;
    this.read = () => given.text;
    this.store = createStore<SessionState>({
      title: given.title,
      version: this.base.version,
      status: { kind: "saved" },
      kept: true,
      mergedWith: null,
      given: { text: given.text, count: 0 },
    });
    this.state = this.store;
    this.edits = this.editStore;
    this.writer = new DraftWriter(
      {
        drafts: services.drafts,
        draft: () => (this.isDirty ? this.draft() : null),
        onKept: (kept) =>
          this.store.set((state) => (state.kept === kept ? state : { ...state, kept })),
      },
      "base" in start ? this.draft() : null,
    );
    if (this.isDirty) this.set({ kind: "edited" });
  }

  get text(): string {
    const text = this.read();
    this.read = () => text;
    return text;
  }

  get isDirty(): boolean {
    return this.title !== this.base.title || this.text !== this.base.text;
  }

  /** Nothing is under way and nothing is left to do. */
  get isComplete(): boolean {
    return !this.running && this.status.kind === "saved" && !this.isDirty;
  }

  /** The notebook and tags of a new note, while it is not on the server. */
  get begunWith(): Creation | null {
    return this.base.version === 0 ? this.creation : null;
  }

  private get status(): SaveStatus {
    return this.store.get().status;
  }

  private set(status: SaveStatus, more: Partial<SessionState> = {}): void {
    this.store.set((state) => ({ ...state, ...more, status, version: this.base.version }));
  }

  /** The text has changed; it is read when it is needed. */
  editText(read: () => string): void {
    this.read = read;
    this.editStore.set((count) => count + 1);
    this.changed();
  }

  /** The title as typed so far. `finishTitle` ends it. */
  editTitle(title: string): void {
    this.title = title;
    this.titleFinished = false;
    this.store.set((state) => ({ ...state, title }));
    clearTimeout(this.titleTimer);
    this.titleTimer = setTimeout(() => this.finishTitle(), saveTimes.title);
    this.changed();
  }

  finishTitle(): void {
    clearTimeout(this.titleTimer);
    if (this.titleFinished) return;
    this.titleFinished = true;
    if (!this.ended && this.title !== this.base.title) this.plan(0);
  }

  /** Where a note that is not on the server yet will be made. */
  begin(creation: Creation): void {
    if (this.base.version !== 0) return;
    this.creation = creation;
    if (this.isDirty) this.changed();
  }

  private changed(): void {
    if (this.ended) return;
    const now = this.now();
    this.firstChange ||= now;
    this.writer.soon(this.base.text.length);
    const { kind } = this.status;
    if (kind === "conflict" || kind === "trashed" || kind === "gone") return;
    if (kind === "saved" || kind === "refused") this.set({ kind: "edited" });
    if (kind === "offline" || kind === "failed") return;
    this.plan(Math.max(0, Math.min(saveTimes.pause, this.firstChange + saveTimes.maxDelay - now)));
  }

  private now(): number {
    return this.services.now?.() ?? Date.now();
  }

  private plan(delay: number): void {
    clearTimeout(this.saveTimer);
    this.saveTimer = setTimeout(() => void this.save(), delay);
  }

  private draft(): Draft {
    const { user, window } = this.services;
    const { id: note, base, title, text } = this;
    return {
      user,
      note,
      window,
      base,
      create: this.creation,
      unanswered: this.pending,
      title,
      text,
      changed: this.now(),
    };
  }

  /** Saves what there is now. Resolves when the server has it, or when that did not work. */
  async flush(): Promise<boolean> {
    this.titleFinished = true;
    clearTimeout(this.titleTimer);
    const { kind } = this.status;
    if (kind === "conflict" || kind === "trashed" || kind === "gone") return false;
    if (this.running) await this.running;
    if (this.isDirty) await this.save();
    return !this.isDirty && this.status.kind === "saved";
  }

  /** Tries again at once. */
  retry(): void {
    const { kind } = this.status;
    if (kind !== "offline" && kind !== "failed" && kind !== "refused") return;
    this.retries = 0;
    void this.save();
  }

  private pendingChange(): Partial<Content> | null {
    const change: Partial<Content> = {};
    if (this.title !== this.base.title && this.titleFinished) change.title = this.title;
    const { text } = this;
    if (text !== this.base.text) change.text = text;
    return change.title === undefined && change.text === undefined ? null : change;
  }

  private save(): Promise<void> {
    clearTimeout(this.saveTimer);
    clearTimeout(this.retryTimer);
    if (this.ended) return Promise.resolve();
    this.running ??= this.send().finally(() => (this.running = null));
    return this.running;
  }

  private async send(): Promise<void> {
    const change = this.pendingChange();
    if (!change) {
      if (!this.isDirty) this.complete();
      return;
    }
    this.firstChange = 0;
    const quiet = this.status.kind === "offline" || this.status.kind === "failed";
    if (!quiet) this.set({ kind: "saving" });
    try {
      this.confirm(await this.transmit(change), change);
    } catch (error) {
      const isMerged = this.failed(error);
      if (isMerged) await this.send();
    }
  }

  private async transmit(change: Partial<Content>): Promise<SavedNote> {
    const content = { title: change.title ?? this.base.title, text: change.text ?? this.base.text };
    const before = this.pending;
    this.pending = [...before.slice(1 - maxPending), content];
    // It is finished even when the page goes away meanwhile.
    const keepalive = content.text.length <= saveTimes.keepalive;
    try {
      if (this.base.version > 0) {
        return await this.services.change(this.id, change, this.base.version, { keepalive });
      }
      const { notebook = null, tags = [] } = this.creation ?? {};
      return await this.services.create({ id: this.id, notebook, tags, ...content }, { keepalive });
    } catch (error) {
      const refused = error instanceof Problem && error.status >= 400 && error.status < 500;
      if (refused) this.pending = before;
      throw error;
    }
  }

  private confirm(note: SavedNote, change: Partial<Content>): void {
    const before = this.base;
    this.base = {
      version: note.version,
      title: note.title,
      text: change.text ?? before.text,
    };
    this.pending = [];
    this.retries = 0;
    if (!this.hasUnsavedMerge) this.forgetMerge();
    this.hasUnsavedMerge = false;
    // The server may have trimmed it.
    if (change.title !== undefined && this.title === change.title) this.title = note.title;
    this.services.onSaved(note);
    this.complete();
  }

  private complete(): void {
    const dirty = this.isDirty;
    this.set(
      { kind: dirty ? "edited" : "saved" },
      { title: this.title, ...(!dirty && { kept: true }) },
    );
    if (!dirty) {
      this.firstChange = 0;
      this.writer.drop();
    } else if (!this.ended) {
      this.writer.soon(this.base.text.length);
      if (this.pendingChange()) this.plan(saveTimes.pause);
    }
  }

  /** Returns whether the change was merged with the server's and is to be sent again. */
  private failed(error: unknown): boolean {
    if (this.ended) return false;
    const problem =
      error instanceof Problem
        ? error
        : new Problem({
            status: -1,
            code: "notes.client",
            message: "Could not send the note. Reload the page.",
          });
    void this.writer.keep();
    if (problem.status === 412 && problem.body.current) {
      return this.mergeWith(problem.body.current as CurrentNote);
    } else if (problem.code === "notes.exists") {
      // An earlier attempt to create it succeeded, but its response was lost.
      void this.rebase();
    } else if (problem.code === "notes.in_trash") {
      this.set({ kind: "trashed" });
    } else if (problem.code === "notes.not_found") {
      this.set({ kind: "gone" });
    } else if (problem.status === 0) {
      this.set({ kind: "offline" });
      this.planRetry(problem);
    } else if (isForGood(problem)) {
      this.set({ kind: "refused", problem });
    } else {
      this.set({ kind: "failed", problem });
      this.planRetry(problem);
    }
    return false;
  }

  private planRetry(problem: Problem): void {
    const requested = (problem.retryAfter ?? 0) * 1_000;
    const pause = Math.min(saveTimes.firstRetry * 2 ** this.retries, saveTimes.maxRetry);
    this.retries += 1;
    clearTimeout(this.retryTimer);
    this.retryTimer = setTimeout(() => void this.save(), Math.max(requested, pause));
  }

  private async rebase(): Promise<void> {
    try {
      const note = await this.services.load(this.id);
      this.base = { version: note.version, title: note.title, text: note.text };
      this.complete();
    } catch (error) {
      this.failed(error);
    }
  }

  private mergeWith(theirs: CurrentNote): boolean {
    const here = { title: this.title, text: this.text };
    const outcome = mergeRemote(this.base, here, theirs, this.pending);
    if (outcome.kind === "conflict") {
      const { choices } = outcome;
      // Changes that do not overlap are in both choices.
      this.show(choices.mine);
      this.set({ kind: "conflict", theirs, choices }, { title: this.title });
      return false;
    }
    this.base = { version: theirs.version, title: theirs.title, text: theirs.text };
    this.pending = [];
    if (outcome.kind === "merged") {
      this.show(outcome.content);
      this.hasUnsavedMerge = this.isDirty;
      if (this.isDirty) this.store.set((state) => ({ ...state, mergedWith: theirs.editor }));
    }
    this.complete();
    return this.isDirty;
  }

  private forgetMerge(): void {
    this.store.set((state) => (state.mergedWith ? { ...state, mergedWith: null } : state));
  }

  private show({ title, text }: Content): void {
    this.title = title;
    if (text !== this.text) this.give(text);
  }

  private give(text: string): void {
    this.read = () => text;
    this.editStore.set((count) => count + 1);
    this.store.set((state) => ({ ...state, given: { text, count: state.given.count + 1 } }));
  }

  /** Takes what the server holds now, when nothing is typed here that it does not have. */
  refresh(note: Note): void {
    if (note.version <= this.base.version || this.running || this.isDirty) return;
    if (this.status.kind !== "saved") return;
    this.forgetMerge();
    const other = note.text !== this.text;
    this.base = { version: note.version, title: note.title, text: note.text };
    this.title = note.title;
    if (other) this.give(note.text);
    this.set({ kind: "saved" }, { title: note.title });
  }

  /** Ends the conflict: `text` and `title` replace what the server holds. */
  resolve({ title, text }: Content): void {
    if (this.status.kind !== "conflict") return;
    const { theirs } = this.status;
    this.base = { version: theirs.version, title: theirs.title, text: theirs.text };
    this.pending = [];
    this.title = title;
    this.titleFinished = true;
    if (text !== this.text) this.give(text);
    this.set({ kind: "edited" }, { title });
    if (this.isDirty) {
      this.changed();
      this.plan(0);
    } else {
      this.complete();
    }
  }

  /** Ends the conflict: where both changed the same lines, those typed here are dropped. */
  keepTheirs(): void {
    if (this.status.kind === "conflict") this.resolve(this.status.choices.theirs);
  }

  /** Continues saving: the note is out of the trash, or a new note will take its place. */
  resume(base?: Note): void {
    if (base) this.base = { version: base.version, title: base.title, text: base.text };
    this.set({ kind: "edited" });
    this.plan(0);
  }

  /** Replaces title and text as a person's own change, such as taking back a restore. */
  replace({ title, text }: Content): void {
    this.title = title;
    this.titleFinished = true;
    if (text !== this.text) this.give(text);
    this.store.set((state) => ({ ...state, title }));
    this.changed();
    this.plan(0);
  }

  /** Another request of this window has changed the note. */
  rebaseOn(note: Note): void {
    if (note.version <= this.base.version) return;
    this.base = { version: note.version, title: note.title, text: note.text };
    this.title = note.title;
    this.titleFinished = true;
    if (note.text !== this.text) this.give(note.text);
    this.set({ kind: "saved" }, { title: note.title });
    this.complete();
  }

  /** The page goes away, perhaps for good: keeps and sends without waiting. */
  leave(): void {
    if (this.ended || !this.isDirty) return;
    this.titleFinished = true;
    this.writer.keepNow();
    const { kind } = this.status;
    const change = this.pendingChange();
    const mayHelp =
      kind === "edited" || kind === "saving" || kind === "offline" || kind === "failed";
    if (change && mayHelp) void this.save();
  }

  /** What is typed here is not wanted any more. */
  giveUp(): void {
    this.base = { ...this.base, title: this.title, text: this.text };
    this.pending = [];
    this.complete();
  }

  /** Stops. What is not saved stays kept in this browser. */
  end(): void {
    if (this.ended) return;
    this.writer.keepNow();
    this.ended = true;
    this.writer.stop();
    for (const timer of [this.saveTimer, this.titleTimer, this.retryTimer]) clearTimeout(timer);
  }
}

/** Sending the same again cannot help. */
function isForGood({ status, code }: Problem): boolean {
  if (code === "plugins.not_active") return false;
  return (
    status === 400 ||
    status === 403 ||
    status === 409 ||
    status === 413 ||
    status === 422 ||
    status === 428
  );
}
