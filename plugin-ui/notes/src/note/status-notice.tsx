import { useQueryClient } from "@tanstack/react-query";
import { usePlugin, useStore } from "@tenon/host";
import { Button, errorMessage, Notice, toast } from "@tenon/ui";
import { FileX, Trash2, TriangleAlert } from "lucide-react";
import { useNotesLocation } from "../app/location-context.tsx";
import { notesApi } from "../model/notes-api.ts";
import { countsChanged, noteChanged } from "../model/queries.ts";
import { newId } from "../model/uuid.ts";
import type { Note } from "../model/types.ts";
import type { NoteSession } from "../saving/note-session.ts";
import { savingFor } from "../saving/saving.ts";

/** Shows why the note is not saved, when a person must choose. */
export function StatusNotice({ session, note }: { session: NoteSession; note: Note | undefined }) {
  const context = usePlugin();
  const client = useQueryClient();
  const { go } = useNotesLocation();
  const status = useStore(session.state, (state) => state.status);
  const fail = (error: unknown) => toast(errorMessage(error), { tone: "danger" });

  const restore = async () => {
    const restored = await notesApi.restore(session.id);
    noteChanged(client, restored);
    countsChanged(client);
    session.resume();
  };
  const saveAsNew = async () => {
    const created = await notesApi.create({
      id: newId(),
      notebook: note?.notebook ?? null,
      title: session.state.get().title,
      text: session.text,
    });
    savingFor(context).forget(session.id);
    noteChanged(client, created);
    countsChanged(client);
    go({ note: created.id }, { replace: true });
  };

  if (status.kind === "trashed") {
    return (
      <div className="notes-notice">
        <Notice
          tone="warning"
          icon={Trash2}
          action={
            <Button size="small" onClick={() => void restore().catch(fail)}>
              Restore and save
            </Button>
          }
        >
          This note was moved to the trash while you were editing it.
        </Notice>
      </div>
    );
  }
  if (status.kind === "gone") {
    return (
      <div className="notes-notice">
        <Notice
          tone="danger"
          icon={FileX}
          action={
            <Button size="small" onClick={() => void saveAsNew().catch(fail)}>
              Save as a new note
            </Button>
          }
        >
          This note was deleted permanently while you were editing it.
        </Notice>
      </div>
    );
  }
  if (status.kind === "refused") {
    const reason = status.problem.errors[0]?.message ?? status.problem.message;
    return (
      <div className="notes-notice">
        <Notice tone="danger" icon={TriangleAlert}>
          Could not save: {reason}
        </Notice>
      </div>
    );
  }
  return null;
}
