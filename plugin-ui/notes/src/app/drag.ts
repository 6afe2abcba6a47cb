import {
  draggable,
  dropTargetForElements,
} from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import type { Dragged, dropped, Target } from "./use-drag.ts";

const what = Symbol("what is dragged");

function dragged(data: Record<string | symbol, unknown>): Dragged | undefined {
  return data[what] as Dragged | undefined;
}

function mayDrop(thing: Dragged | undefined, target: Target): boolean {
  if (!thing) return false;
  if (thing.kind === "note") {
    if (thing.note.deleted) return false;
    return target.kind === "trash" || target.id !== thing.note.notebook;
  }
  return target.kind === "notebook" && target.id !== null && target.id !== thing.notebook.id;
}

export const dragging = {
  draggable: (element: HTMLElement, get: () => Dragged) =>
    draggable({ element, getInitialData: () => ({ [what]: get() }) }),

  dropTarget: (
    element: HTMLElement,
    target: Target,
    setOver: (over: boolean) => void,
    handler: typeof dropped,
  ) =>
    dropTargetForElements({
      element,
      canDrop: ({ source }) => mayDrop(dragged(source.data), target),
      onDragEnter: () => setOver(true),
      onDragLeave: () => setOver(false),
      onDrop({ source }) {
        setOver(false);
        const thing = dragged(source.data);
        if (thing) handler.handle?.(thing, target);
      },
    }),
};

export type Dragging = typeof dragging;
