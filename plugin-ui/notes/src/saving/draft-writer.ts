import type { Draft, DraftStore } from "./draft-store.ts";
import { saveTimes } from "./save-times.ts";

export interface DraftWriterOptions {
  drafts: DraftStore;
  /** Returns the draft to keep now; `null` when everything is saved. */
  draft(): Draft | null;
  /** Whether the browser kept it. */
  onKept(kept: boolean): void;
}

/** Writes the draft of one note, soon after each change. */
export class DraftWriter {
  private readonly options: DraftWriterOptions;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Identity of the draft that may be stored. */
  private stored: Pick<Draft, "user" | "note" | "window"> | null;

  constructor(options: DraftWriterOptions, stored: Draft | null) {
    this.options = options;
    this.stored = stored;
  }

  /** `size` is about how long the text is: a long one is not copied at each letter. */
  soon(size: number): void {
    const pause = size > saveTimes.longText ? saveTimes.draftOfLong : saveTimes.draft;
    this.timer ??= setTimeout(() => void this.keep(), pause);
  }

  async keep(): Promise<void> {
    this.stop();
    const draft = this.options.draft();
    if (!draft) return;
    this.stored = draft;
    try {
      await this.options.drafts.put(draft);
      this.options.onKept(true);
    } catch {
      this.options.onKept(false);
    }
  }

  /** Without waiting, for a page that goes away. */
  keepNow(): void {
    const draft = this.options.draft();
    if (!draft) return;
    this.stored = draft;
    this.options.drafts.putNow(draft);
    void this.keep();
  }

  /** The server has it. */
  drop(): void {
    this.stop();
    if (!this.stored) return;
    void this.options.drafts.remove(this.stored);
    this.stored = null;
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
