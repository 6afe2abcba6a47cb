import { usePageTitle } from "@tenon/host";
import { Button, Notice, RelativeTime } from "@tenon/ui";
import { Trash2 } from "lucide-react";
import { useMemo } from "react";
import { ask } from "../app/dialog-state.ts";
import { titleOf, useNoteActions } from "../app/use-note-actions.ts";
import { linkTable } from "../editor/links.ts";
import { fileTable } from "../model/files.ts";
import type { Note } from "../model/types.ts";
import { LazyPreview } from "../preview/lazy-preview.ts";
import { BackButton } from "./back-button.tsx";
import { useFollow } from "./use-follow.ts";

/** A note in the trash can be read, restored, or deleted for ever. */
export function TrashedNote({ note, narrow }: { note: Note; narrow: boolean }) {
  const actions = useNoteActions();
  const links = useMemo(() => linkTable(note.links), [note.links]);
  const files = useMemo(() => fileTable(note.attachments), [note.attachments]);
  const follow = useFollow(links, files);
  usePageTitle(titleOf(note));
  return (
    <article className="notes-note" aria-label={titleOf(note)}>
      <header className="notes-pane-header notes-note-header t-page-header">
        {narrow && <BackButton />}
        <div className="notes-where" />
        {note.access !== "reader" && (
          <Button size="small" onClick={() => void actions.restore(note)}>
            Restore
          </Button>
        )}
        {note.access === "owner" && (
          <Button size="small" onClick={() => ask({ kind: "delete-note", note })}>
            Delete permanently
          </Button>
        )}
      </header>
      <div className="notes-notice">
        <Notice icon={Trash2}>
          In the trash
          {note.deleted && (
            <>
              {" "}
              since <RelativeTime value={note.deleted} />
            </>
          )}
          {note.trashed_from && ` · was in ${note.trashed_from}`}
        </Notice>
      </div>
      <div className="notes-note-main">
        <div className="notes-scroll">
          <div className="notes-column">
            <h2 className="notes-title">{titleOf(note)}</h2>
            <LazyPreview
              text={note.text}
              title={note.title}
              links={links}
              files={files}
              readOnly
              onFollow={follow}
            />
          </div>
        </div>
      </div>
    </article>
  );
}
