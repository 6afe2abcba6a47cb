import { IconButton, Menu, MenuItem, MenuSeparator } from "@tenon/ui";
import {
  ChevronRight,
  Download,
  Ellipsis,
  FolderInput,
  FolderPlus,
  Notebook as NotebookIcon,
  NotebookTabs,
  Pencil,
  Trash2,
  Upload,
  Users,
} from "lucide-react";
import { useEffect, type KeyboardEvent } from "react";
import { ask } from "../app/dialog-state.ts";
import { useNotesLocation } from "../app/location-context.tsx";
import { openNotebooks } from "../app/preference.ts";
import { visibleNodes, pathOf, type TreeNode } from "../model/notebook-tree.ts";
import { useNotebooks } from "../model/queries.ts";
import type { View } from "../model/location.ts";
import type { Notebook } from "../model/types.ts";
import { NavItem } from "./nav-item.tsx";
import { toggleNotebook, useOpenNotebooks } from "./open-notebooks.ts";

export interface NotebookTreeProps {
  tree: readonly TreeNode[];
  isCurrent(view: View): boolean;
}

/** Notebooks that lie in one another. */
export function NotebookTree({ tree, isCurrent }: NotebookTreeProps) {
  const { location } = useNotesLocation();
  const { items } = useNotebooks();
  const open = useOpenNotebooks();
  const current = location.view.kind === "notebook" ? location.view.id : null;

  // Keep the open notebook in sight, also after a reload.
  useEffect(() => {
    const above = pathOf(items, current)
      .slice(0, -1)
      .map(({ id }) => id);
    openNotebooks.set((before) => {
      const missing = above.filter((id) => !before.includes(id));
      return missing.length > 0 ? [...before, ...missing] : before;
    });
  }, [items, current]);

  return (
    <ul>
      {visibleNodes(tree, open).map((node) => (
        <Line key={node.notebook.id} node={node} open={open} isCurrent={isCurrent} />
      ))}
    </ul>
  );
}

function Line({
  node,
  open,
  isCurrent,
}: {
  node: TreeNode;
  open: ReadonlySet<string>;
  isCurrent(view: View): boolean;
}) {
  const { notebook, depth, children } = node;
  const { id, name } = notebook;
  const view: View = { kind: "notebook", id };
  const expanded = children.length > 0 ? open.has(id) : undefined;
  return (
    <NavItem
      view={view}
      title={name}
      icon={notebook.shared ? NotebookTabs : NotebookIcon}
      hint={notebook.shared ? sharedBy(notebook) : undefined}
      current={isCurrent(view)}
      count={notebook.notes}
      depth={depth}
      notebook={expanded === undefined ? undefined : id}
      expanded={expanded}
      dropNotebook={id}
      drag={{ kind: "notebook", notebook }}
      toggle={
        expanded !== undefined && (
          <button
            type="button"
            className="notes-nav-toggle"
            tabIndex={-1}
            aria-expanded={expanded}
            aria-label={`Notebooks in ${name}`}
            onClick={() => toggleNotebook(id)}
          >
            <ChevronRight size={14} />
          </button>
        )
      }
      menu={<NotebookMenu notebook={notebook} />}
      onKeyDown={(event) => notebookKeys(event, notebook)}
    />
  );
}

/** Whose a notebook is that several people see. */
function sharedBy({ access, owner }: Notebook): string {
  if (!owner) return "Owned by everyone";
  return access === "owner" ? "Shared" : `Shared by ${owner.name || "someone"}`;
}

function notebookKeys(event: KeyboardEvent, notebook: Notebook): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "F2") ask({ kind: "rename-notebook", notebook });
  else if (event.key === "Delete") ask({ kind: "delete-notebook", notebook });
  else if (event.key === "m") ask({ kind: "move-notebook", notebook });
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function NotebookMenu({ notebook }: { notebook: Notebook }) {
  const { id, name } = notebook;
  return (
    <Menu
      label={`${name}, menu`}
      align="end"
      trigger={<IconButton icon={Ellipsis} label={`${name}, more`} size="small" tabIndex={-1} />}
    >
      <MenuItem icon={FolderPlus} onSelect={() => ask({ kind: "new-notebook", parent: id })}>
        New notebook here…
      </MenuItem>
      <MenuItem
        icon={Pencil}
        shortcut="F2"
        onSelect={() => ask({ kind: "rename-notebook", notebook })}
      >
        Rename…
      </MenuItem>
      <MenuItem icon={Users} onSelect={() => ask({ kind: "share", what: "notebooks", id, name })}>
        Share…
      </MenuItem>
      <MenuItem
        icon={FolderInput}
        shortcut="m"
        onSelect={() => ask({ kind: "move-notebook", notebook })}
      >
        Move…
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={Upload} onSelect={() => ask({ kind: "import", notebook: id })}>
        Import…
      </MenuItem>
      <MenuItem icon={Download} onSelect={() => ask({ kind: "export", notebook })}>
        Export…
      </MenuItem>
      <MenuSeparator />
      <MenuItem
        danger
        icon={Trash2}
        shortcut="Delete"
        onSelect={() => ask({ kind: "delete-notebook", notebook })}
      >
        Delete…
      </MenuItem>
    </Menu>
  );
}
