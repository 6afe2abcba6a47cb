import { Slot } from "@tenon/host";
import { IconButton, Tabs } from "@tenon/ui";
import { X } from "lucide-react";
import { useNotesLocation } from "../app/location-context.tsx";
import type { Panel } from "../model/location.ts";
import type { Note } from "../model/types.ts";
import type { NoteSession } from "../saving/note-session.ts";
import { FilesList } from "./files-list.tsx";
import { HistoryList } from "./history-list.tsx";
import { LinksList } from "./links-list.tsx";
import { Outline } from "./outline.tsx";

export interface SidePanelProps {
  session: NoteSession;
  note: Note | undefined;
  /** Lines count from 0. */
  onGoToLine(line: number): void;
}

/** Shows what belongs to a note in addition to its text. */
export function SidePanel({ session, note, onGoToLine }: SidePanelProps) {
  const { location, go } = useNotesLocation();
  return (
    <aside className="notes-panel" aria-label="Note details">
      <Tabs
        label="Note details"
        value={location.panel ?? "outline"}
        onChange={(panel) => go({ panel: panel as Panel, revision: null }, { replace: true })}
        items={[
          {
            id: "outline",
            title: "Outline",
            content: <Outline session={session} onGoToLine={onGoToLine} />,
          },
          { id: "links", title: "Links", content: <LinksList note={note} /> },
          { id: "files", title: "Files", content: <FilesList note={note} /> },
          { id: "history", title: "History", content: <HistoryList note={note} /> },
        ]}
      />
      {note && <Slot name="notes.note.sidebar" props={{ note: note.id }} />}
      <div className="notes-panel-close">
        <IconButton
          icon={X}
          label="Close panel"
          size="small"
          onClick={() => go({ panel: null, revision: null })}
        />
      </div>
    </aside>
  );
}
