import { Button, Skeleton } from "@tenon/ui";
import { FilePen, FileText } from "lucide-react";
import { useEffect } from "react";
import { useNotebooks } from "../model/queries.ts";
import { lazyComponent } from "./lazy.tsx";
import { useNotesLocation } from "./location-context.tsx";
import { useNoteActions } from "./use-note-actions.ts";

/** The editor and all it needs come when the first note is opened. */
export const NotePane = lazyComponent(() =>
  import("../note/note-pane.tsx").then(({ NotePane }) => NotePane),
);

export function DetailPane({ narrow }: { narrow: boolean }) {
  const { location } = useNotesLocation();
  useEffect(() => {
    const idle = setTimeout(() => void NotePane.preload().catch(() => undefined), 1_000);
    return () => clearTimeout(idle);
  }, []);
  if (location.note) {
    return (
      <NotePane
        key={location.note}
        id={location.note}
        narrow={narrow}
        fallback={<NoteSkeleton />}
      />
    );
  }
  return narrow ? null : <NothingOpen />;
}

export function NoteSkeleton() {
  return (
    <div className="notes-skeleton" role="status" aria-label="Loading note">
      <Skeleton width="45%" height="1.75rem" />
      <Skeleton width="22%" />
      <div />
      <Skeleton width="92%" />
      <Skeleton width="84%" />
      <Skeleton width="96%" />
      <Skeleton width="61%" />
    </div>
  );
}

function NothingOpen() {
  const { create } = useNoteActions();
  const { location } = useNotesLocation();
  const { totals, isSuccess } = useNotebooks();
  if (!isSuccess || location.view.kind === "trash") return null;
  const first = totals.notes === 0;
  return (
    <div className="notes-nothing">
      <div className="notes-nothing-icon">
        {first ? <FilePen size={20} /> : <FileText size={20} />}
      </div>
      <h2>{first ? "Write your first note" : "No note selected"}</h2>
      <p className="t-muted">
        {first
          ? "Notes use Markdown, save as you type and stay private until you share them."
          : "Choose a note from the list, or create one."}
      </p>
      <Button variant={first ? "primary" : undefined} onClick={create}>
        New note
      </Button>
    </div>
  );
}
