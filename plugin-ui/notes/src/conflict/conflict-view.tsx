import { useQueryClient } from "@tanstack/react-query";
import { usePageTitle, useStore, useUser } from "@tenon/host";
import { Button, errorMessage, Field, Input, Notice, RelativeTime, toast } from "@tenon/ui";
import { GitMerge } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useNotesLocation } from "../app/location-context.tsx";
import { notesApi } from "../model/notes-api.ts";
import { countsChanged, noteChanged, noteQuery } from "../model/queries.ts";
import { newId } from "../model/uuid.ts";
import type { Note } from "../model/types.ts";
import type { NoteSession } from "../saving/note-session.ts";
import { createMerge, type Merge } from "./merge.ts";

/**
 * Both results of a merge in which two people changed the same lines, side by side. Lines that only one of them changed
 * are in both. Nothing is saved until the person chooses.
 */
export function ConflictView({ session, note }: { session: NoteSession; note: Note | undefined }) {
  const status = useStore(session.state, (state) => state.status);
  const client = useQueryClient();
  const { go } = useNotesLocation();
  const host = useRef<HTMLDivElement>(null);
  const merge = useRef<Merge | null>(null);
  const [title, setTitle] = useState(session.state.get().title);
  const [edited, setEdited] = useState(false);
  const [busy, setBusy] = useState(false);
  const { theirs, choices } = status.kind === "conflict" ? status : { theirs: null, choices: null };
  const user = useUser();
  const isOwn = theirs?.editor.id === user.id;
  const who = isOwn ? "You" : theirs?.editor.name || "Someone else";
  const whose = isOwn ? "your other" : `${who}’s`;
  usePageTitle(`Edit conflict: ${title || "Untitled"}`);

  useLayoutEffect(() => {
    const parent = host.current;
    if (!parent || !choices) return;
    const created = createMerge({
      parent,
      theirs: choices.theirs.text,
      mine: session.text,
      // The merge so far is as unsaved as typed text: it is kept too.
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
    // A later conflict starts again with the text typed here.
  }, [session, choices]);

  // Other views of the note are old.
  useEffect(() => {
    void client.invalidateQueries({ queryKey: noteQuery(session.id).queryKey });
  }, [client, session.id, theirs]);

  if (!choices) return null;
  const mine = () => ({ title, text: merge.current?.text() ?? session.text });
  const keepTheirs = () => {
    const before = mine();
    session.keepTheirs();
    toast(`Kept ${whose} lines`, {
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
      session.keepTheirs();
      noteChanged(client, copy);
      countsChanged(client);
      toast(`Your text is in “${copy.title}”`, {
        action: { label: "Open", run: () => go({ note: copy.id }) },
      });
    } catch (error) {
      toast(`Could not create the copy: ${errorMessage(error)}`, { tone: "danger" });
    } finally {
      setBusy(false);
    }
  };
  const theirTitle = choices.theirs.title;
  const titlesDiffer = theirTitle !== choices.mine.title || title !== theirTitle;
  const textsDiffer = choices.theirs.text !== choices.mine.text;

  return (
    <section className="notes-conflict" aria-label="Edit conflict">
      <Notice tone="warning" icon={GitMerge}>
        {who} {textsDiffer ? "changed the same lines" : "also changed the title"}
        {isOwn ? " in another window " : textsDiffer ? " as you " : " "}
        <RelativeTime value={theirs.updated} />. Choose which version to keep. All other changes are
        already merged.
      </Notice>
      {titlesDiffer && (
        <Field label="Title" hint={`${capitalized(whose)} title: ${theirTitle || "Untitled"}`}>
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
      <div className="notes-merge" hidden={!textsDiffer}>
        <div className="notes-merge-names" aria-hidden>
          <span data-side="theirs">{capitalized(whose)} lines</span>
          <span data-side="mine">
            Your lines<span>: edit here, or use the arrows to copy lines</span>
          </span>
        </div>
        <div ref={host} className="notes-merge-host" />
      </div>
      <footer>
        <Button busy={busy} onClick={() => void keepBoth()}>
          Keep both (mine as a copy)
        </Button>
        <Button onClick={keepTheirs}>Keep theirs</Button>
        <Button variant={edited ? "primary" : undefined} onClick={() => session.resolve(mine())}>
          {edited ? "Save merged text" : "Keep mine"}
        </Button>
      </footer>
    </section>
  );
}

const capitalized = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);
