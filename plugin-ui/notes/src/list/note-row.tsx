import { RelativeTime } from "@tenon/ui";
import { Pin, Users } from "lucide-react";
import { useRef } from "react";
import { useDraggable } from "../app/use-drag.ts";
import { titleOf } from "../app/use-note-actions.ts";
import type { NoteRow as Row } from "../model/types.ts";

export interface NoteRowProps {
  note: Row;
  /** The name of its notebook, when the list does not show it. */
  notebook?: string;
}

const maxTags = 3;

/** A note in the list. */
export function NoteRow({ note, notebook }: NoteRowProps) {
  const { pinned, excerpt, tags, updated, deleted } = note;
  const element = useRef<HTMLDivElement>(null);
  useDraggable(element, deleted || note.access === "reader" ? null : { kind: "note", note });
  const where = deleted ? note.trashed_from : notebook;
  return (
    <div ref={element} className="notes-row">
      <div className="notes-row-title">
        <span className="t-ellipsis" data-untitled={note.title ? undefined : ""}>
          {titleOf(note)}
        </span>
        {pinned && <Pin size={12} aria-label="Pinned" />}
        {note.shared && (
          <Users
            size={12}
            aria-label={note.access === "owner" ? "Shared" : `Shared by ${note.author.name}`}
          />
        )}
      </div>
      <div className="notes-row-excerpt t-ellipsis">{excerpt || "No text"}</div>
      <div className="notes-row-meta">
        <RelativeTime value={deleted ?? updated} />
        {where && <span className="t-ellipsis">{where}</span>}
        {tags.slice(0, maxTags).map((tag) => (
          <span key={tag} className="notes-row-tag t-ellipsis">
            #{tag}
          </span>
        ))}
        {tags.length > maxTags && <span>+{tags.length - maxTags}</span>}
      </div>
    </div>
  );
}
