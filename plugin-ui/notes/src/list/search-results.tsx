import {
  Button,
  EmptyState,
  ErrorState,
  plainSegments,
  RelativeTime,
  SkeletonRows,
  VirtualList,
} from "@tenon/ui";
import { SearchX } from "lucide-react";
import { useNotesLocation } from "../app/location-context.tsx";
import { useNotebooks, useSearchResults } from "../model/queries.ts";
import { pathText } from "../model/notebook-tree.ts";
import type { SearchResult, Segment } from "../model/types.ts";
import { MoreRows } from "./more-rows.tsx";
import { usePrefetch } from "./note-list.tsx";
import { useNoteActions } from "../app/use-note-actions.ts";

const rowHeight = 96;

/** Shows the results of a search, the words marked. */
export function SearchResults() {
  const { location, go } = useNotesLocation();
  const { items } = useNotebooks();
  const { trash } = useNoteActions();
  const prefetch = usePrefetch();
  const tag = location.view.kind === "tag" ? location.view.name : undefined;
  const search = useSearchResults(location.query, tag);
  const { results } = search;

  if (search.isError && results.length === 0) {
    return (
      <ErrorState
        error={search.error}
        title="Could not search the notes"
        onRetry={() => void search.refetch()}
      />
    );
  }
  if (search.isPending) {
    return (
      <div className="notes-list-skeleton">
        <SkeletonRows label="Searching" />
      </div>
    );
  }
  if (results.length === 0) {
    return (
      <EmptyState
        icon={SearchX}
        title={`No results for “${location.query.trim()}”`}
        action={
          tag ? (
            <Button onClick={() => go({ view: { kind: "all" }, query: location.query })}>
              Search all notes
            </Button>
          ) : undefined
        }
      >
        Results contain all words. Use “quotes” for a phrase and -word to exclude a word.
      </EmptyState>
    );
  }
  const last = results.at(-1)?.note.id;
  return (
    <VirtualList
      items={results}
      itemKey={({ note }) => note.id}
      rowHeight={rowHeight}
      label={`Results for “${location.query.trim()}”`}
      selectedKey={location.note}
      onOpen={({ note }) => go({ note: note.id })}
      onToggle={({ note }) => go({ note: note.id })}
      onActive={({ note }) => prefetch(note)}
      onDelete={({ note }) => void trash(note)}
      renderItem={(result) => (
        <>
          <ResultRow result={result} where={pathText(items, result.note.notebook)} />
          {result.note.id === last && <MoreRows list={search} />}
        </>
      )}
    />
  );
}

function ResultRow({ result, where }: { result: SearchResult; where: string }) {
  const { note, title, snippet } = result;
  return (
    <div className="notes-row">
      <div className="notes-row-title">
        <span className="t-ellipsis">
          {title.segments.length > 0 ? <Marked segments={title.segments} /> : "Untitled"}
        </span>
      </div>
      <div className="notes-row-snippet">
        <Marked segments={plainSegments(snippet.segments)} />
      </div>
      <div className="notes-row-meta">
        <RelativeTime value={note.updated} />
        {where && <span className="t-ellipsis">{where}</span>}
      </div>
    </div>
  );
}

/** Text with the words that were looked for marked. Text stays text. */
export function Marked({ segments }: { segments: readonly Segment[] }) {
  return segments.map(({ text, match }, index) => (match ? <mark key={index}>{text}</mark> : text));
}
