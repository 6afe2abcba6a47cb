import { useCommand } from "@tenon/host";
import { Button, EmptyState, ErrorState, Skeleton, VirtualList } from "@tenon/ui";
import { FilePen, Hash, Notebook, Pin, Trash2 } from "lucide-react";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useRef, type ReactNode } from "react";
import { NotePane } from "../app/detail-pane.tsx";
import { ask } from "../app/dialog-state.ts";
import { useNotesLocation } from "../app/location-context.tsx";
import { useNoteActions } from "../app/use-note-actions.ts";
import { listKeys } from "../app/use-notes-commands.ts";
import { noteQuery, useNotebooks, useNoteList } from "../model/queries.ts";
import type { NoteRow as Row } from "../model/types.ts";
import type { View } from "../model/location.ts";
import { MoreRows } from "./more-rows.tsx";
import { NoteRow } from "./note-row.tsx";

export const rowHeight = 76;

/** The notes of a view. */
export function NoteList({ title }: { title: string }) {
  const { location, go } = useNotesLocation();
  const { view, sort } = location;
  const list = useNoteList(view, sort);
  const notebooks = useNotebooks();
  const actions = useNoteActions();
  const { rows } = list;
  const keys = useListKeys(rows, actions.trash);
  const prefetch = usePrefetch();
  const names = useMemo(
    () => new Map(notebooks.items.map(({ id, name }) => [id, name])),
    [notebooks.items],
  );

  if (list.isPending) return <ListSkeleton />;
  if (list.isError && rows.length === 0) {
    return (
      <ErrorState
        error={list.error}
        title="Could not load the notes"
        onRetry={() => void list.refetch()}
      />
    );
  }
  if (rows.length === 0) return <Empty view={view} create={actions.create} />;
  const last = rows.at(-1)?.id;
  return (
    <VirtualList
      items={rows}
      itemKey={({ id }) => id}
      rowHeight={rowHeight}
      label={title}
      selectedKey={location.note}
      onOpen={(note) => go({ note: note.id })}
      onActive={(note) => {
        keys.current = note;
        prefetch(note);
      }}
      onToggle={(note) => go({ note: note.id })}
      onDelete={(note) =>
        note.deleted ? ask({ kind: "delete-note", note }) : void actions.trash(note)
      }
      renderItem={(note) => (
        <>
          <NoteRow
            note={note}
            notebook={
              view.kind === "notebook" || !note.notebook ? undefined : names.get(note.notebook)
            }
          />
          {note.id === last && <MoreRows list={list} />}
        </>
      )}
    />
  );
}

/** `j` and `k` open the next and the previous note; `p` and `m` act on the open note, or else on the active row. */
function useListKeys(rows: readonly Row[], trash: (note: Row) => Promise<void>) {
  const { location, go } = useNotesLocation();
  const { pin } = useNoteActions();
  const active = useRef<Row | null>(null);
  const at = rows.findIndex(({ id }) => id === location.note);
  const step = (by: number) => {
    const next = rows[at < 0 ? 0 : at + by];
    if (next) go({ note: next.id }, { replace: location.note !== null });
  };
  const current = () =>
    rows.find(({ id }) => id === location.note) ??
    rows.find(({ id }) => id === active.current?.id) ??
    null;
  const acts = location.view.kind !== "trash";
  useCommand({
    id: "notes.next",
    title: "Next note",
    ...listKeys,
    shortcut: "j",
    hidden: true,
    run: () => step(1),
  });
  useCommand({
    id: "notes.previous",
    title: "Previous note",
    ...listKeys,
    shortcut: "k",
    hidden: true,
    run: () => step(-1),
  });
  useCommand(
    acts
      ? {
          id: "notes.move",
          title: "Move note",
          ...listKeys,
          shortcut: "m",
          icon: "folder-input",
          run() {
            const note = current();
            if (note) ask({ kind: "move-note", note });
          },
        }
      : null,
  );
  useCommand(
    acts
      ? {
          id: "notes.pin",
          title: "Pin or unpin note",
          ...listKeys,
          shortcut: "p",
          icon: "pin",
          run() {
            const note = current();
            if (note) void pin(note);
          },
        }
      : null,
  );
  useCommand(
    acts
      ? {
          id: "notes.trash",
          title: "Move note to the trash",
          group: "Notes",
          icon: "trash-2",
          run() {
            const note = current();
            if (note) void trash(note);
          },
        }
      : null,
  );
  return active;
}

/** Fetches a note before it is opened. */
export function usePrefetch(): (note: Row) => void {
  const client = useQueryClient();
  const timer = useRef(0);
  return (note) => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      void NotePane.preload().catch(() => undefined);
      void client.prefetchQuery(noteQuery(note.id));
    }, 80);
  };
}

function ListSkeleton() {
  return (
    <div className="notes-list-skeleton" role="status" aria-label="Loading notes">
      {Array.from({ length: 6 }, (_, index) => (
        <div key={index} className="notes-row" style={{ blockSize: rowHeight }}>
          <Skeleton width={["62%", "48%", "71%"][index % 3]} />
          <Skeleton width="88%" height="0.75rem" />
          <Skeleton width="34%" height="0.6875rem" />
        </div>
      ))}
    </div>
  );
}

function Empty({ view, create }: { view: View; create(): void }) {
  const write: ReactNode = (
    <Button icon={FilePen} onClick={create}>
      New note
    </Button>
  );
  switch (view.kind) {
    case "trash":
      return (
        <EmptyState icon={Trash2} title="The trash is empty">
          Deleted notes stay here until you delete them permanently.
        </EmptyState>
      );
    case "pinned":
      return (
        <EmptyState icon={Pin} title="No pinned notes">
          Pinned notes appear first in every list.
        </EmptyState>
      );
    case "tag":
      return <EmptyState icon={Hash} title={`No notes tagged “${view.name}”`} action={write} />;
    case "notebook":
      return <EmptyState icon={Notebook} title="This notebook is empty" action={write} />;
    default:
      return (
        <EmptyState
          icon={FilePen}
          title="No notes yet"
          action={
            <>
              {write}
              <Button onClick={() => ask({ kind: "import", notebook: null })}>Import</Button>
            </>
          }
        >
          Write your first note, or import Markdown files.
        </EmptyState>
      );
  }
}
