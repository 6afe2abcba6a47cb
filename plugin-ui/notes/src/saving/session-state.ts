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
  /** Version of the note on the server; 0 while the server does not have it. */
  version: number;
  /** Whether unsaved text is kept in this browser. */
  kept: boolean;
  /** The person whose changes were merged into the text; `null` after the next save without a merge. */
  mergedWith: Person | null;
  /** Text that did not come from typing; `count` distinguishes one from the next. */
  given: { text: string; count: number };
}
