import { useQuery } from "@tanstack/react-query";
import { usePlugin } from "@tenon/host";
import { Problem } from "@tenon/ui";
import { useEffect, useState } from "react";
import { useLocation } from "react-router";
import { creationFor } from "../app/use-note-actions.ts";
import { useNotesLocation } from "../app/location-context.tsx";
import { noteQuery } from "../model/queries.ts";
import type { Note } from "../model/types.ts";
import type { NoteSession } from "../saving/note-session.ts";
import { savingFor } from "../saving/saving.ts";

export interface OpenNote {
  session: NoteSession | null;
  /** The note as the server last returned it; absent before it exists there. */
  note: Note | undefined;
  /** Why there is nothing to show. */
  error: unknown;
  retry(): void;
}

/** What a link or a command gives to a note that is begun. */
export interface BegunState {
  begun?: boolean;
  /** Title to begin with. */
  title?: string;
  /** Heading to go to. */
  heading?: string;
}

function isSaved(session: NoteSession | null): boolean {
  if (!session) return false;
  const { status, version } = session.state.get();
  return status.kind === "saved" && version > 0;
}

/** Opens a note for editing: from the server, from a draft, or as a new one. */
export function useSession(id: string): OpenNote {
  const context = usePlugin();
  const { location } = useNotesLocation();
  const begun = useLocation().state as BegunState | null;
  const [startsNew] = useState(location.fresh && begun?.begun === true);
  const [session, setSession] = useState<NoteSession | null>(null);
  const [exists, setExists] = useState(!startsNew);
  const query = useQuery({ ...noteQuery(id), enabled: exists });
  const { data: note, error } = query;
  const [failed, setFailed] = useState<unknown>(null);
  const { fresh, view } = location;
  const isMissing = error instanceof Problem && error.code === "notes.not_found";

  useEffect(() => {
    if (session) return;
    let ended = false;
    let opened: NoteSession | null = null;
    const saving = savingFor(context);
    const open = async () => {
      let start: Note | ReturnType<typeof creationFor>;
      if (note) start = note;
      else if (startsNew || (isMissing && fresh)) start = creationFor(view);
      else if (error && (await saving.hasDraft(id))) start = creationFor(view);
      else {
        if (error) setFailed(error);
        return;
      }
      const next = await saving.open(id, start);
      if (ended) {
        saving.release(next);
        return;
      }
      opened = next;
      if (begun?.title && next.state.get().version === 0 && next.state.get().title === "") {
        next.editTitle(begun.title);
        next.finishTitle();
      }
      setSession(next);
      setFailed(null);
    };
    open().catch((problem: unknown) => setFailed(problem));
    return () => {
      if (!opened) ended = true;
    };
    // Opened once; what comes later goes to the session.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [context, id, note, error]);

  useEffect(() => {
    if (!session) return;
    const saving = savingFor(context);
    const stop = session.state.subscribe(() => {
      if (session.state.get().version > 0) setExists(true);
    });
    return () => {
      stop();
      saving.release(session);
    };
  }, [context, session]);

  // It was deleted for ever, or is shared no more. Unsaved text stays on the screen.
  const isGone = isMissing && isSaved(session);

  useEffect(() => {
    if (session && note) session.refresh(note);
  }, [session, note]);

  return {
    session,
    note,
    error: session && !isGone ? null : (failed ?? error),
    retry() {
      setFailed(null);
      void query.refetch();
    },
  };
}
