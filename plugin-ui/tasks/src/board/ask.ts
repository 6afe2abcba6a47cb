import { createStore } from "@tenon/host";
import type { Column } from "../tables.gen.ts";

/** A dialog of the board that is to be shown. */
export type DialogRequest =
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

export const question = createStore<DialogRequest | null>(null);

export const ask = (what: DialogRequest) => question.set(what);
