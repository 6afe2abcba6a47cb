import { useInfiniteQuery } from "@tanstack/react-query";
import { Button, ErrorState, RelativeTime, SkeletonRows } from "@tenon/ui";
import { Link } from "react-router";
import { useNotesLocation } from "../app/location-context.tsx";
import { notesApi } from "../model/notes-api.ts";
import type { Note, Revision } from "../model/types.ts";

const kinds: Record<Revision["kind"], string | null> = {
  edit: null,
  import: "Imported",
  restore: "Restored",
  rename: "Link renamed",
};

export function useRevisions(id: string, version: number) {
  return useInfiniteQuery({
    // Another version has another history.
    queryKey: ["notes", "revisions", id, version],
    queryFn: ({ pageParam, signal }) => notesApi.revisions(id, pageParam, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });
}

function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return `${(bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0)} KB`;
}

/** Earlier versions of a note, the newest first. */
export function HistoryList({ note }: { note: Note | undefined }) {
  if (!note)
    return <p className="notes-panel-hint">History starts when you write the first word.</p>;
  return <Revisions note={note} />;
}

function Revisions({ note }: { note: Note }) {
  const { location, href } = useNotesLocation();
  const list = useRevisions(note.id, note.version);
  if (list.isPending) return <SkeletonRows count={5} label="Loading history" />;
  if (list.isError) {
    return (
      <ErrorState
        error={list.error}
        title="Could not load the history"
        onRetry={() => void list.refetch()}
      />
    );
  }
  const revisions = list.data.pages.flatMap(({ items }) => items);
  return (
    <div className="notes-history">
      <ul>
        {revisions.map((revision, index) => (
          <li key={revision.id}>
            <Link
              to={href({ revision: index === 0 ? null : revision.id })}
              aria-current={
                location.revision === revision.id || (location.revision === null && index === 0)
                  ? "true"
                  : undefined
              }
            >
              <span className="notes-history-time">
                {index === 0 ? "Now" : <RelativeTime value={revision.updated} />}
                {kinds[revision.kind] && <span className="t-badge">{kinds[revision.kind]}</span>}
              </span>
              <span className="t-muted">
                {revision.author.name || "Someone"} · {size(revision.size)}
                {index === 0 && (
                  <>
                    {" · "}
                    <RelativeTime value={revision.updated} />
                  </>
                )}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button
          size="small"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Earlier versions
        </Button>
      )}
    </div>
  );
}
