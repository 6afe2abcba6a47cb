import { usePageTitle } from "@tenon/host";
import { Button, IconButton, Menu, MenuItem, VisuallyHidden } from "@tenon/ui";
import { ArrowDownWideNarrow, ChevronDown, SquarePen, Trash2 } from "lucide-react";
import { ask } from "../app/dialog-state.ts";
import { useNotesLocation } from "../app/location-context.tsx";
import { useNoteActions } from "../app/use-note-actions.ts";
import { canSort, viewKey, type View } from "../model/location.ts";
import { useNotebooks } from "../model/queries.ts";
import type { Notebook } from "../model/types.ts";
import { NoteList } from "./note-list.tsx";
import { SearchField } from "./search-field.tsx";
import { SearchResults } from "./search-results.tsx";

const titles = {
  all: "All notes",
  recent: "Recent",
  pinned: "Pinned",
  shared: "Shared with me",
  unfiled: "Unfiled",
  trash: "Trash",
};

export function viewTitle(view: View, notebooks: readonly Notebook[]): string {
  if (view.kind === "tag") return `#${view.name}`;
  if (view.kind === "notebook")
    return notebooks.find(({ id }) => id === view.id)?.name ?? "Notebook";
  return titles[view.kind];
}

/** The list of notes, or what a search found. */
export function ListPane({ onShowNotebooks }: { onShowNotebooks?: () => void }) {
  const { location, go } = useNotesLocation();
  const { items, totals } = useNotebooks();
  const { create } = useNoteActions();
  const { view, sort, query } = location;
  const title = viewTitle(view, items);
  const isTrash = view.kind === "trash";
  usePageTitle(location.note ? undefined : title);

  return (
    <section aria-label={title} className="notes-list-pane">
      <header className="notes-pane-header t-page-header">
        <h1 title={title}>
          {onShowNotebooks ? (
            <button type="button" aria-haspopup="dialog" onClick={onShowNotebooks}>
              <span className="t-ellipsis">{title}</span>
              <VisuallyHidden>, choose notebooks and tags</VisuallyHidden>
              <ChevronDown size={14} />
            </button>
          ) : (
            <div className="t-ellipsis">{title}</div>
          )}
        </h1>
        {canSort(view) && query === "" && (
          <Menu
            label="Sort"
            align="end"
            trigger={<IconButton icon={ArrowDownWideNarrow} label="Sort" />}
          >
            <MenuItem checked={sort === "-updated"} onSelect={() => go({ sort: "-updated" })}>
              Last updated
            </MenuItem>
            <MenuItem checked={sort === "title"} onSelect={() => go({ sort: "title" })}>
              Title
            </MenuItem>
          </Menu>
        )}
        {isTrash ? (
          totals.trash_own > 0 && (
            <Button
              size="small"
              icon={Trash2}
              onClick={() => ask({ kind: "empty-trash", notes: totals.trash_own })}
            >
              Empty trash
            </Button>
          )
        ) : (
          <IconButton icon={SquarePen} label="New note" onClick={create} />
        )}
      </header>
      {!isTrash && <SearchField view={view} title={title} />}
      <div className="notes-list-body">
        {query.trim() && !isTrash ? (
          <SearchResults />
        ) : (
          <NoteList key={viewKey(view)} title={title} />
        )}
      </div>
    </section>
  );
}
