import { createStore } from "@tenon/host";

/** One file of an import and what became of it. */
export interface FileReport {
  path: string;
  /** `attached`: it is a file of a note. */
  result: "created" | "unchanged" | "attached" | "skipped" | "failed";
  /** Id of the note. */
  note?: string;
  reason?: string;
}

/** `failed` waits to be resumed; `broken` cannot continue. */
export type ImportPhase = "reading" | "sending" | "done" | "cancelled" | "failed" | "broken";

/** An import that runs or has run in this window. It continues while the person goes elsewhere. */
export interface ImportState {
  phase: ImportPhase;
  /** Name of the imported folder or archive. */
  name: string;
  /** Files found so far, and whether these are all. */
  found: number;
  isComplete: boolean;
  /** How far the source is read, 0 to 1. */
  progress: number;
  reports: readonly FileReport[];
  counts: Record<FileReport["result"], number>;
  /** Why it stopped. */
  error?: unknown;
  cancel(): void;
  /** Continues where it stopped. */
  resume?(): void;
}

export const importState = createStore<ImportState | null>(null);

/** Whether it still does something, or waits to. */
export function isRunning({ phase }: Pick<ImportState, "phase">): boolean {
  return phase === "reading" || phase === "sending" || phase === "failed";
}

/** Files that are dealt with. */
export function doneOf({ counts }: Pick<ImportState, "counts">): number {
  return counts.created + counts.unchanged + counts.attached + counts.skipped + counts.failed;
}
