import { useQueryClient } from "@tanstack/react-query";
import { errorMessage, toast } from "@tenon/ui";
import { useMemo } from "react";
import { editNote, type NoteEdit } from "../model/note-changes.ts";
import { notesApi } from "../model/notes-api.ts";
import { countsChanged, everythingChanged, noteChanged, noteRemoved } from "../model/queries.ts";
import { newId } from "../model/uuid.ts";
import type { View } from "../model/location.ts";
import type { Note, NoteRow } from "../model/types.ts";
import type { TagsEdit } from "../note/tags-field.tsx";
import { useNotesLocation } from "./location-context.tsx";

export function titleOf({ title }: Pick<NoteRow, "title">): string {
  return title || "Untitled";
}

/** Notebook and tags of a note that is begun while a list is shown. */
export function creationFor(view: View): { notebook: string | null; tags: readonly string[] } {
  return {
    notebook: view.kind === "notebook" ? view.id : null,
    tags: view.kind === "tag" ? [view.name] : [],
  };
}

/** What can be done with a note from a list or from its page. Everything here can be undone. */
export function useNoteActions() {
  const client = useQueryClient();
  const { location, go } = useNotesLocation();
  return useMemo(() => {
    const fail = (what: string) => (error: unknown) => {
      everythingChanged(client);
      toast(`${what}: ${errorMessage(error)}`, { tone: "danger" });
    };
    const took = (note: Note) => {
      noteChanged(client, note);
      countsChanged(client);
    };
    const change = async (note: NoteRow, edit: NoteEdit, what: string) => {
      await editNote(client, note, edit).catch(fail(what));
    };
    const restore = async (note: NoteRow) => {
      await notesApi.restore(note.id).then(took, fail(`Could not restore “${titleOf(note)}”`));
    };
    const move = async (note: NoteRow, notebook: string | null, name: string) => {
      if (notebook === note.notebook) return;
      await change(note, () => ({ notebook }), `Could not move “${titleOf(note)}”`);
      toast(`Moved to ${name}`, {
        action: {
          label: "Undo",
          run: () =>
            void change(note, () => ({ notebook: note.notebook }), "Could not undo the move"),
        },
      });
    };
    return {
      create() {
        const view = location.view.kind === "trash" ? ({ kind: "all" } as const) : location.view;
        go(
          { view, query: "", note: newId(), fresh: true, panel: null },
          { state: { begun: true } },
        );
      },
      restore,
      move,
      pin: (note: NoteRow) =>
        change(note, () => ({ pinned: !note.pinned }), `Could not pin “${titleOf(note)}”`),
      changeTags: (note: NoteRow, edit: TagsEdit) =>
        change(note, ({ tags }) => ({ tags: edit(tags) }), "Could not change the tags"),
      async trash(note: NoteRow) {
        noteChanged(client, { ...note, deleted: new Date().toISOString() });
        if (location.note === note.id && location.view.kind !== "trash")
          go({ note: null }, { replace: true });
        try {
          await notesApi.trash(note.id);
        } catch (error) {
          fail(`Could not move “${titleOf(note)}” to the trash`)(error);
          return;
        }
        countsChanged(client);
        toast(`“${titleOf(note)}” moved to the trash`, {
          action: { label: "Undo", run: () => void restore(note) },
        });
      },
      async deleteForever(note: NoteRow) {
        await notesApi.deleteForever(note.id);
        noteRemoved(client, note.id);
        countsChanged(client);
        if (location.note === note.id) go({ note: null }, { replace: true });
      },
    };
  }, [client, location, go]);
}

export type NoteActions = ReturnType<typeof useNoteActions>;
