import { createStore } from "@tenon/host";
import type { Column } from "../tables.gen.ts";

/** What is asked of the person, in a dialog. */
export type Question =
  | { kind: "rename-board" }
  | { kind: "share" }
  | { kind: "labels" }
  | { kind: "archived-cards" }
  | { kind: "import" }
  | { kind: "delete-board" }
  | { kind: "save-view" }
  | { kind: "rename-column"; column: Column }
  | { kind: "limit-column"; column: Column }
  | { kind: "delete-column"; column: Column };

export const question = createStore<Question | null>(null);

export const ask = (what: Question) => question.set(what);
