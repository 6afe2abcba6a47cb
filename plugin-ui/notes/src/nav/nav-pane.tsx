import { Button, IconButton, Menu, MenuItem, Notice, SkeletonRows } from "@tenon/ui";
import {
  Clock,
  Download,
  Ellipsis,
  FileText,
  Inbox,
  Pin,
  Plus,
  Trash2,
  TriangleAlert,
  Upload,
  Users,
} from "lucide-react";
import { useRef, type KeyboardEvent } from "react";
import { Link } from "react-router";
import { ask } from "../app/dialog-state.ts";
import { useNotesLocation } from "../app/location-context.tsx";
import { useNotebooks, useTags } from "../model/queries.ts";
import { notePath, sameView, type View } from "../model/location.ts";
import type { Unresolved } from "../saving/saving.ts";
import { ImportProgress } from "./import-progress.tsx";
import { NavItem } from "./nav-item.tsx";
import { NotebookTree } from "./notebook-tree.tsx";
import { toggleNotebook } from "./open-notebooks.ts";
import { TagList } from "./tag-list.tsx";

/** Views, notebooks and tags. */
export function NavPane({ unresolved }: { unresolved: readonly Unresolved[] }) {
  const { location } = useNotesLocation();
  const notebooks = useNotebooks();
  const { tags } = useTags();
  const nav = useRef<HTMLElement>(null);
  const { totals } = notebooks;
  const isCurrent = (view: View) => location.query === "" && sameView(location.view, view);
  const item = (kind: "all" | "recent" | "pinned" | "shared" | "unfiled" | "trash") => ({
    view: { kind },
    current: isCurrent({ kind }),
  });

  return (
    <nav
      ref={nav}
      aria-label="Notebooks and tags"
      onKeyDown={(event) => moveInLinks(event, nav.current)}
    >
      <header className="notes-pane-header">
        <h2>Notes</h2>
        <Menu
          label="Notes, more"
          align="end"
          trigger={<IconButton icon={Ellipsis} label="More" size="small" />}
        >
          <MenuItem icon={Upload} onSelect={() => ask({ kind: "import", notebook: null })}>
            Import…
          </MenuItem>
          <MenuItem icon={Download} onSelect={() => ask({ kind: "export", notebook: null })}>
            Export all notes…
          </MenuItem>
        </Menu>
      </header>
      <div className="notes-nav-body">
        {unresolved.map(({ note, title }) => (
          <div className="notes-nav-notice" key={note}>
            <Notice tone="warning" icon={TriangleAlert}>
              Resolve unsaved changes to <Link to={notePath(note)}>{title || "Untitled"}</Link>
            </Notice>
          </div>
        ))}
        <ul>
          <NavItem {...item("all")} icon={FileText} title="All notes" count={totals.notes} />
          <NavItem {...item("recent")} icon={Clock} title="Recent" />
          {(totals.pinned > 0 || location.view.kind === "pinned") && (
            <NavItem {...item("pinned")} icon={Pin} title="Pinned" count={totals.pinned} />
          )}
          {(totals.shared > 0 || location.view.kind === "shared") && (
            <NavItem
              {...item("shared")}
              icon={Users}
              title="Shared with me"
              count={totals.shared}
            />
          )}
          {(totals.unfiled > 0 || location.view.kind === "unfiled") &&
            notebooks.items.length > 0 && (
              <NavItem
                {...item("unfiled")}
                icon={Inbox}
                title="Unfiled"
                count={totals.unfiled}
                dropNotebook={null}
              />
            )}
          <NavItem {...item("trash")} icon={Trash2} title="Trash" count={totals.trash} dropTrash />
        </ul>
        <div className="notes-nav-heading">
          <h3>Notebooks</h3>
          <IconButton
            icon={Plus}
            label="New notebook"
            size="small"
            onClick={() => ask({ kind: "new-notebook", parent: null })}
          />
        </div>
        {notebooks.isPending ? (
          <SkeletonRows count={4} label="Loading notebooks" />
        ) : notebooks.isError ? (
          <p className="notes-nav-hint">
            Could not load the notebooks.{" "}
            <Button size="small" variant="ghost" onClick={() => void notebooks.refetch()}>
              Retry
            </Button>
          </p>
        ) : notebooks.items.length === 0 ? (
          <p className="notes-nav-hint">Use notebooks to group related notes.</p>
        ) : (
          <NotebookTree tree={notebooks.tree} isCurrent={isCurrent} />
        )}
        {tags.length > 0 && <TagList tags={tags} isCurrent={isCurrent} />}
      </div>
      <ImportProgress />
    </nav>
  );
}

/** Up and down go from link to link; left and right close and open notebooks. */
function moveInLinks(event: KeyboardEvent, nav: HTMLElement | null): void {
  if (
    !(event.target instanceof HTMLAnchorElement) ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey
  )
    return;
  const links = [...(nav?.querySelectorAll<HTMLElement>("a.notes-nav-item") ?? [])];
  const at = links.indexOf(event.target);
  const { notebook, expanded } = event.target.dataset;
  const steps: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: Math.max(0, at - 1),
    Home: 0,
    End: links.length - 1,
  };
  const target = steps[event.key];
  if (target !== undefined) links[target]?.focus();
  else if (event.key === "ArrowRight" && notebook && expanded === "false") toggleNotebook(notebook);
  else if (event.key === "ArrowLeft" && notebook && expanded === "true") toggleNotebook(notebook);
  else return;
  event.preventDefault();
}
