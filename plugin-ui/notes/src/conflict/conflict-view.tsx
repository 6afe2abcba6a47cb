import { useQueryClient } from "@tanstack/react-query";
import { usePageTitle, useStore, useUser } from "@tenon/host";
import { Button, errorMessage, Field, Input, Notice, RelativeTime, toast } from "@tenon/ui";
import { GitMerge } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { usePlace } from "../app/place-context.tsx";
import { notesApi } from "../model/notes-api.ts";
import { countsChanged, noteChanged, noteQuery } from "../model/queries.ts";
import { newId } from "../model/uuid.ts";
import type { Note } from "../model/types.ts";
import type { NoteSession } from "../saving/note-session.ts";
import { createMerge, type Merge } from "./merge.ts";

/** Both texts of a note that two people changed, side by side. Nothing is saved until one of them chooses. */
export function ConflictView({ session, note }: { session: NoteSession; note: Note | undefined }) {
  const status = useStore(session.state, (state) => state.status);
  const client = useQueryClient();
  const { go } = usePlace();
  const host = useRef<HTMLDivElement>(null);
  const merge = useRef<Merge | null>(null);
  const [title, setTitle] = useState(session.state.get().title);
  const [edited, setEdited] = useState(false);
  const [busy, setBusy] = useState(false);
  const theirs = status.kind === "conflict" ? status.theirs : null;
  const user = useUser();
  const isOwn = theirs?.editor.id === user.id;
  const who = isOwn ? "You" : theirs?.editor.name || "Somebody";
  const whose = isOwn ? "Your other" : `${who}’s`;
  usePageTitle(`Conflict: ${title || "Untitled"}`);

  useLayoutEffect(() => {
    const parent = host.current;
    if (!parent || !theirs) return;
    const mine = session.text;
    const created = createMerge({
      parent,
      theirs: theirs.text,
      mine,
      // What is merged so far is as unsaved as what was typed: it is kept too.
      onChange(read) {
        session.editText(read);
        setEdited(true);
      },
    });
    merge.current = created;
    return () => {
      merge.current = null;
      created.destroy();
    };
    // Another text of theirs begins anew, with what is typed here.
  }, [session, theirs]);

  // What is seen of the note elsewhere is old.
  useEffect(() => {
    void client.invalidateQueries({ queryKey: noteQuery(session.id).queryKey });
  }, [client, session.id, theirs]);

  if (!theirs) return null;
  const mine = () => ({ title, text: merge.current?.text() ?? session.text });
  const takeTheirs = () => {
    const before = mine();
    session.takeTheirs();
    toast(isOwn ? "Took the other text" : `Took ${whose} text`, {
      action: { label: "Undo", run: () => session.replace(before) },
    });
  };
  const keepBoth = async () => {
    setBusy(true);
    const { text } = mine();
    try {
      const copy = await notesApi.create({
        id: newId(),
        notebook: note?.notebook ?? null,
        tags: note?.tags,
        title: `${title || "Untitled"} (my text)`.slice(0, 200),
        text,
      });
      session.takeTheirs();
      noteChanged(client, copy);
      countsChanged(client);
      toast(`Your text is in “${copy.title}”`, {
        action: { label: "Open", run: () => go({ note: copy.id }) },
      });
    } catch (error) {
      toast(`The copy could not be made: ${errorMessage(error)}`, { tone: "danger" });
    } finally {
      setBusy(false);
    }
  };
  const titlesDiffer = theirs.title !== session.state.get().title || title !== theirs.title;

  return (
    <section className="notes-conflict" aria-label="Conflict">
      <Notice tone="warning" icon={GitMerge}>
        {who} changed this note {isOwn && "elsewhere "}
        <RelativeTime value={theirs.updated} />, while you wrote here. Both texts are kept; nothing
        is overwritten until you choose.
      </Notice>
      {titlesDiffer && (
        <Field label="Title" hint={`${whose} title: ${theirs.title || "Untitled"}`}>
          <Input
            value={title}
            maxLength={200}
            onChange={(event) => {
              setTitle(event.target.value);
              setEdited(true);
            }}
          />
        </Field>
      )}
      <div className="notes-merge">
        <div className="notes-merge-names" aria-hidden>
          <span>{whose} text</span>
          <span>Text written here: edit it, or take over with the arrows</span>
        </div>
        <div ref={host} className="notes-merge-host" />
      </div>
      <footer>
        <Button onClick={takeTheirs}>Take theirs</Button>
        <Button busy={busy} onClick={() => void keepBoth()}>
          Keep both
        </Button>
        <Button variant="primary" onClick={() => session.resolve(mine())}>
          {edited ? "Save merged text" : "Keep mine"}
        </Button>
      </footer>
    </section>
  );
}
