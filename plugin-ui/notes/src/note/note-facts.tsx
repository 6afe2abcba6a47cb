import { RelativeTime } from "@tenon/ui";
import { useMemo } from "react";
import { useNoteActions } from "../app/use-note-actions.ts";
import { countWords } from "../model/markdown-text.ts";
import type { Note } from "../model/types.ts";
import type { NoteSession } from "../saving/note-session.ts";
import { TagsField } from "./tags-field.tsx";
import { useSessionText } from "./use-session-text.ts";

/** Words of longer texts are not counted, characters. */
const maxCounted = 200_000;

/** Tags, and who changed the note when. */
export function NoteFacts({ session, note }: { session: NoteSession; note: Note | undefined }) {
  const actions = useNoteActions();
  const begun = session.begunWith;
  const tags = note?.tags ?? begun?.tags ?? [];
  return (
    <div className="notes-facts">
      <TagsField
        tags={tags}
        readOnly={note?.access === "reader"}
        onChange={(edit) => {
          const creation = session.begunWith;
          if (note) void actions.changeTags(note, edit);
          else if (creation) session.begin({ ...creation, tags: edit(creation.tags) });
        }}
      />
      <div className="notes-facts-line">
        {note && (
          <span>
            <RelativeTime value={note.updated} />
            {note.editor.name && ` by ${note.editor.name}`}
          </span>
        )}
        <Words session={session} />
      </div>
    </div>
  );
}

function Words({ session }: { session: NoteSession }) {
  const text = useSessionText(session);
  const words = useMemo(() => (text.length > maxCounted ? 0 : countWords(text)), [text]);
  return words > 0 ? (
    <span>{words === 1 ? "1 word" : `${words.toLocaleString()} words`}</span>
  ) : null;
}
