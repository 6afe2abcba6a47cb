import type { Problem } from "@tenon/ui";
import type { CurrentNote, Person } from "../model/types.ts";
import type { Choices } from "./merge-remote.ts";

/**
 * The state of saving. `saved`, `edited` and `saving` follow each other; `offline` and `failed` try again; `refused` waits
 * for another change; `conflict`, `trashed` and `gone` wait for a person.
 */
export type SaveStatus =
  | { kind: "saved" | "edited" | "saving" | "offline" | "trashed" | "gone" }
  | { kind: "failed" | "refused"; problem: Problem }
  | { kind: "conflict"; theirs: CurrentNote; choices: Choices };

export interface SessionState {
  title: string;
  status: SaveStatus;
  /** Of the server's note; 0 while it is not there yet. */
  version: number;
  /** What is not saved is kept in this browser. */
  kept: boolean;
  /** Whose changes were merged into the text; `null` after the next save without a merge. */
  mergedWith: Person | null;
  /** Text that did not come from typing; `count` tells one from the next. */
  given: { text: string; count: number };
}
