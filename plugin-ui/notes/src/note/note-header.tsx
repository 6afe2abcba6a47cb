import { useRecordActions, useStore } from "@tenon/host";
import { IconButton, Menu, MenuItem, MenuLink, MenuSeparator } from "@tenon/ui";
import {
  BookOpen,
  Columns2,
  Download,
  Ellipsis,
  Files,
  FolderInput,
  History,
  Link2,
  ListTree,
  Notebook as NotebookIcon,
  PanelRight,
  Paperclip,
  PenLine,
  Pin,
  PinOff,
  Trash2,
  UserPlus,
  Users,
} from "lucide-react";
import { Link } from "react-router";
import { ask } from "../app/dialog-state.ts";
import { useNotesLocation } from "../app/location-context.tsx";
import type { EditorMode } from "../app/preference.ts";
import { titleOf, useNoteActions } from "../app/use-note-actions.ts";
import type { Format } from "../editor/format.ts";
import { notesApi } from "../model/notes-api.ts";
import { pathOf } from "../model/notebook-tree.ts";
import { useNotebooks } from "../model/queries.ts";
import type { Note } from "../model/types.ts";
import type { NoteSession } from "../saving/note-session.ts";
import { BackButton } from "./back-button.tsx";
import { FormatMenu } from "./format-menu.tsx";
import { PresenceList } from "./presence-list.tsx";
import { SaveLine } from "./save-line.tsx";

export interface NoteHeaderProps {
  session: NoteSession;
  note: Note | undefined;
  narrow: boolean;
  mode: EditorMode;
  onMode(mode: EditorMode): void;
  /** Absent while there is nothing to format. */
  onFormat?: (format: Format) => void;
  /** Absent where no files can be added. */
  onAttach?: () => void;
}

const modes = [
  { mode: "write", label: "Write", icon: PenLine, shortcut: undefined },
  { mode: "split", label: "Text and preview", icon: Columns2, shortcut: "mod+shift+e" },
  { mode: "read", label: "Read", icon: BookOpen, shortcut: "mod+e" },
] as const;

/** Shows the notebook of the note, the state of saving, and the actions on the note. */
export function NoteHeader({
  session,
  note,
  narrow,
  mode,
  onMode,
  onFormat,
  onAttach,
}: NoteHeaderProps) {
  const { location, go } = useNotesLocation();
  const state = useStore(session.state);
  const actions = useNoteActions();
  const others = useRecordActions("notes.note.actions", note);
  const panel = location.panel;
  const readOnly = note?.access === "reader";
  const share = () =>
    note && ask({ kind: "share", what: "notes", id: note.id, name: titleOf(note) });
  return (
    <header className="notes-pane-header notes-note-header t-page-header">
      {narrow && (
        <>
          {/* The list with its heading is hidden now. */}
          <h1 className="t-visually-hidden">{titleOf(state)}</h1>
          <BackButton />
        </>
      )}
      <Where session={session} note={note} />
      {readOnly ? (
        <span className="t-muted">View only</span>
      ) : (
        <SaveLine state={state} onRetry={() => session.retry()} />
      )}
      {note && <PresenceList session={session} />}
      <div className="notes-note-actions">
        {onFormat && !narrow && <FormatMenu onFormat={onFormat} />}
        {onAttach && !narrow && (
          <IconButton icon={Paperclip} label="Attach files" onClick={onAttach} />
        )}
        {note && !narrow && (
          <IconButton
            icon={note.shared ? Users : UserPlus}
            label={note.shared ? "Shared" : "Share"}
            onClick={share}
          />
        )}
        {!narrow && !readOnly && (
          <div className="notes-modes" role="group" aria-label="View mode">
            {modes.map(({ mode: value, label, icon, shortcut }) => (
              <IconButton
                key={value}
                icon={icon}
                label={label}
                shortcut={shortcut}
                size="small"
                aria-pressed={value === mode}
                onClick={() => onMode(value)}
              />
            ))}
          </div>
        )}
        <IconButton
          icon={PanelRight}
          label="Outline, links, history"
          aria-pressed={panel !== null}
          onClick={() => go({ panel: panel ? null : "outline", revision: null })}
        />
        <Menu label="Note" align="end" trigger={<IconButton icon={Ellipsis} label="More" />}>
          {narrow && !readOnly && (
            <MenuItem
              icon={mode === "read" ? PenLine : BookOpen}
              onSelect={() => onMode(mode === "read" ? "write" : "read")}
            >
              {mode === "read" ? "Write" : "Read"}
            </MenuItem>
          )}
          {narrow && note && (
            <MenuItem icon={Users} onSelect={share}>
              Share…
            </MenuItem>
          )}
          {onAttach && (
            <MenuItem icon={Paperclip} onSelect={onAttach}>
              Attach files…
            </MenuItem>
          )}
          {note && !readOnly && (
            <>
              <MenuItem icon={note.pinned ? PinOff : Pin} onSelect={() => void actions.pin(note)}>
                {note.pinned ? "Unpin" : "Pin"}
              </MenuItem>
              <MenuItem icon={FolderInput} onSelect={() => ask({ kind: "move-note", note })}>
                Move…
              </MenuItem>
              <MenuSeparator />
            </>
          )}
          <MenuItem icon={ListTree} onSelect={() => go({ panel: "outline", revision: null })}>
            Outline
          </MenuItem>
          {note && (
            <>
              <MenuItem icon={Link2} onSelect={() => go({ panel: "links", revision: null })}>
                Links
              </MenuItem>
              <MenuItem icon={Files} onSelect={() => go({ panel: "files", revision: null })}>
                Files
              </MenuItem>
              <MenuItem icon={History} onSelect={() => go({ panel: "history", revision: null })}>
                History
              </MenuItem>
              <MenuLink
                icon={Download}
                to={notesApi.url(`notes/${note.id}/markdown`)}
                reloadDocument
                download={note.file}
              >
                Download as Markdown
              </MenuLink>
            </>
          )}
          {others.length > 0 && <MenuSeparator />}
          {others.map(({ id, title, icon, run }) => (
            <MenuItem key={id} icon={icon} onSelect={run}>
              {title}
            </MenuItem>
          ))}
          {note && !readOnly && (
            <>
              <MenuSeparator />
              <MenuItem danger icon={Trash2} onSelect={() => void actions.trash(note)}>
                Move to the trash
              </MenuItem>
            </>
          )}
        </Menu>
      </div>
    </header>
  );
}

function Where({ session, note }: { session: NoteSession; note: Note | undefined }) {
  const { items } = useNotebooks();
  const { href } = useNotesLocation();
  const path = pathOf(items, note ? note.notebook : (session.begunWith?.notebook ?? null));
  if (path.length === 0) return <div className="notes-where" />;
  return (
    <nav className="notes-where" aria-label="Notebook">
      <NotebookIcon size={14} />
      <ol>
        {path.map(({ id, name }) => (
          <li key={id}>
            <Link
              to={href({ view: { kind: "notebook", id }, note: session.id })}
              className="t-ellipsis"
              title={name}
            >
              {name}
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}
