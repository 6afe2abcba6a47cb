import { createStore } from "@tenon/host";
import type { Attachment, Notebook, NoteRow, Tag } from "../model/types.ts";

/** The open dialog. One at a time. */
export type DialogState =
  | { kind: "move-note"; note: NoteRow }
  | { kind: "new-notebook"; parent: string | null }
  | { kind: "rename-notebook"; notebook: Notebook }
  | { kind: "move-notebook"; notebook: Notebook }
  | { kind: "delete-notebook"; notebook: Notebook }
  | { kind: "rename-tag"; tag: Tag }
  | { kind: "delete-tag"; tag: Tag }
  | { kind: "delete-note"; note: NoteRow }
  | { kind: "empty-trash"; notes: number }
  | { kind: "delete-file"; note: string; file: Attachment }
  | { kind: "share"; what: "notes" | "notebooks"; id: string; name: string }
  | { kind: "import"; dropped?: readonly FileSystemEntry[]; notebook: string | null }
  | { kind: "export"; notebook: Notebook | null };

export const dialog = createStore<DialogState | null>(null);

export function ask(state: DialogState): void {
  dialog.set(state);
}
