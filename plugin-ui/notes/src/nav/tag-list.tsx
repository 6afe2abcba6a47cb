import { IconButton, Menu, MenuItem } from "@tenon/ui";
import { Ellipsis, Hash, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { ask } from "../app/dialog-state.ts";
import type { View } from "../model/location.ts";
import type { Tag } from "../model/types.ts";
import { NavItem } from "./nav-item.tsx";

const first = 12;

export interface TagListProps {
  tags: readonly Tag[];
  isCurrent(view: View): boolean;
}

export function TagList({ tags, isCurrent }: TagListProps) {
  const [all, setAll] = useState(false);
  const shown = all
    ? tags
    : tags.filter(({ name }, index) => index < first || isCurrent({ kind: "tag", name }));
  return (
    <>
      <div className="notes-nav-heading">
        <h3>Tags</h3>
      </div>
      <ul>
        {shown.map((tag) => {
          const view: View = { kind: "tag", name: tag.name };
          return (
            <NavItem
              key={tag.id}
              view={view}
              title={tag.name}
              icon={Hash}
              count={tag.notes}
              current={isCurrent(view)}
              menu={<TagMenu tag={tag} />}
              onKeyDown={(event) => {
                if (event.key === "F2") ask({ kind: "rename-tag", tag });
                else if (event.key === "Delete") ask({ kind: "delete-tag", tag });
                else return;
                event.preventDefault();
                event.stopPropagation();
              }}
            />
          );
        })}
      </ul>
      {tags.length > shown.length && (
        <button type="button" className="notes-nav-more" onClick={() => setAll(true)}>
          {(tags.length - shown.length).toLocaleString()} more
        </button>
      )}
    </>
  );
}

function TagMenu({ tag }: { tag: Tag }) {
  return (
    <Menu
      label={`${tag.name}, menu`}
      align="end"
      trigger={
        <IconButton icon={Ellipsis} label={`${tag.name}, more`} size="small" tabIndex={-1} />
      }
    >
      <MenuItem icon={Pencil} shortcut="F2" onSelect={() => ask({ kind: "rename-tag", tag })}>
        Rename or merge…
      </MenuItem>
      <MenuItem
        danger
        icon={Trash2}
        shortcut="Delete"
        onSelect={() => ask({ kind: "delete-tag", tag })}
      >
        Delete…
      </MenuItem>
    </Menu>
  );
}
