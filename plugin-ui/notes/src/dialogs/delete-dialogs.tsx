import { useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog, errorMessage, toast } from "@tenon/ui";
import { useState } from "react";
import { useNotesLocation } from "../app/location-context.tsx";
import { titleOf, useNoteActions } from "../app/use-note-actions.ts";
import { notesApi } from "../model/notes-api.ts";
import { isInside, type TreeNode } from "../model/notebook-tree.ts";
import { everythingChanged, noteQuery, useNotebooks } from "../model/queries.ts";
import type { Attachment, Notebook, NoteRow, Tag } from "../model/types.ts";
import type { DialogProps } from "./dialogs.tsx";

const notes = (count: number) => (count === 1 ? "1 note" : `${count.toLocaleString()} notes`);

/** Runs once, says what went wrong, closes when it worked. */
function useDeed(onClose: () => void) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const run = async (deed: () => Promise<void>) => {
    setBusy(true);
    try {
      await deed();
      onClose();
    } catch (error) {
      toast(errorMessage(error), { tone: "danger" });
    } finally {
      setBusy(false);
      everythingChanged(client);
    }
  };
  return { busy, run };
}

export function DeleteNote({ note, ...props }: DialogProps & { note: NoteRow }) {
  const { deleteForever } = useNoteActions();
  const { busy, run } = useDeed(props.onClose);
  return (
    <ConfirmDialog
      {...props}
      title={`Delete “${titleOf(note)}” permanently?`}
      action="Delete permanently"
      danger
      busy={busy}
      onConfirm={() => void run(() => deleteForever(note))}
    >
      This deletes the note, its history and its files. It cannot be undone.
    </ConfirmDialog>
  );
}

export function DeleteFile({
  note,
  file,
  ...props
}: DialogProps & { note: string; file: Attachment }) {
  const client = useQueryClient();
  const { busy, run } = useDeed(props.onClose);
  return (
    <ConfirmDialog
      {...props}
      title={`Delete the file “${file.name}”?`}
      action="Delete file"
      danger
      busy={busy}
      onConfirm={() =>
        void run(async () => {
          await notesApi.detach(file.id);
          await client.invalidateQueries({ queryKey: noteQuery(note).queryKey });
        })
      }
    >
      Links to this file in the note will stop working. This cannot be undone.
    </ConfirmDialog>
  );
}

export function EmptyTrash({ notes: count, ...props }: DialogProps & { notes: number }) {
  const { location, go } = useNotesLocation();
  const { busy, run } = useDeed(props.onClose);
  const [left, setLeft] = useState<number | null>(null);
  const empty = async () => {
    for (let more = true; more;) {
      const response = await notesApi.emptyTrash();
      setLeft(response.left);
      more = response.left > 0 && response.deleted > 0;
    }
    if (location.note && location.view.kind === "trash") go({ note: null }, { replace: true });
  };
  return (
    <ConfirmDialog
      {...props}
      title={`Delete ${notes(count)} permanently?`}
      action="Empty trash"
      danger
      busy={busy}
      onConfirm={() => void run(empty)}
    >
      {left
        ? `${notes(left)} left`
        : "This deletes your notes in the trash with their history and files. It cannot be undone."}
    </ConfirmDialog>
  );
}

function find(tree: readonly TreeNode[], id: string): TreeNode | null {
  for (const node of tree) {
    const found = node.notebook.id === id ? node : find(node.children, id);
    if (found) return found;
  }
  return null;
}

export function DeleteNotebook({ notebook, ...props }: DialogProps & { notebook: Notebook }) {
  const { location, go } = useNotesLocation();
  const { items, tree } = useNotebooks();
  const { busy, run } = useDeed(props.onClose);
  const node = find(tree, notebook.id);
  const total = node?.total ?? 0;
  const isHere =
    location.view.kind === "notebook" && isInside(items, location.view.id, notebook.id);
  return (
    <ConfirmDialog
      {...props}
      title={`Delete the notebook “${notebook.name}”?`}
      action="Delete notebook"
      danger
      busy={busy}
      onConfirm={() =>
        void run(async () => {
          const { trashed } = await notesApi.deleteNotebook(notebook.id);
          if (isHere) go({ view: { kind: "all" } }, { replace: true });
          toast(
            trashed > 0 ? `${notes(trashed)} moved to the trash` : `“${notebook.name}” deleted`,
          );
        })
      }
    >
      {total > 0
        ? `${notes(total)}${node?.children.length ? " and the notebooks inside" : ""} will be moved to the trash. Restoring a note also restores its notebook.`
        : node?.children.length
          ? "The notebooks inside are deleted too. They contain no notes."
          : "It contains no notes."}
    </ConfirmDialog>
  );
}

export function DeleteTag({ tag, ...props }: DialogProps & { tag: Tag }) {
  const { location, go } = useNotesLocation();
  const { busy, run } = useDeed(props.onClose);
  const isHere =
    location.view.kind === "tag" && location.view.name.toLowerCase() === tag.name.toLowerCase();
  return (
    <ConfirmDialog
      {...props}
      title={`Delete the tag “${tag.name}”?`}
      action="Delete tag"
      danger
      busy={busy}
      onConfirm={() =>
        void run(async () => {
          await notesApi.deleteTag(tag.id);
          if (isHere) go({ view: { kind: "all" } }, { replace: true });
        })
      }
    >
      This removes the tag from {notes(tag.notes)} and keeps the notes. It cannot be undone.
    </ConfirmDialog>
  );
}
