import { VisuallyHidden, type IconType } from "@tenon/ui";
import { useRef, type KeyboardEvent, type ReactNode } from "react";
import { Link } from "react-router";
import { useDraggable, useDropTarget, type Dragged } from "../app/use-drag.ts";
import { useNotesLocation } from "../app/location-context.tsx";
import type { View } from "../model/location.ts";

export interface NavItemProps {
  view: View;
  title: string;
  icon: IconType;
  current: boolean;
  /** More about it, for who points at it and for screen readers. */
  hint?: string;
  count?: number;
  /** From 1. */
  depth?: number;
  /** Id of a notebook with something inside it, and whether that is shown. */
  notebook?: string;
  expanded?: boolean;
  toggle?: ReactNode;
  menu?: ReactNode;
  /** Notes dropped here go there. */
  dropNotebook?: string | null;
  dropTrash?: boolean;
  /** The object that is dragged by this line. */
  drag?: Dragged;
  onKeyDown?(event: KeyboardEvent): void;
}

/** A line of the pane of notebooks. Its menu opens by a right click or the menu key as well. */
export function NavItem({
  view,
  title,
  icon: Icon,
  current,
  hint,
  count,
  depth = 1,
  notebook,
  expanded,
  toggle,
  menu,
  dropNotebook,
  dropTrash,
  drag,
  onKeyDown,
}: NavItemProps) {
  const { href } = useNotesLocation();
  const row = useRef<HTMLDivElement>(null);
  const takes = dropTrash
    ? ({ kind: "trash" } as const)
    : { kind: "notebook" as const, id: dropNotebook };
  const over = useDropTarget(row, dropTrash || dropNotebook !== undefined ? takes : null);
  useDraggable(row, drag ?? null);
  return (
    <li>
      <div
        ref={row}
        className="notes-nav-row"
        data-over={over || undefined}
        style={{ "--notes-depth": depth - 1 } as React.CSSProperties}
        onContextMenu={(event) => {
          const button = row.current?.querySelector<HTMLElement>(".notes-nav-menu button");
          if (!button) return;
          event.preventDefault();
          button.click();
        }}
      >
        {toggle}
        <Link
          to={href({ view })}
          className="notes-nav-item"
          aria-current={current ? "page" : undefined}
          data-notebook={notebook}
          data-expanded={expanded}
          onKeyDown={onKeyDown}
        >
          <Icon size={16} />
          <span className="t-ellipsis" title={hint ? `${title} – ${hint}` : title}>
            {title}
          </span>
          {hint && <VisuallyHidden>, {hint}</VisuallyHidden>}
          {count ? <span className="notes-count">{count.toLocaleString()}</span> : null}
        </Link>
        {menu && <div className="notes-nav-menu">{menu}</div>}
      </div>
    </li>
  );
}
