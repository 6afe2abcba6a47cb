import { useEffect, useLayoutEffect, useRef, type MouseEvent, type RefObject } from "react";
import type { Followed, LinkTable } from "../editor/links.ts";
import type { FileTable } from "../model/files.ts";
import { patchChildren, renderNote } from "./render-note.ts";
import { scrollToHeading } from "./scroll-line.ts";

export interface PreviewProps {
  element?: RefObject<HTMLDivElement | null>;
  text: string;
  title: string;
  links: LinkTable;
  files: FileTable;
  readOnly?: boolean;
  /** A link within the notes; those to elsewhere are the browser's. */
  onFollow(link: Followed | { kind: "note"; id: string; heading: string }): void;
  /** A box was clicked; lines count from 0. */
  onToggleTask?(line: number): void;
  onRendered?(): void;
}

/** A note as it is meant to be read. */
export function Preview({
  element: given,
  text,
  title,
  links,
  files,
  readOnly,
  onFollow,
  onToggleTask,
  onRendered,
}: PreviewProps) {
  const own = useRef<HTMLDivElement>(null);
  const element = given ?? own;
  const rendered = useRef(onRendered);
  useEffect(() => {
    rendered.current = onRendered;
  });

  useLayoutEffect(() => {
    const target = element.current;
    if (!target) return;
    patchChildren(target, renderNote({ text, title, links, files, readOnly }));
    rendered.current?.();
  }, [element, text, title, links, files, readOnly]);

  const onClick = (event: MouseEvent) => {
    const at = event.target instanceof Element ? event.target : null;
    const box = at?.closest<HTMLInputElement>("input[data-task]");
    if (box) {
      event.preventDefault();
      onToggleTask?.(Number(box.dataset.task));
      return;
    }
    const anchor = at?.closest("a");
    if (!anchor || event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { note, target, heading = "" } = anchor.dataset;
    const href = anchor.getAttribute("href") ?? "";
    if (note) onFollow({ kind: "note", id: note, heading });
    else if (target !== undefined) onFollow({ kind: "title", target, heading });
    else if (href.startsWith("#")) scrollToHeading(element.current, heading);
    else return;
    event.preventDefault();
  };

  // The keyboard comes in by the links and boxes inside, which are buttons and links by themselves.
  return <div ref={element} className="notes-prose" onClick={onClick} />;
}
