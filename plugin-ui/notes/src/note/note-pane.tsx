import { useQueryClient } from "@tanstack/react-query";
import { usePageTitle, usePlugin } from "@tenon/host";
import { Button, EmptyState, ErrorState, Problem } from "@tenon/ui";
import { FileX } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import { NoteSkeleton } from "../app/detail-pane.tsx";
import { useNotesLocation } from "../app/location-context.tsx";
import { countsChanged, linksChanged, noteChanged } from "../model/queries.ts";
import { savingFor } from "../saving/saving.ts";
import { BackButton } from "./back-button.tsx";
import { NoteView } from "./note-view.tsx";
import { TrashedNote } from "./trashed-note.tsx";
import { useSession } from "./use-session.ts";
import "../styles/note.css";
import "../styles/prose.css";
import "../styles/editor.css";
import "../styles/merge.css";
import "../styles/panel.css";

export interface NotePaneProps {
  id: string;
  /** One pane at a time: a button leads to the list. */
  narrow: boolean;
}

/** A note, from whatever is known of it to the editor. */
export function NotePane({ id, narrow }: NotePaneProps) {
  const context = usePlugin();
  const client = useQueryClient();
  const { session, note, error, retry } = useSession(id);

  // Notes saved here, and in the background, go into the lists.
  useEffect(
    () =>
      savingFor(context).onSaved((saved) => {
        noteChanged(client, saved);
        linksChanged(client, saved.id);
        if (saved.version === 1) countsChanged(client);
      }),
    [context, client],
  );

  if (error) return <NoNote error={error} narrow={narrow} retry={retry} />;
  if (!session) {
    return (
      <Bare narrow={narrow}>
        <NoteSkeleton />
      </Bare>
    );
  }
  if (note?.deleted) return <TrashedNote note={note} narrow={narrow} />;
  return <NoteView session={session} note={note} narrow={narrow} />;
}

function Bare({ narrow, children }: { narrow: boolean; children: ReactNode }) {
  return (
    <>
      <header className="notes-pane-header notes-note-header t-page-header">
        {narrow && <BackButton />}
      </header>
      {children}
    </>
  );
}

function NoNote({ error, narrow, retry }: { error: unknown; narrow: boolean; retry(): void }) {
  const { go } = useNotesLocation();
  const isMissing =
    error instanceof Problem && error.status === 404 && error.code === "notes.not_found";
  usePageTitle(isMissing ? "Note not found" : "Note");
  return (
    <Bare narrow={narrow}>
      {isMissing ? (
        <EmptyState
          icon={FileX}
          title="Note not found"
          action={
            <Button onClick={() => go({ note: null }, { replace: true })}>Back to the list</Button>
          }
        >
          This note does not exist or was deleted.
        </EmptyState>
      ) : (
        <ErrorState error={error} title="Could not load the note" onRetry={retry} />
      )}
    </Bare>
  );
}
