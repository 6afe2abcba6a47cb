import { useQuery, useQueryClient } from "@tanstack/react-query";
import {
  Button,
  errorMessage,
  ErrorState,
  Problem,
  RelativeTime,
  SegmentedControl,
  SkeletonRows,
  toast,
} from "@tenon/ui";
import { RotateCcw, X } from "lucide-react";
import { useMemo, useState } from "react";
import { useNotesLocation } from "../app/location-context.tsx";
import { notesApi } from "../model/notes-api.ts";
import { noteChanged } from "../model/queries.ts";
import type { Note, RevisionText } from "../model/types.ts";
import { useSessionText } from "../note/use-session-text.ts";
import type { NoteSession } from "../saving/note-session.ts";
import { difference } from "./diff.ts";
import { useRevisions } from "./history-list.tsx";

type Against = "now" | "before";

export interface RevisionViewProps {
  session: NoteSession;
  note: Note;
  revision: string;
}

function useRevision(note: string, revision: string | undefined) {
  return useQuery({
    queryKey: ["notes", "revision", note, revision],
    queryFn: ({ signal }) => notesApi.revision(note, revision ?? "", { signal }),
    enabled: revision !== undefined,
    staleTime: Infinity,
  });
}

/** An earlier version, as what has changed since or what it changed. */
export function RevisionView({ session, note, revision }: RevisionViewProps) {
  const { go } = useNotesLocation();
  const [against, setAgainst] = useState<Against>("now");
  const list = useRevisions(note.id, note.version);
  const revisions = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const at = revisions.findIndex(({ id }) => id === revision);
  const shown = useRevision(note.id, revision);
  const earlier = useRevision(note.id, against === "before" ? revisions[at + 1]?.id : undefined);
  const restore = useRestore(session, note);

  if (shown.isError) {
    return (
      <ErrorState
        error={shown.error}
        title="Could not load this version"
        onRetry={() => void shown.refetch()}
        action={<Button onClick={() => go({ revision: null })}>Back to the note</Button>}
      />
    );
  }
  return (
    <section className="notes-revision" aria-label="Earlier version">
      <header>
        <h2 className="t-ellipsis">
          {shown.data ? <RelativeTime value={shown.data.updated} /> : "Version"}
          {shown.data?.author.name && <span className="t-muted"> by {shown.data.author.name}</span>}
        </h2>
        <Button icon={X} variant="ghost" onClick={() => go({ revision: null })}>
          Close
        </Button>
        <Button
          variant="primary"
          icon={RotateCcw}
          disabled={!shown.data}
          onClick={() => void (shown.data && restore(shown.data))}
        >
          Restore
        </Button>
        <SegmentedControl<Against>
          label="Compare with"
          value={against}
          onChange={setAgainst}
          options={[
            { value: "now", label: "Changes since then" },
            { value: "before", label: "Changes in this version" },
          ]}
        />
      </header>
      {!shown.data || (against === "before" && earlier.isLoading) ? (
        <SkeletonRows label="Loading version" />
      ) : against === "now" ? (
        <SinceThen session={session} then={shown.data} />
      ) : (
        <Rows
          before={earlier.data?.text ?? ""}
          after={shown.data.text}
          titles={[earlier.data?.title ?? "", shown.data.title]}
          same={
            earlier.data
              ? "This version did not change the text."
              : "This is the oldest stored version."
          }
        />
      )}
    </section>
  );
}

function SinceThen({ session, then }: { session: NoteSession; then: RevisionText }) {
  const now = useSessionText(session);
  return (
    <Rows
      before={then.text}
      after={now}
      titles={[then.title, session.state.get().title]}
      same="The text has not changed since then."
    />
  );
}

/** Restores a version, after what is unsaved was saved. It can be taken back. */
function useRestore(session: NoteSession, note: Note) {
  const client = useQueryClient();
  const { go } = useNotesLocation();
  return async (revision: RevisionText) => {
    if (!(await session.flush())) {
      toast("Save the note before you restore an earlier version", { tone: "danger" });
      return;
    }
    const before = { title: session.state.get().title, text: session.text };
    try {
      const { version } = session.state.get();
      const restored = await notesApi.restoreRevision(note.id, revision.id, version);
      session.rebaseOn(restored);
      noteChanged(client, restored);
    } catch (error) {
      const changed = error instanceof Problem && error.status === 412;
      toast(
        changed
          ? "Someone just changed the note. Review the changes and try again."
          : errorMessage(error),
        {
          tone: "danger",
        },
      );
      if (changed) void client.invalidateQueries({ queryKey: ["notes", "note", note.id] });
      return;
    }
    go({ revision: null }, { replace: true });
    toast("Version restored", {
      action: { label: "Undo", run: () => session.replace(before) },
    });
  };
}

function Rows({
  before,
  after,
  titles: [titleBefore, titleAfter],
  same,
}: {
  before: string;
  after: string;
  titles: [string, string];
  same: string;
}) {
  const { rows, added, removed } = useMemo(() => difference(before, after), [before, after]);
  return (
    <div className="notes-diff">
      <p className="notes-diff-summary">
        {rows.length === 0 ? same : `${lines(added)} added, ${lines(removed)} removed`}
        {titleBefore !== titleAfter && titleBefore !== "" && (
          <>
            {" · Title: "}
            <del>{titleBefore}</del> <ins>{titleAfter || "Untitled"}</ins>
          </>
        )}
      </p>
      {rows.length > 0 && (
        <div className="notes-diff-rows" role="table" aria-label="Changes" tabIndex={0}>
          {rows.map((row, index) =>
            row.kind === "gap" ? (
              <div key={index} className="notes-diff-gap" role="row">
                <span role="cell">{lines(row.lines)} the same</span>
              </div>
            ) : (
              <div key={index} className="notes-diff-row" data-kind={row.kind} role="row">
                <span className="notes-diff-mark" role="cell" aria-label={marks[row.kind].name}>
                  {marks[row.kind].sign}
                </span>
                <span className="notes-diff-text" role="cell">
                  {row.segments.map(({ text, changed }, part) =>
                    !changed ? (
                      text
                    ) : row.kind === "added" ? (
                      <ins key={part}>{text}</ins>
                    ) : (
                      <del key={part}>{text}</del>
                    ),
                  )}
                  {row.segments.length === 0 && "\u00a0"}
                </span>
              </div>
            ),
          )}
        </div>
      )}
    </div>
  );
}

const marks = {
  same: { sign: " ", name: "Unchanged" },
  added: { sign: "+", name: "Added" },
  removed: { sign: "−", name: "Removed" },
};

function lines(count: number): string {
  return count === 1 ? "1 line" : `${count.toLocaleString()} lines`;
}
